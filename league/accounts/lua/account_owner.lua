-- A new owner with its first token.
--
-- KEYS 1-3 of account_token.lua  4 owners  5 names of owners  6 invitations
-- ARGV 1-5 of account_token.lua  6 owner id  7 name  8 owner (JSON)  9 digest of the invitation or ''  10 now in ms
-- returns 'ok', 'taken' or 'invitation'; nothing has changed but for 'ok'. For two minutes it is 'ok' again for an
--         owner of this very id: its request is made again, after a crash between this script and the answer
local known = redis.call('HGET', KEYS[5], ARGV[7])
if known then
  local again = known == ARGV[6] and cjson.decode(redis.call('HGET', KEYS[4], known))['created'] + 120000 > tonumber(ARGV[10])
  if not again then return 'taken' end
  write_token()
  return 'ok'
end
if ARGV[9] ~= '' then
  local expires = redis.call('ZSCORE', KEYS[6], ARGV[9])
  if not expires or tonumber(expires) <= tonumber(ARGV[10]) then return 'invitation' end
  redis.call('ZREM', KEYS[6], ARGV[9])
end
redis.call('HSET', KEYS[5], ARGV[7], ARGV[6])
redis.call('HSET', KEYS[4], ARGV[6], ARGV[8])
write_token()
return 'ok'
