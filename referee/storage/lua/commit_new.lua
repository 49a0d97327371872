-- Commit the first step of a match that the writer has not found in the archive, unless matches of the bucket moved
-- there meanwhile. Keys, arguments and result are those of commit_step.lua, except:
--
-- ARGV last: how many matches of the bucket had moved to the archive before the writer looked there
-- returns {0, moved}  more have moved, so the writer must look again; nothing has changed
local known = tonumber(table.remove(ARGV))

local moved = tonumber(redis.call('HGET', KEYS[6], 'archived') or '0')
if moved ~= known then return {0, moved} end
return commit()
