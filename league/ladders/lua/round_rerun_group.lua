-- Lets a round make the tables of a duplicate group again, of which nothing counts. A round that is done is under way
-- again. Needs under_way.lua.
--
-- KEYS: the round; the rounds of the ladder (hash); the bitmap of handled tables
-- ARGV: the number of the group; how often it was played again before; then its tables
-- Returns 1, or 0 if the round has failed; then nothing is written. Nothing is written either if the group was played
-- again more often.
local round_key, rounds_key, handled_key = unpack(KEYS)
local group, before = ARGV[1], tonumber(ARGV[2])
local FIRST_TABLE = 3

local state, stored = unpack(redis.call('HMGET', round_key, 'state', 'groups'))
if state == 'failed' then return 0 end
local times = stored and cjson.decode(stored) or {}
if (times[group] or 0) ~= before then return 1 end
times[group] = before + 1
redis.call('HSET', round_key, 'groups', cjson.encode(times))
for i = FIRST_TABLE, #ARGV do redis.call('SETBIT', handled_key, ARGV[i], 0) end
local tables = #ARGV - FIRST_TABLE + 1
for _, field in ipairs({'made', 'over', 'aborted'}) do redis.call('HINCRBY', round_key, field, -tables) end
if state == 'done' then
  redis.call('HSET', round_key, 'state', 'running')
  redis.call('HDEL', round_key, 'ended')
  begin_round(rounds_key, string.match(round_key, '(%d+)$'))
end
return 1
