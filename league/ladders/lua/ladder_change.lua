-- A ladder's settings or state changed, if it is still what the writer read.
--
-- KEYS 1 ladder (JSON)
-- ARGV 1 JSON that was read  2 JSON to write
-- returns 1, or 0 if somebody else was faster; nothing has changed then
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1
