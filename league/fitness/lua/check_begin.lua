-- A check of a bot begins, if no other has begun since.
--
-- KEYS 1 matches of checks by bot  2 the new check
-- ARGV 1 bot id  2 match of its check before, or ''  3 match of the new one  4 check (JSON)  5 faults to try, by spaces
--      6 how long it is kept, in seconds
-- returns 1, or 0 if another has begun; nothing has changed then
if (redis.call('HGET', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
redis.call('HSET', KEYS[2], 'doc', ARGV[4], 'todo', ARGV[5])
redis.call('EXPIRE', KEYS[2], ARGV[6])
return 1
