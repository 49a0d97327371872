-- Sends a message of a webhook's log again, before all others and although the webhook may pause.
--
-- KEYS: the message (hash); the webhook's messages that wait, by ms (zset); webhooks with such messages, by ms (zset);
--       the webhook's log, by ms (zset)
-- ARGV: the current time in ms, or ''; the message's id; the webhook's id
-- Returns 1; 0 if the log does not have the message or it has expired, and nothing has changed.
local message_key, waiting_key, webhooks_key, log_key = unpack(KEYS)
local given_now, message, webhook = unpack(ARGV)

if redis.call('EXISTS', message_key) == 0 or not redis.call('ZSCORE', log_key, message) then return 0 end
redis.call('HSET', message_key, 'state', 'waiting')
send_first(waiting_key, webhooks_key, webhook, message, now_ms(given_now))
return 1
