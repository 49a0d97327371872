-- Reads a token that may be used.
--
-- KEYS: the token (hash); disabled owners and bots (set); matches of running checks (hash bot -> match)
-- Returns nil if the token does not exist, or its owner or bot is disabled; else the token (JSON), and with a running
-- check of its bot {token, match of the check}.
local token_key, disabled_key, checks_key = unpack(KEYS)

local token, owner, bot = unpack(redis.call('HMGET', token_key, 'doc', 'owner', 'bot'))
if not token then return false end
if redis.call('SISMEMBER', disabled_key, owner) == 1 then return false end
if bot == '' then return token end
if redis.call('SISMEMBER', disabled_key, bot) == 1 then return false end
local check = redis.call('HGET', checks_key, bot)
return check and {token, check} or token
