-- Adds a message to the outbox and to the log of its webhook, unless it was added before.
--
-- KEYS: the message (hash); the webhook's messages that wait, by ms (zset); webhooks with such messages, by ms (zset);
--       failed attempts in a row by webhook (hash); the webhook's log, by ms (zset)
-- ARGV: the current time in ms, or ''; the message's id; the message (JSON); the webhook's id; how long the message is
--       kept, in ms; how many messages the log keeps; how many messages of a webhook may wait; what is logged if too
--       many do (JSON); '1' to send the message before all others, and although the webhook may pause
-- Returns 1; 0 if it was added before, and nothing has changed. If too many wait, the message is dead.
local message_key, waiting_key, webhooks_key, failures_key, log_key = unpack(KEYS)
local given_now, message, doc, webhook, kept_ms, most, most_waiting, too_many, first = unpack(ARGV)

if redis.call('EXISTS', message_key) == 1 then return 0 end
local is_dead = first ~= '1' and redis.call('ZCARD', waiting_key) >= tonumber(most_waiting)
local now = now_ms(given_now)
redis.call('HSET', message_key, 'doc', doc, 'created', text_of(now))
redis.call('HSET', message_key, 'state', is_dead and 'dead' or 'waiting', 'attempts', is_dead and too_many or '')
redis.call('PEXPIRE', message_key, kept_ms)
redis.call('ZADD', log_key, text_of(now), message)
redis.call('ZREMRANGEBYRANK', log_key, 0, -1 - most)
redis.call('PEXPIRE', log_key, kept_ms)
if is_dead then return 1 end
if first == '1' then
  send_first(waiting_key, webhooks_key, webhook, message, now)
else
  redis.call('ZADD', waiting_key, text_of(now), message)
  local due = redis.call('ZSCORE', webhooks_key, webhook)
  if not due or (tonumber(due) > now and redis.call('HEXISTS', failures_key, webhook) == 0) then
    redis.call('ZADD', webhooks_key, text_of(now), webhook)
  end
end
return 1
