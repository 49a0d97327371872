-- Logs an attempt to deliver a message, and decides when it is due again. After a failure its webhook pauses.
-- A message that was ended meanwhile, with its webhook or by another worker, waits no more; only a delivery changes it.
--
-- KEYS: the message (hash); the webhook's messages that wait, by ms (zset); webhooks with such messages, by ms (zset);
--       failed attempts in a row by webhook (hash)
-- ARGV: the current time in ms, or ''; the message's id; the webhook's id; the new state; the wait until the next
--       attempt in ms; the attempt (JSON); the pause after the first failure in ms; the longest pause in ms
-- Returns 1; 0 if the message is gone.
local message_key, waiting_key, webhooks_key, failures_key = unpack(KEYS)
local given_now, message, webhook, state, wait_ms, attempt, pause_ms, most_ms = unpack(ARGV)

local now, is_there = now_ms(given_now), redis.call('EXISTS', message_key)
local waits = redis.call('ZSCORE', waiting_key, message)
if is_there == 1 then
  local attempts = redis.call('HGET', message_key, 'attempts')
  attempts = attempts == '' and attempt or attempts .. ',' .. attempt
  redis.call('HSET', message_key, 'attempts', attempts)
  if waits or state == 'delivered' then redis.call('HSET', message_key, 'state', state) end
end
if is_there == 1 and waits and state == 'waiting' then
  redis.call('ZADD', waiting_key, text_of(now + tonumber(wait_ms)), message)
else
  redis.call('ZREM', waiting_key, message)
end
local earliest = now
if state == 'delivered' or redis.call('EXISTS', waiting_key) == 0 then
  redis.call('HDEL', failures_key, webhook)
else
  local failures = redis.call('HINCRBY', failures_key, webhook, 1)
  earliest = now + math.min(tonumber(most_ms), tonumber(pause_ms) * 2 ^ math.min(failures - 1, 30))
end
wait_for_next(waiting_key, webhooks_key, webhook, earliest)
return is_there
