-- Handles tables of a round, each once: opens their matches, or drops them. Renews the lease of the worker, which has the
-- round's or a helper's.
--
-- KEYS: the round; its open matches (hash match -> table); the rounds of the ladder (hash); the bitmap of handled tables
-- ARGV: the worker; the length of the lease in ms; the current time in ms, or ''; then for each table its number and its
--       match id, or '' to drop the table
-- Returns {0, the tables that were not handled before}, or {1, {}} if the lease is lost; then nothing is written.
local round_key, open_key, rounds_key, handled_key = unpack(KEYS)
local worker, lease_ms, now = ARGV[1], tonumber(ARGV[2]), now_ms(ARGV[3])
local FIRST_TABLE, BATCH = 4, 1000

local helper_field = 'helper:' .. worker
local holder, lease_end, planned, state, helper =
  unpack(redis.call('HMGET', round_key, 'worker', 'until', 'planned', 'state', helper_field))
local helps = holder ~= worker
if helps then lease_end = helper and string.match(helper, '%d+') end
if state ~= 'running' or tonumber(lease_end or '0') <= now then return {1, {}} end
local fresh, opened = {}, {}
local dropped = 0

local function write_opened()
  if #opened == 0 then return end
  redis.call('HSET', open_key, unpack(opened))
  opened = {}
end

for i = FIRST_TABLE, #ARGV, 2 do
  local table_number, match = ARGV[i], ARGV[i + 1]
  if redis.call('SETBIT', handled_key, table_number, 1) == 0 then
    fresh[#fresh + 1] = table_number
    if match == '' then
      dropped = dropped + 1
    else
      opened[#opened + 1] = match
      opened[#opened + 1] = table_number
      if #opened == BATCH then write_opened() end
    end
  end
end
write_opened()
redis.call('HINCRBY', round_key, 'made', #fresh)
local renewed = text_of(now + lease_ms)
if helps then
  redis.call('HSET', round_key, helper_field, renewed .. ' ' .. #fresh - dropped)
else
  redis.call('HSET', round_key, 'until', renewed)
end
if dropped > 0 then
  redis.call('HINCRBY', round_key, 'dropped', dropped)
  if redis.call('HINCRBY', round_key, 'over', dropped) == tonumber(planned) then
    redis.call('HSET', round_key, 'state', 'done', 'ended', text_of(now))
    end_round(rounds_key, string.match(round_key, '(%d+)$'))
  end
end
return {0, fresh}
