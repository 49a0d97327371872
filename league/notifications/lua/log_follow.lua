-- Keeps the event log of an account from now on.
--
-- KEYS: the number of the last event; the log (list of JSON); ids of events (zset by number); the mark of a followed
--       account
-- ARGV: how long the log is kept, in ms
-- Returns the number of the last event.
local last_key, log_key, ids_key, followed_key = unpack(KEYS)
local kept_ms = ARGV[1]

if redis.call('EXISTS', followed_key) == 0 then
  -- Events may have happened since the log was last kept. A number without an event makes that gap visible.
  redis.call('INCR', last_key)
  redis.call('DEL', log_key, ids_key)
end
redis.call('SET', followed_key, '1', 'PX', kept_ms)
redis.call('PEXPIRE', log_key, kept_ms)
redis.call('PEXPIRE', ids_key, kept_ms)
return tonumber(redis.call('GET', last_key))
