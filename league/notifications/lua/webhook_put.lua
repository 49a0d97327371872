-- Stores a webhook of an owner, unless the owner would have too many.
--
-- KEYS: the owner's webhooks (hash); owners who have or had a webhook (set)
-- ARGV: the webhook's id; the webhook (JSON); how many an owner may have; the owner's name
-- Returns 1; 0 if the owner has too many, and nothing has changed.
local webhooks_key, owners_key = unpack(KEYS)
local webhook, doc, most, owner = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]

if redis.call('HEXISTS', webhooks_key, webhook) == 0 and redis.call('HLEN', webhooks_key) >= most then return 0 end
redis.call('HSET', webhooks_key, webhook, doc)
redis.call('SADD', owners_key, owner)
return 1
