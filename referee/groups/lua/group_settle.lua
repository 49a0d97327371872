-- Note how attempts at a group's tables ended, each of them once.
--
-- KEYS 1 group (hash)
-- ARGV 1 how many attempts at one table may become void before the group does
--      2 … for each attempt: table, attempt from 0, ending, instant in ms
-- returns the whole hash; the script sets `status`, `ended_by`, `over:TABLE`, `attempt:TABLE`, `left` and `ended`
local group_key = KEYS[1]
local attempts = tonumber(ARGV[1])
local FIRST_ATTEMPT = 2

local function note(slot, attempt, ending, at)
  local stored = redis.call('HMGET', group_key, 'status', 'attempt:' .. slot, 'ended')
  local status, current, ended = stored[1], tonumber(stored[2] or '0'), tonumber(stored[3] or '0')
  if status ~= 'running' or current ~= attempt then return end

  local function set_ended()
    if tonumber(at) > ended then redis.call('HSET', group_key, 'ended', at) end
  end
  local function end_group(last_status)
    redis.call('HSET', group_key, 'status', last_status, 'ended_by', slot)
    set_ended()
  end

  if ending == 'aborted' then
    end_group('aborted')
  elseif ending == 'void' then
    if attempt + 1 >= attempts then
      end_group('void')
    else
      redis.call('HSET', group_key, 'attempt:' .. slot, attempt + 1)
    end
  elseif redis.call('HSETNX', group_key, 'over:' .. slot, at) == 1 then
    if redis.call('HINCRBY', group_key, 'left', -1) == 0 then
      end_group('over')
    else
      set_ended()
    end
  end
end

for i = FIRST_ATTEMPT, #ARGV, 4 do
  local slot, attempt, ending, at = ARGV[i], tonumber(ARGV[i + 1]), ARGV[i + 2], ARGV[i + 3]
  note(slot, attempt, ending, at)
end
return redis.call('HGETALL', group_key)
