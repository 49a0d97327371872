-- Moves an ended match whose group still runs from the open matches of its round to the held ones. It counts later.
--
-- KEYS: the round; its open matches (hash match -> table); its held matches (hash match -> table)
-- ARGV: the match id; the current time in ms, or ''
-- Returns {1, 1 if the round has tables left to make, epoch, 1 if a worker holds its lease}, or {0, 0, epoch, 0} if the
-- match is not open; then nothing is written.
local round_key, open_key, held_key = unpack(KEYS)
local match, given_now = unpack(ARGV)

local planned, made, stored_epoch, lease_end, state =
  unpack(redis.call('HMGET', round_key, 'planned', 'made', 'epoch', 'until', 'state'))
local epoch = tonumber(stored_epoch or '0')
local table_number = redis.call('HGET', open_key, match)
if not table_number then return {0, 0, epoch, 0} end
redis.call('HSET', held_key, match, table_number)
redis.call('HDEL', open_key, match)
return {1, state == 'running' and tonumber(made) < tonumber(planned) and 1 or 0, epoch,
  tonumber(lease_end or '0') > now_ms(given_now) and 1 or 0}
