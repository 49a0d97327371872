-- Brings an archived round back, unless it is here.
--
-- KEYS: the round; the bitmap of its handled tables; its reruns; its matches taken back
-- ARGV: the bitmap; how many arguments the round's fields and values are, and these; the same of its reruns; then its
--       matches taken back
-- Returns 1, or 0 if the round is here; then nothing is written.
local round_key, made_key, reruns_key, taken_back_key = unpack(KEYS)
local bitmap = ARGV[1]

if redis.call('EXISTS', round_key) == 1 then return 0 end
local at = 2
for _, key in ipairs({round_key, reruns_key}) do
  local last = at + tonumber(ARGV[at])
  for i = at + 1, last, 2 do redis.call('HSET', key, ARGV[i], ARGV[i + 1]) end
  at = last + 1
end
if bitmap ~= '' then redis.call('SET', made_key, bitmap) end
for i = at, #ARGV do redis.call('SADD', taken_back_key, ARGV[i]) end
return 1
