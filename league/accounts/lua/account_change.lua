-- An owner or a bot changed, if it is still what the writer read.
--
-- KEYS 1 owners or bots  2 disabled owners and bots
-- ARGV 1 id  2 JSON that was read  3 JSON to write  4 '1' if it is disabled now, else '0'
-- returns 1, or 0 if somebody else was faster; nothing has changed then
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
if ARGV[4] == '1' then redis.call('SADD', KEYS[2], ARGV[1]) else redis.call('SREM', KEYS[2], ARGV[1]) end
return 1
