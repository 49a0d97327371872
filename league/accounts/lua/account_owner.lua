-- Creates an owner with its first token. Needs account_token.lua.
--
-- KEYS: those of account_token.lua; owners (hash id -> JSON); owner ids by name (hash); invitations (zset of digests by
--       expiry); used invitations (hash digest -> owner id and instant)
-- ARGV: those of account_token.lua; the owner id; its name; the owner (JSON); the digest of the invitation, or '' if none
--       is required; the current time in ms
-- Returns 'ok', or without writing anything 'taken' or 'invitation'. For two minutes it is 'ok' again for the same owner
-- id: a client may repeat the request after a crash between this script and the response.
local owners_key, names_key, invitations_key, used_key = KEYS[4], KEYS[5], KEYS[6], KEYS[7]
local owner_id, name, owner, invitation, now = ARGV[7], ARGV[8], ARGV[9], ARGV[10], tonumber(ARGV[11])
local REPEATABLE_MS = 120000

local known = redis.call('HGET', names_key, name)
if known then
  local repeated = known == owner_id
    and cjson.decode(redis.call('HGET', owners_key, known))['created'] + REPEATABLE_MS > now
  if not repeated then return 'taken' end
  write_token()
  return 'ok'
end
if invitation ~= '' then
  local expires = redis.call('ZSCORE', invitations_key, invitation)
  if not expires or tonumber(expires) <= now then return 'invitation' end
  redis.call('ZREM', invitations_key, invitation)
  redis.call('HSET', used_key, invitation, owner_id .. ' ' .. ARGV[11])
end
redis.call('HSET', names_key, name, owner_id)
redis.call('HSET', owners_key, owner_id, owner)
write_token()
return 'ok'
