-- Commit one step of a match that its writer has read. Keys, arguments and result are those of commit_step.lua.
return commit()
