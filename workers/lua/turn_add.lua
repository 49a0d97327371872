-- Lets a match wait for a turn of its house bots, unless it waits already.
--
-- KEYS: owners with waiting matches (list, the next one first); waiting matches of the owner (list, the next one first);
--       all waiting matches (hash match -> its class and owner)
-- ARGV: the match; the owner; the class; '1' to let the match wait in front of the owner's others, else '0'
-- Returns 1, or 0 if the match waits already.
local owners_key, matches_key, waiting_key = unpack(KEYS)
local match, owner, class, in_front = unpack(ARGV)

if redis.call('HSETNX', waiting_key, match, class .. ' ' .. owner) == 0 then return 0 end
if redis.call(in_front == '1' and 'LPUSH' or 'RPUSH', matches_key, match) == 1 then
  redis.call('RPUSH', owners_key, owner)
end
return 1
