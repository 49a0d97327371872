-- Adds figures to a bot's statistics of a day. Figures of a match are added once while the match is remembered.
--
-- KEYS: the day (hash); the last matches added (list)
-- ARGV: the match id, or ''; how many matches to remember; how long to keep the statistics, in s; the maximum number of
--       series of times in a day; the figures (JSON {sums: {field: by}, times: {series: {max, counts: {bucket: by}}}})
-- Returns 1, or 0 if the match was added before; then nothing is written.
-- A series beyond the maximum is added to the series without a name.
local day_key, matches_key = unpack(KEYS)
local match, remembered, kept_s = ARGV[1], tonumber(ARGV[2]), ARGV[3]
local most_series, figures = tonumber(ARGV[4]), cjson.decode(ARGV[5])

if match ~= '' then
  if redis.call('LPOS', matches_key, match) then return 0 end
  redis.call('LPUSH', matches_key, match)
  redis.call('LTRIM', matches_key, 0, remembered - 1)
  redis.call('EXPIRE', matches_key, kept_s)
end
for field, by in pairs(figures.sums) do redis.call('HINCRBY', day_key, field, by) end
for series, times in pairs(figures.times) do
  local field = 'times:' .. series
  local stored = redis.call('HGET', day_key, field)
  if not stored and redis.call('HINCRBY', day_key, 'series', 1) > most_series then
    field = 'times:'
    stored = redis.call('HGET', day_key, field)
  end
  local sum = stored and cjson.decode(stored) or {max = 0, counts = {}}
  if times.max > sum.max then sum.max = times.max end
  for bucket, by in pairs(times.counts) do sum.counts[bucket] = (sum.counts[bucket] or 0) + by end
  redis.call('HSET', day_key, field, cjson.encode(sum))
end
redis.call('EXPIRE', day_key, kept_s)
return 1
