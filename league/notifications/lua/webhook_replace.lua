-- Stores a webhook in place of what was read, unless it was changed or removed since.
--
-- KEYS: the owner's webhooks (hash)
-- ARGV: the webhook's id; what was read (JSON); the webhook (JSON)
-- Returns 1; 0 if it was changed or removed, and nothing has changed.
local webhooks_key = KEYS[1]
local webhook, before, doc = unpack(ARGV)

if redis.call('HGET', webhooks_key, webhook) ~= before then return 0 end
redis.call('HSET', webhooks_key, webhook, doc)
return 1
