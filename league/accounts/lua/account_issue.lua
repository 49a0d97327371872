-- A further token.
--
-- KEYS and ARGV of account_token.lua
-- returns 1
write_token()
return 1
