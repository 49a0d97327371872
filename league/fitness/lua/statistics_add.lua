-- What a bot did, added to a day's sums; once, if it was in a match that is among the last that were added.
--
-- KEYS 1 day (hash)  2 the last matches added (list)
-- ARGV 1 match, '' for none in particular  2 how many matches are remembered  3 how long all of this is kept, in s
--      4 how many series of times a day has  5 {sums: {field: by}, times: {series: {max, counts: {bucket: by}}}} (JSON)
-- returns 1 if it was added, 0 if it had been
-- A series beyond those that a day has is counted as the one without a name.
if ARGV[1] ~= '' then
  if redis.call('LPOS', KEYS[2], ARGV[1]) then return 0 end
  redis.call('LPUSH', KEYS[2], ARGV[1])
  redis.call('LTRIM', KEYS[2], 0, tonumber(ARGV[2]) - 1)
  redis.call('EXPIRE', KEYS[2], ARGV[3])
end
local deeds = cjson.decode(ARGV[5])
for field, by in pairs(deeds.sums) do redis.call('HINCRBY', KEYS[1], field, by) end
for series, times in pairs(deeds.times) do
  local field = 'times:' .. series
  local kept = redis.call('HGET', KEYS[1], field)
  if not kept and redis.call('HINCRBY', KEYS[1], 'series', 1) > tonumber(ARGV[4]) then
    field = 'times:'
    kept = redis.call('HGET', KEYS[1], field)
  end
  local sum = kept and cjson.decode(kept) or {max = 0, counts = {}}
  if times.max > sum.max then sum.max = times.max end
  for bucket, by in pairs(times.counts) do sum.counts[bucket] = (sum.counts[bucket] or 0) + by end
  redis.call('HSET', KEYS[1], field, cjson.encode(sum))
end
redis.call('EXPIRE', KEYS[1], ARGV[3])
return 1
