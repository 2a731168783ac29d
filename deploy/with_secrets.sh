#!/bin/sh
# Runs a command with the secrets of a container in its environment: on command lines, and so in ps and in the log of
# scrapyd, they have no place. The password of Redis is hexadecimal (docs/deploy.md), so the URL needs no escapes.
set -eu
folder="${SECRETS:-/run/secrets}"

if [ -r "$folder/redis_password" ]; then
    REDIS_URL="redis://:$(cat "$folder/redis_password")@${REDIS_SERVER:-redis:6379}/0"
    export REDIS_URL
fi
if [ -r "$folder/scrapyd_password" ]; then
    SCRAPYD_PASSWORD="$(cat "$folder/scrapyd_password")"
    export SCRAPYD_PASSWORD
fi
exec "$@"
