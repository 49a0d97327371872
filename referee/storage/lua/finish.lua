-- Move a match from a bot's active matches to its finished ones. It gets the next number there, once. Needs
-- reservations.lua.
--
-- KEYS 1 active matches of the bot (set)
--      2 finished matches of the bot (zset by number)
--      3 number of the bot's last finished match (counter)
--      4 version of the bot's match lists (counter)
--      5 reserved slots of the bot (zset)
--      6 how many matches the bot has played at a time lately, times DECAY (number)
-- ARGV 1 match id
--      2 how many finished matches to keep for a bot that plays none at the same time
--      3 the most that are kept
--      4 how long to keep them and the counters from now on, in ms, '' for ever
--
-- Each end that a bot has not seen is of a match that was active when the bot last asked. So the list grows with the
-- number of matches that the bot plays at a time, and shrinks by a match every DECAY matches.
-- returns 1 if the match was new among the finished ones, else 0
local active_key, finished_key, number_key, version_key, reserved_key, peak_key = unpack(KEYS)
local match, least, most, kept_ms = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local DECAY = 16

redis.call('SREM', active_key, match)
drop_reservations(reserved_key, match)
if redis.call('ZSCORE', finished_key, match) then return 0 end
local number = redis.call('INCR', number_key)
local playing = redis.call('SCARD', active_key) + 1
local peak = math.max((tonumber(redis.call('GET', peak_key)) or 0) - 1, playing * DECAY)
redis.call('SET', peak_key, peak)
local kept = math.min(most, least + math.ceil(peak / DECAY))
-- Before the addition: a list that once had more than 128 members keeps the larger encoding.
redis.call('ZREMRANGEBYRANK', finished_key, 0, -kept)
redis.call('ZADD', finished_key, number, match)
redis.call('INCR', version_key)
if kept_ms ~= '' then
  for _, key in ipairs({finished_key, number_key, version_key, peak_key}) do redis.call('PEXPIRE', key, kept_ms) end
end
return 1
