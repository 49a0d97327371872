-- Removes an archived unit's luck, unless it changed since it was read.
--
-- KEYS: contributions of units (hash unit -> JSON); units with matches taken back (set)
-- ARGV: the unit; its contribution as read
-- Returns 1, or 0 if it has changed or is gone, or a match was taken back; then nothing is written.
local contributions_key, changed_key = unpack(KEYS)
local unit, contribution = unpack(ARGV)

if redis.call('SISMEMBER', changed_key, unit) == 1 then return 0 end
if redis.call('HGET', contributions_key, unit) ~= contribution then return 0 end
return redis.call('HDEL', contributions_key, unit)
