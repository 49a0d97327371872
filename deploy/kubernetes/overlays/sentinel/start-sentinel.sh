#!/bin/sh
# Start a Sentinel. Its volume has what it knows: the master, the servers and the epoch of the last failover.
set -eu
here=$(dirname "$0")
conf=${DATA:-/data}/sentinel.conf
me=${ME:-$HOSTNAME.sentinel}
if [ ! -e "$conf" ]; then
    # A new volume: ask the other Sentinels. The first of all has nobody to ask.
    found=$(sh "$here/find-master.sh" 1) || found="${FIRST:-redis-0.redis} 0"
    # With another id this Sentinel would count twice in the majority that a failover needs.
    cat > "$conf.new" <<CONF
sentinel myid $(printf %s "$me" | sha1sum | cut -c 1-40)
dir ${DATA:-/data}
sentinel resolve-hostnames yes
sentinel announce-hostnames yes
sentinel announce-ip $me
sentinel monitor kozyr ${found% *} ${REDIS_PORT:-6379} 2
sentinel auth-pass kozyr $REDISCLI_AUTH
sentinel sentinel-pass $REDISCLI_AUTH
requirepass $REDISCLI_AUTH
sentinel down-after-milliseconds kozyr 3000
sentinel failover-timeout kozyr 10000
sentinel parallel-syncs kozyr 1
CONF
    mv "$conf.new" "$conf"
fi
exec redis-sentinel "$conf" --port "${SENTINEL_PORT:-26379}" "$@"
