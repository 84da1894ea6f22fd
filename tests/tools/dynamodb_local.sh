#!/usr/bin/env bash
# Amazon's DynamoDB Local in memory: for those who have Java 17 and Maven, and no Docker.
#
#   tests/tools/dynamodb_local.sh fetch     get it from Maven Central, once
#   tests/tools/dynamodb_local.sh PORT      get it, if need be, and run it until it is killed
#
# It is kept in the folder that KIROKU_CACHE names, or else in the user's cache.
set -euo pipefail

pom=$(dirname "$0")/dynamodb_local/pom.xml
cache=${KIROKU_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kiroku}
# Another version is another folder.
home=$cache/dynamodb-local-$(cksum <"$pom" | cut -d' ' -f1)

# In a folder beside it first: one that is there is complete.
fetch() {
    [[ -d $home ]] && return
    mkdir -p "$cache"
    local new
    new=$(mktemp -d "$home.XXXXXX")
    mvn --quiet --batch-mode -Dstyle.color=never --file "$pom" dependency:copy-dependencies \
        -DincludeScope=runtime -DoutputDirectory="$new"
    mv -T "$new" "$home"
}

# With -sharedDb there is one set of tables, whatever region and key a client names.
# The native SQLite lies among the jars; with a lower limit than the default, a quarter of the
# machine's memory, there is room for whatever runs beside it.
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
