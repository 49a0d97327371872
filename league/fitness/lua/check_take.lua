-- Takes the next fault of a conformance check that a request can be given. Each fault is taken once and logged first.
--
-- KEYS: the check (hash); its log of faults (list of JSON)
-- ARGV: faults that suit the request, separated by spaces; the turn; the move, or ''; '1' if a turn gets at most one such
--       fault; how long to keep the log, in seconds
-- Returns the fault, or nil if none is left for this request; then nothing is written.
local check_key, log_key = unpack(KEYS)
local suitable, turn, move, once_per_turn, kept_s = unpack(ARGV)

if once_per_turn == '1' and redis.call('HGET', check_key, 'turn') == turn then return false end
local candidates, taken, left = ' ' .. suitable .. ' ', nil, {}
for fault in string.gmatch(redis.call('HGET', check_key, 'todo') or '', '%S+') do
  if not taken and string.find(candidates, ' ' .. fault .. ' ', 1, true) then
    taken = fault
  else
    left[#left + 1] = fault
  end
end
if not taken then return false end
redis.call('HSET', check_key, 'todo', table.concat(left, ' '))
if once_per_turn == '1' then redis.call('HSET', check_key, 'turn', turn) end
redis.call('RPUSH', log_key, cjson.encode({tonumber(turn), move, taken}))
redis.call('EXPIRE', log_key, kept_s)
return taken
