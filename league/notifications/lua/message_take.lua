-- Leases messages that are due: some of each webhook, beginning with the webhook that has been due longest. A webhook
-- whose last attempts failed gets a single one.
--
-- KEYS: webhooks with messages that wait, by ms (zset); failed attempts in a row by webhook (hash)
-- ARGV: the current time in ms, or ''; how many messages; how many of a webhook; the length of the lease in ms; the
--       prefix of the keys with a webhook's messages that wait, by ms (zsets)
-- Returns the ids of messages and webhooks in turn.
local webhooks_key, failures_key = unpack(KEYS)
local given_now, most, most_of_one, lease_ms, prefix = unpack(ARGV)

local now, taken = now_ms(given_now), {}
local expires = text_of(now + tonumber(lease_ms))
for _, webhook in ipairs(redis.call('ZRANGEBYSCORE', webhooks_key, '-inf', text_of(now), 'LIMIT', 0, most)) do
  local waiting_key = prefix .. webhook
  local failing = redis.call('HEXISTS', failures_key, webhook) == 1
  local left = math.min(tonumber(most) - #taken / 2, failing and 1 or tonumber(most_of_one))
  if left == 0 then break end
  for _, message in ipairs(redis.call('ZRANGEBYSCORE', waiting_key, '-inf', text_of(now), 'LIMIT', 0, left)) do
    redis.call('ZADD', waiting_key, expires, message)
    taken[#taken + 1] = message
    taken[#taken + 1] = webhook
  end
  if failing then
    redis.call('ZADD', webhooks_key, expires, webhook)
  else
    wait_for_next(waiting_key, webhooks_key, webhook, now)
  end
end
return taken
