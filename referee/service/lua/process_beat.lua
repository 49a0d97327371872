-- A process reports that it runs, and an API process that it serves bots.
--
-- KEYS 1 processes (hash): by name `beat served host`, Redis time in ms of the last heartbeat and of the last one with
--        which the process served, '-' before the first
-- ARGV 1 name  2 host  3 '1' if it serves, else '0'
-- returns {now, name, value, name, value, …}: all heartbeats
local time = redis.call('TIME')
local now = string.format('%.0f', tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000))
local served = now
if ARGV[3] ~= '1' then
  served = string.match(redis.call('HGET', KEYS[1], ARGV[1]) or '', '^%d+ (%S+)') or '-'
end
redis.call('HSET', KEYS[1], ARGV[1], now .. ' ' .. served .. ' ' .. ARGV[2])
local found = redis.call('HGETALL', KEYS[1])
table.insert(found, 1, now)
return found
