#!/bin/sh
# Print the host of the master and the number of its replicas, if at least $1 of the Sentinels answer.
# Each failover gets a greater epoch, so the greatest one names the present master.
for sentinel in ${SENTINELS:-sentinel-0.sentinel sentinel-1.sentinel sentinel-2.sentinel}; do
    timeout 2 redis-cli -h "$sentinel" -p "${SENTINEL_PORT:-26379}" sentinel master kozyr 2>/dev/null | awk '
        NR % 2 { name = $0; next }
        { fields[name] = $0 }
        END { if (fields["ip"]) print fields["config-epoch"], fields["ip"], fields["num-slaves"] }'
done | sort -n | awk -v wanted="$1" '{ found = $2 " " $3 } END { if (NR < wanted) exit 1; print found }'
