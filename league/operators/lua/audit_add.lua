-- Adds an entry to the audit log, and with the same id to the log of the ladder that it concerns.
--
-- KEYS: the log (stream); the log of a ladder, if the entry concerns one
-- ARGV: the fields of the entry and their values, in turn
-- Returns the entry's id.
local log_key, ladder_key = unpack(KEYS)

local id = redis.call('XADD', log_key, '*', unpack(ARGV))
if ladder_key then redis.call('XADD', ladder_key, id, unpack(ARGV)) end
return id
