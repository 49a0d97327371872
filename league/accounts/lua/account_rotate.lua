-- Replaces a token with a new one. The old one stays valid until its new expiry. Needs account_token.lua.
--
-- KEYS: those of account_token.lua; the old token (hash)
-- ARGV: those of account_token.lua; the old token with its new expiry (JSON)
-- Returns 1, or 0 if the old token does not exist; then nothing is written.
local old_token_key = KEYS[4]
local old_token = ARGV[7]

if redis.call('EXISTS', old_token_key) == 0 then return 0 end
redis.call('HSET', old_token_key, 'doc', old_token)
write_token()
return 1
