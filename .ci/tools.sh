# Functions and versions that .ci/run and .ci/release share. They begin with `source .ci/tools.sh` in the root of the
# repository.

export KIROKU_CACHE=${KIROKU_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kiroku}
export SAM_CLI_TELEMETRY=0 PYTHONDONTWRITEBYTECODE=1
# Without it, sam cannot read Fn::ForEach in the template.
export SAM_CLI_ENABLE_LANGUAGE_EXTENSIONS=1

# Each list of Python packages has its own virtual environment, because their requirements conflict.
LAMBDA_TOOLS=(cargo-lambda==1.9.2 aws-sam-cli==1.170.0 cfn-lint==1.58.0)
FUNCTIONS=(anime song auth oauth user user_story playback account_sweep tracker_sync catalog_refresh
    catalogue_pages list_pages account_pages correction_pages)

# The oldest glibc that the binaries run with: that of Amazon Linux 2, from 2017.
GLIBC=2.26
# cargo-lambda compiles for the processors of Lambda, which are newer than those of many small servers.
declare -A TARGETS=([arm64]=aarch64-unknown-linux-gnu.$GLIBC [x86_64]=x86_64-unknown-linux-gnu.$GLIBC)
declare -A PROCESSORS=([arm64]=generic [x86_64]=x86-64)
# Their names in the header of a binary.
declare -A MACHINES=([arm64]=AArch64 [x86_64]=X86-64)

# step HEADING COMMAND...
step() {
    current=$1
    printf '\n==== %s\n' "$1"
    local begin=$SECONDS
    "${@:2}"
    printf -- '---- %s: %d s\n' "$1" $((SECONDS - begin))
}

# venv NAME PACKAGE...: installs the packages into a virtual environment, unless it has exactly these.
venv() {
    local folder=$KIROKU_CACHE/venv-$1
    shift
    if [[ $(cat "$folder/packages" 2>/dev/null) != "$*" ]]; then
        rm -rf "$folder"
        python3 -m venv "$folder"
        "$folder/bin/pip" install --quiet --disable-pip-version-check "$@"
        echo "$*" >"$folder/packages"
    fi
}

# The commit of the checkout, with "-dirty" if a file has changed since.
commit() {
    git describe --always --dirty --abbrev=12 --exclude='*'
}

# with_target ARCHITECTURE COMMAND...: runs a command in which `cargo lambda build` compiles for that architecture.
with_target() {
    local architecture=$1
    shift
    CARGO_LAMBDA_BUILD="{target = [\"${TARGETS[$architecture]}\"]}" RUSTFLAGS="-C target-cpu=${PROCESSORS[$architecture]}" \
        KIROKU_COMMIT=$(commit) "$@"
}

# build_binaries ARCHITECTURE BINARY...: compiles optimized binaries, each to target/lambda/BINARY/bootstrap. Compiled
# together, they are linked side by side.
build_binaries() {
    local architecture=$1
    shift
    with_target "$architecture" cargo lambda build --release --locked "${@/#/--bin=}"
}

# check_binary FILE ARCHITECTURE: fails if the binary is for another architecture, or needs a newer glibc than $GLIBC.
check_binary() {
    local newest
    [[ $(readelf --file-header "$1") =~ Machine:.*${MACHINES[$2]} ]] || {
        echo "$1 is not for $2" >&2
        return 1
    }
    newest=$(readelf --wide --version-info "$1" | grep --only-matching 'GLIBC_[0-9.]*' | sort --version-sort |
        tail -n 1)
    # `sort --check` fails if the second line is older than the first.
    printf '%s\n' "$newest" "GLIBC_$GLIBC" | sort --check=quiet --version-sort || {
        echo "$1 needs $newest, and GLIBC_$GLIBC is allowed" >&2
        return 1
    }
}

workspace_version() {
    sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"$/\1/p' Cargo.toml
}

# release_notes HEADING: prints a section of the changelog, without its heading.
release_notes() {
    awk -v heading="## [$1]" 'index($0, "## [") == 1 { inside = index($0, heading); next } inside' CHANGELOG.md
}

# make_documents FOLDER VERSION HEADING: writes the parts of a release that are the same for all architectures.
make_documents() {
    local folder=$1 version=$2 heading=$3
    mkdir -p "$folder"
    SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) .ci/dependencies.py "$folder/kiroku-$version.cdx.json" \
        "$folder/THIRD-PARTY-LICENSES.txt" cli "${FUNCTIONS[@]}"
    release_notes "$heading" >"$folder/release-notes.txt"
}

# make_packages FOLDER VERSION ARCHITECTURE: packs the compiled binaries. The template deploys the packages beside it.
# Each file depends on the binaries and the commit only.
make_packages() {
    local folder=$1 version=$2 architecture=$3 name work time binary
    local functions=kiroku-$version-lambda-$architecture
    name=kiroku-$version-linux-$architecture
    time=$(git log -1 --format=%ct)
    for binary in kiroku "${FUNCTIONS[@]}"; do
        check_binary "target/lambda/$binary/bootstrap" "$architecture"
    done
    work=$(mktemp -d)
    mkdir "$work/$name"
    cp -r CHANGELOG.md Containerfile LICENSE-APACHE LICENSE-MIT NOTICE README.md SECURITY.md docs extras "$work/$name"
    # OFL.txt is the license of the font.
    cp "$folder/THIRD-PARTY-LICENSES.txt" crates/pages/assets/OFL.txt "$work/$name"
    install -m 755 target/lambda/kiroku/bootstrap "$work/$name/kiroku"
    tar --create --directory "$work" --sort=name --mtime="@$time" --mode=u=rwX,go=rX --owner=0 --group=0 \
        --numeric-owner "$name" | gzip --no-name >"$folder/$name.tar.gz"
    rm -r "$work"
    for binary in "${FUNCTIONS[@]}"; do
        python3 - "target/lambda/$binary/bootstrap" "$folder/$functions-$binary.zip" <<'PYTHON'
import sys, zipfile
source, target = sys.argv[1:]
# Lambda starts the file "bootstrap", so everybody may run it. The time is always the same.
entry = zipfile.ZipInfo("bootstrap", (1980, 1, 1, 0, 0, 0))
entry.external_attr, entry.compress_type = 0o100755 << 16, zipfile.ZIP_DEFLATED
with zipfile.ZipFile(target, "w") as archive, open(source, "rb") as binary:
    archive.writestr(entry, binary.read())
PYTHON
    done
    # Each function gets its package in place of the code that `sam build` would compile.
    awk -v prefix="$functions-" -v architecture="$architecture" '
        $1 == "Metadata:" && /Binary: / { binary = $NF; gsub("}", "", binary); next }
        $1 == "AllowedValues:" && /arm64/ { sub(/\[.*\]/, "[" architecture "]") }
        $1 == "Default:" && $2 == "arm64" { sub("arm64", architecture) }
        /^    CodeUri: \.$/ { next }
        { print }
        binary && $0 == "    Properties:" { print "      CodeUri: " prefix binary ".zip"; binary = "" }
    ' template.yaml >"$folder/template-$architecture.yaml"
}

# make_checksums FOLDER: writes SHA256SUMS, for `sha256sum --check SHA256SUMS` in the folder.
make_checksums() {
    # The list of files is made before SHA256SUMS exists.
    (cd "$1" && sha256sum -- * >SHA256SUMS)
}
