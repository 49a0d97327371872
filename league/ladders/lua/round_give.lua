-- A worker gives a round's lease back.
--
-- KEYS 1 round
-- ARGV 1 worker  2 '1' if in good order, '0' if whoever takes it next has to look what was left half done
-- returns 1, or 0 if it was not this worker's; nothing has changed then
if redis.call('HGET', KEYS[1], 'worker') ~= ARGV[1] then return 0 end
if ARGV[2] == '1' then redis.call('HDEL', KEYS[1], 'worker', 'until', 'raised') else redis.call('HSET', KEYS[1], 'until', 0) end
return 1
