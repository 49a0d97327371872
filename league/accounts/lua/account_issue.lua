-- Stores another token of a bot or owner. Needs account_token.lua.
--
-- KEYS, ARGV: those of account_token.lua
-- Returns 1.
write_token()
return 1
