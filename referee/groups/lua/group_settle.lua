-- How attempts at a group's tables ended, each noted once.
--
-- KEYS 1 group (hash)
-- ARGV 1 how often a table may become void  then for each attempt: table, attempt from 0, how it ended, when in ms
-- returns the whole hash; what came of it is in it: status, ended_by, over:TABLE, attempt:TABLE, left, ended
local group = KEYS[1]

local function note(table_, attempt, ending, at)
  local known = redis.call('HMGET', group, 'status', 'attempt:' .. table_, 'ended')
  if known[1] ~= 'running' or tonumber(known[2] or '0') ~= attempt then return end

  local function latest()
    if tonumber(at) > tonumber(known[3] or '0') then redis.call('HSET', group, 'ended', at) end
  end
  local function ends(status)
    redis.call('HSET', group, 'status', status, 'ended_by', table_)
    latest()
  end

  if ending == 'aborted' then
    ends('aborted')
  elseif ending == 'void' then
    if attempt + 1 >= tonumber(ARGV[1]) then
      ends('void')
    else
      redis.call('HSET', group, 'attempt:' .. table_, attempt + 1)
    end
  elseif redis.call('HSETNX', group, 'over:' .. table_, at) == 1 then
    if redis.call('HINCRBY', group, 'left', -1) == 0 then
      ends('over')
    else
      latest()
    end
  end
end

for i = 2, #ARGV, 4 do note(ARGV[i], tonumber(ARGV[i + 1]), ARGV[i + 2], ARGV[i + 3]) end
return redis.call('HGETALL', group)
