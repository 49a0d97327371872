-- Return the work of a bucket: matches with an expired deadline, and the oldest entries of its outbox.
--
-- A deadline has expired only when a heartbeat came after it. Without one the service may have been down at the
-- deadline, and then the next heartbeat credits the gap.
--
-- KEYS 1 deadlines of the bucket (zset by service time)
--      2 outbox of the bucket (list)
--      3 clock of the bucket
-- ARGV 1 settling time in ms
--      2 the most matches and the most entries to return
-- returns {now, match ids, entries, wait}; no match ids while service time stands still. `wait` is the time in ms until
--         the next deadline has passed and settled, 0 if only a heartbeat is missing, -1 if there is none
local deadlines_key, outbox_key, clock_key = KEYS[1], KEYS[2], KEYS[3]
local settle_ms, most = tonumber(ARGV[1]), tonumber(ARGV[2])

local now, runs, heartbeat = service_now(clock_key)
local matches, wait = {}, -1
if runs then
  local latest = string.format('%.0f', math.min(now - settle_ms, heartbeat))
  matches = redis.call('ZRANGEBYSCORE', deadlines_key, '-inf', latest, 'LIMIT', 0, most)
  local following = redis.call('ZRANGEBYSCORE', deadlines_key, '(' .. latest, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
  if following[2] then wait = math.max(0, tonumber(following[2]) + settle_ms - now) end
end
return {now, matches, redis.call('LRANGE', outbox_key, 0, most - 1), wait}
