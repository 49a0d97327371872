-- Remove a hash, unless it changed since it was read.
--
-- KEYS 1 the hash
-- ARGV its fields and values as read
-- returns 1, or 0 if it has changed or is gone; then nothing is written
local hash_key = KEYS[1]

if redis.call('HLEN', hash_key) * 2 ~= #ARGV then return 0 end
for i = 1, #ARGV, 2 do
  if redis.call('HGET', hash_key, ARGV[i]) ~= ARGV[i + 1] then return 0 end
end
redis.call('DEL', hash_key)
return 1
