-- Note the heartbeat of a process, and for an API process whether it serves bots.
--
-- KEYS 1 processes (hash): by name `beat served host`. `beat` is the Redis time in ms of the last heartbeat, `served`
--        that of the last one with which the process served, '-' before the first
-- ARGV 1 name
--      2 host
--      3 '1' if the process serves, else '0'
-- returns {now, name, value, name, value, …}: all heartbeats
local processes_key = KEYS[1]
local name, host, serves = ARGV[1], ARGV[2], ARGV[3] == '1'

local time = redis.call('TIME')
local now = string.format('%.0f', tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000))
local served = now
if not serves then
  served = string.match(redis.call('HGET', processes_key, name) or '', '^%d+ (%S+)') or '-'
end
redis.call('HSET', processes_key, name, now .. ' ' .. served .. ' ' .. host)
local heartbeats = redis.call('HGETALL', processes_key)
table.insert(heartbeats, 1, now)
return heartbeats
