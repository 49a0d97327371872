-- Adds a message to the outbox and to the log of its webhook, unless it was added before.
--
-- KEYS: the message (hash); messages that wait, by ms (zset); the webhook's log, by ms (zset)
-- ARGV: the current time in ms, or ''; the message's id; the message (JSON); how long it is kept, in ms; how many
--       messages the log keeps
-- Returns 1; 0 if it was added before, and nothing has changed.
local message_key, due_key, log_key = unpack(KEYS)
local given_now, message, doc, kept_ms, most = unpack(ARGV)

if redis.call('EXISTS', message_key) == 1 then return 0 end
local now = text_of(now_ms(given_now))
redis.call('HSET', message_key, 'doc', doc, 'created', now, 'state', 'waiting', 'attempts', '')
redis.call('PEXPIRE', message_key, kept_ms)
redis.call('ZADD', due_key, now, message)
redis.call('ZADD', log_key, now, message)
redis.call('ZREMRANGEBYRANK', log_key, 0, -1 - most)
redis.call('PEXPIRE', log_key, kept_ms)
return 1
