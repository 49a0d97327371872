-- Begins a conformance check of a bot, unless another check began since the last one was read.
--
-- KEYS: matches of running checks (hash bot -> match); the new check (hash)
-- ARGV: the bot id; the match of its last check as read, or ''; the match of the new check; the check (JSON); its faults,
--       separated by spaces; how long to keep the check, in seconds
-- Returns 1, or 0 if another check began; then nothing is written.
local checks_key, check_key = unpack(KEYS)
local bot, last_match, match, check, faults, kept_s = unpack(ARGV)

if (redis.call('HGET', checks_key, bot) or '') ~= last_match then return 0 end
redis.call('HSET', checks_key, bot, match)
redis.call('HSET', check_key, 'doc', check, 'todo', faults)
redis.call('EXPIRE', check_key, kept_s)
return 1
