-- Claim the stored data for this release. The first start writes the version; a later minor version raises it.
--
-- KEYS 1 version of the stored data, as `major.minor` (string)
-- ARGV 1 major version of this release
--      2 minor version of this release
-- returns the stored version afterwards; the script never lowers it
local version_key = KEYS[1]
local my_major, my_minor = ARGV[1], ARGV[2]
local mine = my_major .. '.' .. my_minor

local stored = redis.call('GET', version_key)
if not stored then
  redis.call('SET', version_key, mine)
  return mine
end
local major, minor = string.match(stored, '^(%d+)%.(%d+)$')
if major and tonumber(major) == tonumber(my_major) and tonumber(minor) < tonumber(my_minor) then
  redis.call('SET', version_key, mine)
  return mine
end
return stored
