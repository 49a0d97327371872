-- Replaces a table by its successor, if nobody else has changed it.
--
-- KEYS: the table (text)
-- ARGV: the table as it was read (JSON); its successor (JSON), '' to delete it; for how many ms it is kept, '' for as
--       long as before
-- Returns 1; 0 without effect if the table has changed or is gone.
local table_key = KEYS[1]
local old, new, kept_ms = unpack(ARGV)

if redis.call('GET', table_key) ~= old then return 0 end
if new == '' then
  redis.call('DEL', table_key)
elseif kept_ms == '' then
  redis.call('SET', table_key, new, 'KEEPTTL')
else
  redis.call('SET', table_key, new, 'PX', kept_ms)
end
return 1
