-- Adds the luck of a unit to the sums of its ladder, once. The unit stops waiting. Needs luck.lua.
--
-- KEYS: waiting units (hash unit -> stamp); contributions of units (hash unit -> JSON); luck by bot (hash); the version
--       of the standings
-- ARGV: the unit; the stamp with which it waited when its luck was computed; its contribution (luck.lua), or ''
-- Returns 1, or 0 if the unit no longer waits with this stamp (added already, or changed); then nothing is written.
local waiting_key, contributions_key, luck_key, version_key = unpack(KEYS)
local unit, stamp, contribution = unpack(ARGV)

if redis.call('HGET', waiting_key, unit) ~= stamp then return 0 end
redis.call('HDEL', waiting_key, unit)
if contribution ~= '' then
  luck_added(luck_key, contribution, 1)
  redis.call('HSET', contributions_key, unit, contribution)
  redis.call('INCR', version_key)
end
return 1
