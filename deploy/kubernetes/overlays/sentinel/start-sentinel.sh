#!/bin/sh
# Start a Sentinel that watches the present master. Its configuration is writable and may be lost.
set -eu
cat > "${DATA:-/data}/sentinel.conf" <<CONF
dir ${DATA:-/data}
sentinel resolve-hostnames yes
sentinel announce-hostnames yes
sentinel announce-ip $HOSTNAME.sentinel
sentinel monitor kozyr $(sh "$(dirname "$0")/find-master.sh") 6379 2
sentinel down-after-milliseconds kozyr 3000
sentinel failover-timeout kozyr 10000
sentinel parallel-syncs kozyr 1
CONF
exec redis-sentinel "${DATA:-/data}/sentinel.conf" --port "${PORT:-26379}"
