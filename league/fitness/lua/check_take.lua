-- The next fault of a check for one request: each is tried once, and is noted before it is met.
--
-- KEYS 1 check  2 what was met in it
-- ARGV 1 faults that this request can meet, by spaces  2 turn  3 move, or ''  4 '1' if a turn has one such fault at most
--      5 how long what was met is kept, in seconds
-- returns the fault, or nil where none is left to try here; nothing has changed then
if ARGV[4] == '1' and redis.call('HGET', KEYS[1], 'turn') == ARGV[2] then return false end
local can, found, left = ' ' .. ARGV[1] .. ' ', nil, {}
for fault in string.gmatch(redis.call('HGET', KEYS[1], 'todo') or '', '%S+') do
  if not found and string.find(can, ' ' .. fault .. ' ', 1, true) then found = fault else left[#left + 1] = fault end
end
if not found then return false end
redis.call('HSET', KEYS[1], 'todo', table.concat(left, ' '))
if ARGV[4] == '1' then redis.call('HSET', KEYS[1], 'turn', ARGV[2]) end
redis.call('RPUSH', KEYS[2], cjson.encode({tonumber(ARGV[2]), ARGV[3], found}))
redis.call('EXPIRE', KEYS[2], ARGV[5])
return found
