-- The token that somebody sent, if it may be used.
--
-- KEYS 1 token  2 disabled owners and bots  3 matches of checks by bot
-- returns the token (JSON), or nil where there is none or its owner or bot is disabled; for a bot in a check the token
--         and the match of the check
local token = redis.call('HMGET', KEYS[1], 'doc', 'owner', 'bot')
if not token[1] then return false end
if redis.call('SISMEMBER', KEYS[2], token[2]) == 1 then return false end
if token[3] == '' then return token[1] end
if redis.call('SISMEMBER', KEYS[2], token[3]) == 1 then return false end
local check = redis.call('HGET', KEYS[3], token[3])
return check and {token[1], check} or token[1]
