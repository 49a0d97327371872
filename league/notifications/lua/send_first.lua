-- Makes a message the first of its webhook, and the webhook due now (ms).
local function send_first(waiting_key, webhooks_key, webhook, message, now)
  redis.call('ZADD', waiting_key, 0, message)
  redis.call('ZADD', webhooks_key, text_of(now), webhook)
end
