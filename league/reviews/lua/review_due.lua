-- Reads the reviews that wait and that no worker has, the longest waiting first.
--
-- KEYS: reviews that wait, by ms (zset)
-- ARGV: the current time in ms, or ''; how many; the longest lease in ms
-- Returns their ids.
local waiting_key = KEYS[1]
local given_now, most, lease_ms = unpack(ARGV)

return due_of(waiting_key, now_ms(given_now), lease_ms, most)
