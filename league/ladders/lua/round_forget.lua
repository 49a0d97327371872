-- Removes an archived round, unless it changed since it was read.
--
-- KEYS: the round; the bitmap of its handled tables; its reruns; its matches taken back; the ladder's rounds by due instant
-- ARGV: the round's due instant, or ''; then its fields and values as read
-- Returns 1, or 0 if it changed; then nothing is written.
local round_key, made_key, reruns_key, taken_back_key, dues_key = unpack(KEYS)
local due, FIRST_FIELD = ARGV[1], 2

if redis.call('HLEN', round_key) * 2 ~= #ARGV - 1 then return 0 end
for i = FIRST_FIELD, #ARGV, 2 do
  if redis.call('HGET', round_key, ARGV[i]) ~= ARGV[i + 1] then return 0 end
end
redis.call('DEL', round_key, made_key, reruns_key, taken_back_key)
if due ~= '' then redis.call('HDEL', dues_key, due) end
return 1
