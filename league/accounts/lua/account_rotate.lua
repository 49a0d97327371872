-- A new token in the place of an old one, which goes on until its new expiry.
--
-- KEYS 1-3 of account_token.lua  4 old token
-- ARGV 1-5 of account_token.lua  6 old token (JSON) with its new expiry
-- returns 1, or 0 if the old token is gone; nothing has changed then
if redis.call('EXISTS', KEYS[4]) == 0 then return 0 end
redis.call('HSET', KEYS[4], 'doc', ARGV[6])
write_token()
return 1
