-- Logs an attempt to deliver a message, and decides when it is due again.
--
-- KEYS: the message (hash); messages that wait, by ms (zset)
-- ARGV: the current time in ms, or ''; the message's id; the new state; the wait until the next attempt in ms; the
--       attempt (JSON)
-- Returns 1; 0 if the message is gone.
local message_key, due_key = unpack(KEYS)
local given_now, message, state, wait_ms, attempt = unpack(ARGV)

if redis.call('EXISTS', message_key) == 0 then
  redis.call('ZREM', due_key, message)
  return 0
end
redis.call('HSET', message_key, 'state', state)
if attempt ~= '' then
  local attempts = redis.call('HGET', message_key, 'attempts')
  redis.call('HSET', message_key, 'attempts', attempts == '' and attempt or attempts .. ',' .. attempt)
end
if state == 'waiting' then
  redis.call('ZADD', due_key, text_of(now_ms(given_now) + tonumber(wait_ms)), message)
else
  redis.call('ZREM', due_key, message)
end
return 1
