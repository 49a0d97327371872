-- Reads a token that may be used.
--
-- KEYS: the token (hash); disabled owners and bots (set); matches of running checks (hash bot -> match)
-- Also reads the parent token that the token names. All tokens share a hash tag.
-- Returns nil if the token or its parent does not exist, or its owner or bot is disabled; else the token (JSON), and with
-- a running check of its bot or a parent {token, match of the check or '', parent (JSON) or ''}.
local token_key, disabled_key, checks_key = unpack(KEYS)

local token, owner, bot, parent = unpack(redis.call('HMGET', token_key, 'doc', 'owner', 'bot', 'parent'))
if not token then return false end
if redis.call('SISMEMBER', disabled_key, owner) == 1 then return false end
if parent and parent ~= '' then
  local origin = redis.call('HGET', parent, 'doc')
  return origin and {token, '', origin}
end
if bot == '' then return token end
if redis.call('SISMEMBER', disabled_key, bot) == 1 then return false end
local check = redis.call('HGET', checks_key, bot)
return check and {token, check, ''} or token
