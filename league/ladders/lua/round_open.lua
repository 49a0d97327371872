-- Opens a round of a ladder: once for each due instant, and only while fewer rounds than the limit are under way.
--
-- KEYS: the ladder (JSON); its rounds (hash); rounds by due instant (hash); the new round
-- ARGV: the round's number; its due instant, or ''; the round (JSON); its number of tables; its season; the maximum
--       number of rounds under way; the reason why it fails at once, or ''; the instant of that failure; the revision of
--       the ladder's settings; then the states of the ladder in which rounds may open
-- Returns {'opened', number}, or without writing anything: {'exists', number} for a due instant that has its round,
-- {'running', number} of the last round under way, {'state', 0} if the ladder's state forbids rounds, {'again', 0} if the
-- number is not the next one, or the season or the revision not the current one.
local ladder_key, rounds_key, dues_key, round_key = unpack(KEYS)
local number, due, document, planned, season, limit, reason, failed_at, revision = unpack(ARGV, 1, 9)
local FIRST_STATE = 10

if due ~= '' then
  local known = redis.call('HGET', dues_key, due)
  if known then return {'exists', known} end
end
local running = under_way(rounds_key)
if #running >= tonumber(limit) then return {'running', running[#running]} end
local ladder = cjson.decode(redis.call('GET', ladder_key))
local allowed = false
for i = FIRST_STATE, #ARGV do allowed = allowed or ARGV[i] == ladder['state'] end
if not allowed then return {'state', 0} end
if tonumber(season) ~= (ladder['season'] or 1) then return {'again', 0} end
if tonumber(revision) ~= (ladder['revision'] or 0) then return {'again', 0} end
local last = tonumber(redis.call('HGET', rounds_key, 'last') or '0')
if tonumber(number) ~= last + 1 then return {'again', 0} end
redis.call('HSET', rounds_key, 'last', number)
if due ~= '' then redis.call('HSET', dues_key, due, number) end
redis.call('HSET', round_key, 'doc', document, 'state', 'running', 'planned', planned,
  'made', 0, 'over', 0, 'aborted', 0, 'dropped', 0, 'epoch', 0)
if reason == '' then
  begin_round(rounds_key, number)
else
  redis.call('HSET', round_key, 'state', 'failed', 'reason', reason, 'ended', failed_at)
end
return {'opened', number}
