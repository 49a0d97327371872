-- Stores another token of a bot or owner, maybe in place of an old one, which stays valid until its new expiry. Needs
-- account_token.lua.
--
-- KEYS: those of account_token.lua; the old token (hash), if any
-- ARGV: those of account_token.lua; the old token with its new expiry (JSON), if any
-- Returns 1, or 0 if the old token does not exist; then nothing is written.
local old_token_key, old_token = KEYS[4], ARGV[7]

if old_token_key then
  if redis.call('EXISTS', old_token_key) == 0 then return 0 end
  redis.call('HSET', old_token_key, 'doc', old_token)
end
write_token()
return 1
