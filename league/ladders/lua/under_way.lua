-- Functions for scripts that begin or end rounds. The field `running` of a ladder's rounds holds the numbers of the
-- rounds under way, in rising order, separated by spaces.
--
-- under_way(rounds_key) -> their numbers
-- begin_round(rounds_key, number): also for a round that ended and runs again
-- end_round(rounds_key, number): no effect if the round is not under way
local function under_way(rounds_key)
  local numbers = {}
  for number in string.gmatch(redis.call('HGET', rounds_key, 'running') or '', '%d+') do
    numbers[#numbers + 1] = number
  end
  return numbers
end
local function begin_round(rounds_key, number)
  local numbers = under_way(rounds_key)
  numbers[#numbers + 1] = number
  table.sort(numbers, function(one, other) return tonumber(one) < tonumber(other) end)
  redis.call('HSET', rounds_key, 'running', table.concat(numbers, ' '))
end
local function end_round(rounds_key, number)
  local left = {}
  for _, each in ipairs(under_way(rounds_key)) do
    if each ~= number then left[#left + 1] = each end
  end
  if #left == 0 then redis.call('HDEL', rounds_key, 'running')
  else redis.call('HSET', rounds_key, 'running', table.concat(left, ' ')) end
end
