-- Function for scripts that write a new token. The first keys and arguments of such a script are those named here.
--
-- KEYS: the token (hash); digests of tokens (hash id -> digest); token ids of the owner or bot (set)
-- ARGV: the token id; its digest; the token (JSON); the owner id; the bot id, or ''; the key of its parent token, or ''
local function write_token()
  local token_key, digests_key, subject_key = KEYS[1], KEYS[2], KEYS[3]
  local token_id, digest, token, owner, bot, parent = unpack(ARGV, 1, 6)
  redis.call('HSET', token_key, 'doc', token, 'owner', owner, 'bot', bot, 'parent', parent)
  redis.call('HSET', digests_key, token_id, digest)
  redis.call('SADD', subject_key, token_id)
end
