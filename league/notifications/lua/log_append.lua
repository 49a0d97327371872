-- Appends an event to the log of an account, unless the account is not followed or the log has the event.
--
-- KEYS: the number of the last event; the log (list of JSON); ids of events (zset by number); the mark of a followed
--       account
-- ARGV: the event's id; the event (JSON); how many events the log keeps; how many ids; how long it is kept, in ms;
--       the message to the waiters
-- Returns the event's number; 0 if nothing has changed.
local last_key, log_key, ids_key, followed_key = unpack(KEYS)
local event, doc, most, most_ids, kept_ms, message = unpack(ARGV)

if redis.call('EXISTS', followed_key) == 0 or redis.call('ZSCORE', ids_key, event) then return 0 end
local number = redis.call('INCR', last_key)
redis.call('RPUSH', log_key, doc)
redis.call('LTRIM', log_key, -most, -1)
redis.call('ZADD', ids_key, number, event)
redis.call('ZREMRANGEBYRANK', ids_key, 0, -1 - most_ids)
redis.call('PEXPIRE', log_key, kept_ms)
redis.call('PEXPIRE', ids_key, kept_ms)
redis.call('PUBLISH', 'kozyr:wake', message)
return number
