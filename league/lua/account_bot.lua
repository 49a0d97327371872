-- A new bot with its first token.
--
-- KEYS 1-3 of account_token.lua  4 bots  5 ids of bots by full name  6 full names of bots
-- ARGV 1-5 of account_token.lua  6 bot id  7 full name  8 bot (JSON)
-- returns 'ok' or 'taken'; nothing has changed but for 'ok'
if redis.call('HSETNX', KEYS[5], ARGV[7], ARGV[6]) == 0 then return 'taken' end
redis.call('ZADD', KEYS[6], 0, ARGV[7])
redis.call('HSET', KEYS[4], ARGV[6], ARGV[8])
write_token()
return 'ok'
