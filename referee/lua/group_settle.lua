-- How an attempt at one of a group's tables ended, noted once.
--
-- KEYS 1 group (hash)
-- ARGV 1 table  2 attempt, from 0  3 how it ended  4 when, in ms  5 how often a table may become void
-- returns nothing; what came of it is in the hash: status, ended_by, over:TABLE, attempt:TABLE, left, ended
local group, table_, attempt = KEYS[1], ARGV[1], tonumber(ARGV[2])
if redis.call('HGET', group, 'status') ~= 'running' then return end
if tonumber(redis.call('HGET', group, 'attempt:' .. table_) or '0') ~= attempt then return end

local function latest()
  if tonumber(ARGV[4]) > tonumber(redis.call('HGET', group, 'ended') or '0') then
    redis.call('HSET', group, 'ended', ARGV[4])
  end
end

local function ends(status)
  redis.call('HSET', group, 'status', status, 'ended_by', table_)
  latest()
end

if ARGV[3] == 'aborted' then
  ends('aborted')
elseif ARGV[3] == 'void' then
  if attempt + 1 >= tonumber(ARGV[5]) then
    ends('void')
  else
    redis.call('HSET', group, 'attempt:' .. table_, attempt + 1)
  end
elseif redis.call('HSETNX', group, 'over:' .. table_, ARGV[4]) == 1 then
  if redis.call('HINCRBY', group, 'left', -1) == 0 then
    ends('over')
  else
    latest()
  end
end
