-- Stores a new table, unless its host or all people together have opened too many.
--
-- KEYS: the table (text); tables of the host, and tables of all people, by the instant (ms) until which they count
--       (zsets)
-- ARGV: the current time in ms, or ''; the table's id; the table (JSON); for how many ms it is kept; how many the host
--       may have; how many all may have
-- Returns 1; 0 without effect if the host has too many, -1 if all together have.
local table_key, own_key, all_key = unpack(KEYS)
local given_now, ident, made, kept_ms, most, most_of_all = unpack(ARGV)

local now = now_ms(given_now)
for _, key in ipairs({own_key, all_key}) do redis.call('ZREMRANGEBYSCORE', key, '-inf', text_of(now)) end
if redis.call('ZCARD', own_key) >= tonumber(most) then return 0 end
if redis.call('ZCARD', all_key) >= tonumber(most_of_all) then return -1 end
for _, key in ipairs({own_key, all_key}) do
  redis.call('ZADD', key, text_of(now + tonumber(kept_ms)), ident)
  redis.call('PEXPIRE', key, kept_ms)
end
redis.call('SET', table_key, made, 'PX', kept_ms)
return 1
