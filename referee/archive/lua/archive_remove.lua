-- Remove a finished match that is in the archive.
--
-- KEYS 1 finished match
--      2 clock of the bucket; its field `archived` counts removals (`commit_new.lua`)
-- returns 1, or 0 if there is no such match; then nothing has changed
local finished_key, clock_key = KEYS[1], KEYS[2]

if redis.call('DEL', finished_key) == 0 then return 0 end
redis.call('HINCRBY', clock_key, 'archived', 1)
return 1
