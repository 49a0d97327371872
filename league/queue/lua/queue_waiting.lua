-- Reads entries of a pool: around an entry, or those from some ranks.
--
-- KEYS: the pool (zset of entry ids by rating)
-- ARGV: the current time in ms, or ''; how many entries a part has; an entry's id, or ''; then ranks, if there is none
-- Returns {the current time, the number of entries of the pool, entry ids ...}.
local pool_key = KEYS[1]
local given_now, most, around = ARGV[1], tonumber(ARGV[2]), ARGV[3]
local FIRST_RANK = 4

local ranks = {}
for i = FIRST_RANK, #ARGV do ranks[#ranks + 1] = tonumber(ARGV[i]) end
if around ~= '' then
  ranks[1] = math.max(0, (redis.call('ZRANK', pool_key, around) or 0) - math.floor(most / 2))
end
local found = {text_of(now_ms(given_now)), redis.call('ZCARD', pool_key)}
for _, rank in ipairs(ranks) do
  for _, entry in ipairs(redis.call('ZRANGE', pool_key, rank, rank + most - 1)) do found[#found + 1] = entry end
end
return found
