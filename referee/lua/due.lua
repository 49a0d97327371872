-- What a bucket has to be done about: matches whose time is up, and the oldest entries of its outbox.
--
-- KEYS 1 deadlines of the bucket  2 outbox of the bucket  3 clock of the bucket
-- ARGV 1 settling time in ms  2 how many of each at most
-- returns {now, ids, entries}; no ids while the service does not serve
local now, up = service_now(KEYS[3])
local ids = {}
if up then
  ids = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - tonumber(ARGV[1])),
    'LIMIT', 0, ARGV[2])
end
return {now, ids, redis.call('LRANGE', KEYS[2], 0, tonumber(ARGV[2]) - 1)}
