-- A season of a ladder ends and the next begins, if the ladder and its last round are still what the writer read.
--
-- KEYS 1 ladder (JSON)  2 rounds of the ladder  3 seasons that ended
-- ARGV 1 JSON that was read  2 JSON to write  3 number of the season that ends  4 season (JSON)  5 number of its last round
-- returns 1, or 0 if somebody else was faster; nothing has changed then
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if (redis.call('HGET', KEYS[2], 'last') or '0') ~= ARGV[5] then return 0 end
redis.call('HSET', KEYS[3], ARGV[3], ARGV[4])
redis.call('SET', KEYS[1], ARGV[2])
return 1
