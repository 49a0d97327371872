-- A new round of a ladder, each due instant's once, and no more at a time than there may be.
--
-- KEYS 1 ladder (JSON)  2 rounds of the ladder  3 rounds by due instant  4 the new round
-- ARGV 1 its number  2 due instant or ''  3 round (JSON)  4 how many tables it has  5 its season
--      6 how many may be under way  7 why it can't be planned and fails at once, else ''  8 when
--      9 … states that allow it
-- returns {'opened', number}, {'exists', number} for this due instant, {'running', number} of the last under way,
--         {'state', 0} if the ladder's state forbids it, {'again', 0} if the number is not the next or the season not
--         the present one;
--         nothing has changed but for 'opened'
if ARGV[2] ~= '' then
  local known = redis.call('HGET', KEYS[3], ARGV[2])
  if known then return {'exists', known} end
end
local running = under_way(KEYS[2])
if #running >= tonumber(ARGV[6]) then return {'running', running[#running]} end
local ladder = cjson.decode(redis.call('GET', KEYS[1]))
local allowed = false
for i = 9, #ARGV do allowed = allowed or ARGV[i] == ladder['state'] end
if not allowed then return {'state', 0} end
if tonumber(ARGV[5]) ~= (ladder['season'] or 1) then return {'again', 0} end
local last = tonumber(redis.call('HGET', KEYS[2], 'last') or '0')
if tonumber(ARGV[1]) ~= last + 1 then return {'again', 0} end
redis.call('HSET', KEYS[2], 'last', ARGV[1])
if ARGV[2] ~= '' then redis.call('HSET', KEYS[3], ARGV[2], ARGV[1]) end
redis.call('HSET', KEYS[4], 'doc', ARGV[3], 'state', 'running', 'planned', ARGV[4],
  'made', 0, 'over', 0, 'aborted', 0, 'dropped', 0, 'epoch', 0)
if ARGV[7] == '' then
  begin_round(KEYS[2], ARGV[1])
else
  redis.call('HSET', KEYS[4], 'state', 'failed', 'reason', ARGV[7], 'ended', ARGV[8])
end
return {'opened', ARGV[1]}
