-- What a bucket has to be done about: matches whose time is up, and the oldest entries of its outbox.
--
-- Time is up only when a beat was heard after it: while none comes the service may have been down at that very moment,
-- and then the next beat gives the time back.
--
-- KEYS 1 deadlines of the bucket  2 outbox of the bucket  3 clock of the bucket
-- ARGV 1 settling time in ms  2 how many of each at most
-- returns {now, ids, entries}; no ids while the service does not serve
local now, up, heard = service_now(KEYS[3])
local ids = {}
if up then
  local latest = string.format('%.0f', math.min(now - tonumber(ARGV[1]), heard))
  ids = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', latest, 'LIMIT', 0, ARGV[2])
end
return {now, ids, redis.call('LRANGE', KEYS[2], 0, tonumber(ARGV[2]) - 1)}
