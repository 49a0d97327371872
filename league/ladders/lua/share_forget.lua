-- Removes an archived unit's share of the totals, unless it changed since it was read.
--
-- KEYS: the share (hash); units with matches taken back (set)
-- ARGV: the unit; the fields and values of its share as read
-- Returns 1, or 0 if it has changed or is gone, or a match was taken back; then nothing is written.
local share_key, changed_key = unpack(KEYS)
local unit, FIRST_FIELD = ARGV[1], 2

if redis.call('SISMEMBER', changed_key, unit) == 1 then return 0 end
if redis.call('HLEN', share_key) * 2 ~= #ARGV - 1 then return 0 end
for i = FIRST_FIELD, #ARGV, 2 do
  if redis.call('HGET', share_key, ARGV[i]) ~= ARGV[i + 1] then return 0 end
end
redis.call('DEL', share_key)
return 1
