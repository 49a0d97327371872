-- The token that somebody sent, if it may be used.
--
-- KEYS 1 token  2 disabled owners and bots
-- returns the token (JSON), or nil where there is none or its owner or bot is disabled
local token = redis.call('HMGET', KEYS[1], 'doc', 'owner', 'bot')
if not token[1] then return false end
if redis.call('SISMEMBER', KEYS[2], token[2]) == 1 then return false end
if token[3] ~= '' and redis.call('SISMEMBER', KEYS[2], token[3]) == 1 then return false end
return token[1]
