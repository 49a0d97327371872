-- The version of the stored data: written at the first start, raised to a later minor version, never lowered.
--
-- KEYS 1 the version, as `major.minor`
-- ARGV 1 major and 2 minor version of this release
-- returns the version that stands now
local mine = ARGV[1] .. '.' .. ARGV[2]
local found = redis.call('GET', KEYS[1])
if not found then
  redis.call('SET', KEYS[1], mine)
  return mine
end
local major, minor = string.match(found, '^(%d+)%.(%d+)$')
if major and tonumber(major) == tonumber(ARGV[1]) and tonumber(minor) < tonumber(ARGV[2]) then
  redis.call('SET', KEYS[1], mine)
  return mine
end
return found
