-- Ends all messages of a webhook that wait, without an attempt, unless the webhook is enabled. Its pause ends too, since
-- nothing was sent.
--
-- KEYS: the owner's webhooks (hash); the webhook's messages that wait, by ms (zset); webhooks with such messages, by ms
--       (zset); failed attempts in a row by webhook (hash)
-- ARGV: the webhook's id; what is logged for each message (JSON); the prefix of the keys of messages (hashes)
-- Returns 1; 0 if the webhook is enabled, and nothing has changed.
local owned_key, waiting_key, webhooks_key, failures_key = unpack(KEYS)
local webhook, why, prefix = unpack(ARGV)

local doc = redis.call('HGET', owned_key, webhook)
if doc and cjson.decode(doc)['enabled'] then return 0 end
for _, message in ipairs(redis.call('ZRANGE', waiting_key, 0, -1)) do
  local message_key = prefix .. message
  local attempts = redis.call('HGET', message_key, 'attempts')
  if attempts then  -- it has not expired
    redis.call('HSET', message_key, 'state', 'dead', 'attempts', attempts == '' and why or attempts .. ',' .. why)
  end
end
redis.call('DEL', waiting_key)
redis.call('ZREM', webhooks_key, webhook)
redis.call('HDEL', failures_key, webhook)
return 1
