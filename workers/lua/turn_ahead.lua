-- Counts the turns that come before that of a waiting match if no other match begins to wait, give or take SHARE.
--
-- KEYS: all waiting matches (hash match -> its class and owner)
-- ARGV: what the keys of lists begin with; SHARE of turn_take.lua; the two classes; the match; the most owners to look at
-- Returns the number, or nil if the match does not wait.
local waiting_key = KEYS[1]
local prefix, share, first_class, last_class = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]
local match, most = ARGV[5], tonumber(ARGV[6])

local found = redis.call('HGET', waiting_key, match)
if not found then return false end
local class, own = string.match(found, '^(%S+) (.*)$')
local place = redis.call('LPOS', prefix .. class .. ':' .. own, match)
if not place then return false end
local ahead, behind = place, 0
for _, owner in ipairs(redis.call('LRANGE', prefix .. class, 0, most - 1)) do
  if owner == own then
    behind = 1
  else
    ahead = ahead + math.min(redis.call('LLEN', prefix .. class .. ':' .. owner), place + 1 - behind)
  end
end
local other_class = class == first_class and last_class or first_class
local waiting = 0
for _, owner in ipairs(redis.call('LRANGE', prefix .. other_class, 0, most - 1)) do
  waiting = waiting + redis.call('LLEN', prefix .. other_class .. ':' .. owner)
end
local between = class == first_class and math.floor(ahead / (share - 1)) or (share - 1) * (ahead + 1)
return ahead + math.min(waiting, between)
