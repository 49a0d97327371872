-- Makes the archived groups after a place wait for their ratings, and the groups after the archive too, unless the log
-- changed since it was read.
--
-- KEYS: the head of the log; ratings after the archived groups (hash bot -> JSON)
-- ARGV: the version as read; the mark of the rating model; the place; then bots with their ratings there (JSON)
-- Returns 1, or 0 if the log changed; then nothing is written.
local head_key, base_key = unpack(KEYS)
local version, mark, place = unpack(ARGV, 1, 3)
local FIRST_BOT = 4

if (redis.call('HGET', head_key, 'version') or '0') ~= version then return 0 end
redis.call('DEL', base_key)
for i = FIRST_BOT, #ARGV, 2 do redis.call('HSET', base_key, ARGV[i], ARGV[i + 1]) end
redis.call('HSET', head_key, 'floor', place, 'rated', 0, 'mark', mark)
redis.call('HINCRBY', head_key, 'version', 1)
return 1
