-- Replaces a log by a copy, to which it adds the entries that came after the copy began.
--
-- KEYS: the log (stream); the copy (stream)
-- ARGV: the id of the last entry that was copied
local log_key, copy_key = unpack(KEYS)

for _, entry in ipairs(redis.call('XRANGE', log_key, '(' .. ARGV[1], '+')) do
  redis.call('XADD', copy_key, entry[1], unpack(entry[2]))
end
redis.call('RENAME', copy_key, log_key)
return 1
