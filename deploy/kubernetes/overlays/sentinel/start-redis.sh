#!/bin/sh
# Start a Redis server, as a replica unless it is the master.
set -eu
me="$HOSTNAME.redis"
master=$(sh "$(dirname "$0")/find-master.sh")
set -- --appendonly yes --appendfsync always --maxmemory-policy noeviction --maxmemory 3gb --dir "${DATA:-/data}" \
    --replica-announce-ip "$me" --min-replicas-to-write 1 --min-replicas-max-lag 10
if [ "$master" != "$me" ]; then
    set -- "$@" --replicaof "$master" 6379
fi
exec redis-server "$@"
