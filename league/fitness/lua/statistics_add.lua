-- Adds figures to a bot's statistics of a day. Figures of a match are added once while the match is remembered.
--
-- KEYS: the day (hash); the last matches added (list); the bot's totals (hash); its facts of the match (hash)
-- ARGV: the match id, or ''; how many matches to remember; how long to keep the statistics, in s; the maximum number of
--       series of times in a day; the figures (JSON {sums: {field: by}, times: {series: {max, counts: {bucket: by}}}},
--       totals, if any: {preset, counts: {name: by}, silent})
-- Returns 1, or 0 if the match was added before; then nothing is written.
-- A series beyond the maximum is added to the series without a name.
local day_key, matches_key, totals_key, facts_key = unpack(KEYS)
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

local totals = figures.totals
if totals then
  local YEAR_S = 366 * 86400
  local function total(name, by)
    if by ~= 0 then redis.call('HINCRBY', totals_key, name .. ' ' .. totals.preset, by) end
  end
  for name, by in pairs(totals.counts) do total(name, by) end
  local late, refused = 0, 0
  local facts = redis.call('HGETALL', facts_key)
  if #facts > 0 then redis.call('HSET', facts_key, 'preset', totals.preset) end
  for place = 1, #facts, 2 do
    local name, value = facts[place], facts[place + 1]
    if name == 'refused:stale_turn' or name == 'refused:not_your_turn' then late = late + value
    elseif name:sub(1, 8) == 'refused:' then refused = refused + value
    elseif name == 'told' then total('told', value); total('told_deals', totals.counts.deals or 0)
    elseif name == 'mended' or name == 'input_tokens' or name == 'output_tokens' or name == 'cost_micro_usd' then
      total(name, value)
    end
  end
  total('late', late)
  total('refused', refused)
  if totals.silent then total(late > 0 and 'too_slow' or 'disconnected', 1) end
  redis.call('EXPIRE', totals_key, YEAR_S)
end
return 1
