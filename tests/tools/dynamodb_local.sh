#!/usr/bin/env bash
# Runs Amazon's DynamoDB Local in memory. Requires Java 17 and Maven, but no Docker.
#
#   tests/tools/dynamodb_local.sh fetch     download it from Maven Central, once
#   tests/tools/dynamodb_local.sh PORT      download it if necessary, and run it until it is killed
#
# The download is in the folder KIROKU_CACHE, or in the user's cache folder.
set -euo pipefail

pom=$(dirname "$0")/dynamodb_local/pom.xml
cache=${KIROKU_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kiroku}
# Each version has its own folder.
home=$cache/dynamodb-local-$(cksum <"$pom" | cut -d' ' -f1)

# Downloads into a temporary folder first, so that an existing folder is always complete.
fetch() {
    [[ -d $home ]] && return
    mkdir -p "$cache"
    local new
    new=$(mktemp -d "$home.XXXXXX")
    mvn --quiet --batch-mode -Dstyle.color=never --file "$pom" dependency:copy-dependencies \
        -DincludeScope=runtime -DoutputDirectory="$new"
    mv -T "$new" "$home"
}

# With -sharedDb all clients share one set of tables, whatever region and key they use. The native
# SQLite library is among the jars. The heap limit is lower than the default, a quarter of the
# machine's memory, to leave memory for other processes.
run() {
    exec java -Xmx1g -Dsqlite4java.library.path="$home" -cp "$home/*" \
        com.amazonaws.services.dynamodbv2.local.main.ServerRunner \
        -inMemory -sharedDb -disableTelemetry -port "$1"
}

case ${1:-} in
    fetch) fetch ;;
    [0-9]*) fetch; run "$1" ;;
    *) sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
