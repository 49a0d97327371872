-- Removes a field of a hash, unless it changed since it was read.
--
-- KEYS: the hash
-- ARGV: the field; its value as read
-- Returns 1, or 0 if it has changed or is gone; then nothing is written.
local hash_key = KEYS[1]
local field, value = unpack(ARGV)

if redis.call('HGET', hash_key, field) ~= value then return 0 end
return redis.call('HDEL', hash_key, field)
