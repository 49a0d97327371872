#!/bin/sh
# Start a Redis server in the role that it had. Its volume has the role, where the Sentinels change it.
set -eu
here=$(dirname "$0")
data=${DATA:-/data}
me=${ME:-$HOSTNAME.redis}
port=${REDIS_PORT:-6379}
# On a new volume the Sentinels say which server is the master. As an empty master, this server would make the replicas
# delete their data. So if a master with replicas lost its volume, it waits until the Sentinels have replaced it.
while [ ! -e "$data/redis.conf" ]; do
    found=$(sh "$here/find-master.sh" 2) || found=
    case $found in
        "" | "$me "[1-9]*) sleep 1; continue ;;
        "$me 0") : > "$data/redis.conf.new" ;;
        *) echo "replicaof ${found% *} $port" > "$data/redis.conf.new" ;;
    esac
    mv "$data/redis.conf.new" "$data/redis.conf"
done
exec redis-server "$data/redis.conf" --appendonly yes --appendfsync always --maxmemory-policy noeviction \
    --maxmemory 3gb --dir "$data" --port "$port" --replica-announce-ip "$me" \
    --requirepass "$REDISCLI_AUTH" --masterauth "$REDISCLI_AUTH" --min-replicas-to-write 1 --min-replicas-max-lag 10 "$@"
