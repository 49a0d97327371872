#!/bin/sh
# Print the host of the master that the Sentinels know, or the first server if none of them answers yet.
for number in 0 1 2; do
    master=$(timeout 2 redis-cli -h "${SENTINEL:-sentinel-$number.sentinel}" -p "${SENTINEL_PORT:-26379}" \
        sentinel get-master-addr-by-name kozyr 2>/dev/null | head -n 1)
    if [ -n "$master" ]; then
        echo "$master"
        exit
    fi
done
echo "${FIRST:-redis-0.redis}"
