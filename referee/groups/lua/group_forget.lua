-- Remove an archived group, unless it changed since it was read, and end all attempts to add it.
--
-- KEYS 1 group (hash)
--      2 attempts to add it (set)
-- ARGV the group's fields and values as read
-- returns 1, or 0 if it has changed or is gone; then nothing is written
local group_key, attempts_key = KEYS[1], KEYS[2]

if redis.call('HLEN', group_key) * 2 ~= #ARGV then return 0 end
for i = 1, #ARGV, 2 do
  if redis.call('HGET', group_key, ARGV[i]) ~= ARGV[i + 1] then return 0 end
end
redis.call('DEL', group_key, attempts_key)
return 1
