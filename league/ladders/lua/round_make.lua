-- A worker deals with tables of a round, each once: their matches are open from now on, or they are dropped.
--
-- KEYS 1 round  2 open matches of the round  3 rounds of the ladder  4 bits of the tables dealt with
-- ARGV 1 worker  2 length of the lease in ms  3 now in ms or ''  then table, match id ('' drops the table), …
-- returns {1, {}} if the lease is lost; nothing has changed then
--         {0, tables that had not been dealt with}
local now = now_ms(ARGV[3])
local lease = redis.call('HMGET', KEYS[1], 'worker', 'until', 'planned', 'state')
if lease[4] ~= 'running' or lease[1] ~= ARGV[1] or tonumber(lease[2]) <= now then return {1, {}} end
redis.call('HSET', KEYS[1], 'until', text_of(now + tonumber(ARGV[2])))
local fresh, opened = {}, {}
local dropped = 0

local function open()
  if #opened == 0 then return end
  redis.call('HSET', KEYS[2], unpack(opened))
  opened = {}
end

for i = 4, #ARGV, 2 do
  if redis.call('SETBIT', KEYS[4], ARGV[i], 1) == 0 then
    fresh[#fresh + 1] = ARGV[i]
    if ARGV[i + 1] == '' then
      dropped = dropped + 1
    else
      opened[#opened + 1] = ARGV[i + 1]
      opened[#opened + 1] = ARGV[i]
      if #opened == 1000 then open() end
    end
  end
end
open()
redis.call('HINCRBY', KEYS[1], 'made', #fresh)
if dropped > 0 then
  redis.call('HINCRBY', KEYS[1], 'dropped', dropped)
  if redis.call('HINCRBY', KEYS[1], 'over', dropped) == tonumber(lease[3]) then
    redis.call('HSET', KEYS[1], 'state', 'done', 'ended', text_of(now))
    end_round(KEYS[3], string.match(KEYS[1], '(%d+)$'))
  end
end
return {0, fresh}
