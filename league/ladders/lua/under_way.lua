-- Prepended to scripts that begin or end a round: the rounds of a ladder under way stand in the field `running` of its
-- rounds, their numbers in rising order, by spaces.
--
-- under_way(rounds) -> their numbers   begin_round(rounds, number)   end_round(rounds, number): nothing if it is not there
local function under_way(rounds)
  local found = {}
  for number in string.gmatch(redis.call('HGET', rounds, 'running') or '', '%d+') do found[#found + 1] = number end
  return found
end
local function begin_round(rounds, number)
  local found = under_way(rounds)
  found[#found + 1] = number
  redis.call('HSET', rounds, 'running', table.concat(found, ' '))
end
local function end_round(rounds, number)
  local left = {}
  for _, each in ipairs(under_way(rounds)) do
    if each ~= number then left[#left + 1] = each end
  end
  if #left == 0 then redis.call('HDEL', rounds, 'running')
  else redis.call('HSET', rounds, 'running', table.concat(left, ' ')) end
end
