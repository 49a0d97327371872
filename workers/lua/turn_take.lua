-- Takes the match whose turn it is. Classes come in the order of ARGV, but every SHARE-th turn is one of the last class.
-- Within a class each owner has a turn after the other. All keys are on one server.
--
-- KEYS: how many turns were taken (integer); all waiting matches (hash match -> its class and owner)
-- ARGV: what the keys of lists begin with; SHARE; the classes
-- Returns the match, or nil if none waits.
local taken_key, waiting_key = unpack(KEYS)
local prefix, share = ARGV[1], tonumber(ARGV[2])

local taken = redis.call('INCR', taken_key)
local first, last, step = 3, #ARGV, 1
if taken % share == 0 then first, last, step = last, first, -1 end
for at = first, last, step do
  local owners_key = prefix .. ARGV[at]
  local owner = redis.call('LPOP', owners_key)
  if owner then
    local matches_key = owners_key .. ':' .. owner
    local match = redis.call('LPOP', matches_key)
    if redis.call('EXISTS', matches_key) == 1 then redis.call('RPUSH', owners_key, owner) end
    redis.call('HDEL', waiting_key, match)
    return match
  end
end
return false
