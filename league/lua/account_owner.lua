-- A new owner with its first token.
--
-- KEYS 1-3 of account_token.lua  4 owners  5 names of owners  6 invitations
-- ARGV 1-5 of account_token.lua  6 owner id  7 name  8 owner (JSON)  9 digest of the invitation or ''  10 now in ms
-- returns 'ok', 'taken' or 'invitation'; nothing has changed but for 'ok'
if ARGV[9] ~= '' then
  local expires = redis.call('ZSCORE', KEYS[6], ARGV[9])
  if not expires or tonumber(expires) <= tonumber(ARGV[10]) then return 'invitation' end
end
if redis.call('HSETNX', KEYS[5], ARGV[7], ARGV[6]) == 0 then return 'taken' end
if ARGV[9] ~= '' then redis.call('ZREM', KEYS[6], ARGV[9]) end
redis.call('HSET', KEYS[4], ARGV[6], ARGV[8])
write_token()
return 'ok'
