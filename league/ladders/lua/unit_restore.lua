-- Brings an archived unit's share of the totals back, before one of its matches is taken back. Does nothing
-- if they are here, or if a match was taken back before: then the archive's are older than those of Redis. From now on
-- they stay here, since the archiver must not remove them before the match is taken back.
--
-- KEYS: the share (hash); units with matches taken back (set)
-- ARGV: the unit; the fields and values of its share
-- Returns 1, or 0 if a match was taken back; then nothing is written.
local share_key, changed_key = unpack(KEYS)
local unit = ARGV[1]
local FIRST_FIELD = 2

if redis.call('SISMEMBER', changed_key, unit) == 1 then return 0 end
if #ARGV >= FIRST_FIELD and redis.call('EXISTS', share_key) == 0 then
  redis.call('HSET', share_key, unpack(ARGV, FIRST_FIELD))
end
redis.call('SADD', changed_key, unit)
return 1
