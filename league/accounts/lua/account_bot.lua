-- A new bot with its first token.
--
-- KEYS 1-3 of account_token.lua  4 bots  5 ids of bots by full name  6 full names of bots
-- ARGV 1-5 of account_token.lua  6 bot id  7 full name  8 bot (JSON)  9 now in ms
-- returns 'ok' or 'taken'; nothing has changed but for 'ok'. For two minutes it is 'ok' again for a bot of this very
--         id: its request is made again, after a crash between this script and the answer
local known = redis.call('HGET', KEYS[5], ARGV[7])
if known then
  local again = known == ARGV[6] and cjson.decode(redis.call('HGET', KEYS[4], known))['created'] + 120000 > tonumber(ARGV[9])
  if not again then return 'taken' end
  write_token()
  return 'ok'
end
redis.call('HSET', KEYS[5], ARGV[7], ARGV[6])
redis.call('ZADD', KEYS[6], 0, ARGV[7])
redis.call('HSET', KEYS[4], ARGV[6], ARGV[8])
write_token()
return 'ok'
