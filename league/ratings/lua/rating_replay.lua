-- Notes the ratings after archived groups that were rated again, unless the log changed since it was read.
--
-- KEYS: the head of the log; ratings after the archived groups (hash bot -> JSON)
-- ARGV: the version as read; the place of the last of these groups; then bots with their ratings after it (JSON)
-- Returns 1, or 0 if the log changed; then nothing is written.
local head_key, base_key = unpack(KEYS)
local version, place = unpack(ARGV, 1, 2)
local FIRST_BOT = 3

if redis.call('HGET', head_key, 'version') ~= version then return 0 end
for i = FIRST_BOT, #ARGV, 2 do redis.call('HSET', base_key, ARGV[i], ARGV[i + 1]) end
redis.call('HSET', head_key, 'floor', place)
redis.call('HINCRBY', head_key, 'version', 1)
return 1
