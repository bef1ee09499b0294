#!/bin/sh
# Installs Jig from the unpacked release archive. Uses no network.
set -eu

usage() {
    cat <<'END'
Install Jig from the unpacked release archive.

Usage: install.sh [--prefix DIR] [--uninstall]

  --prefix DIR   install below this folder [default: $PREFIX, else /usr/local as root, else ~/.local]
  --uninstall    remove the files that an earlier run installed
  -h, --help     show this text

Uninstalling leaves your workbenches in place; `jig settings` shows where they are.
END
}

fail() {
    echo "error: $1" >&2
    exit 1
}

# Removes the listed files below the prefix, except those that the second list names too.
remove_listed() {
    while IFS= read -r name; do
        if [ -z "$2" ] || ! grep -Fqx -- "$name" "$2"; then
            rm -f -- "$prefix/$name"
        fi
    done <"$1"
}

# SHA256SUMS covers every other file of the archive.
verify() {
    [ -f "$here/SHA256SUMS" ] || return 0
    if command -v sha256sum >/dev/null 2>&1; then
        sums=$(cd "$here" && sha256sum -c SHA256SUMS 2>&1) || checksum_failed
    elif command -v shasum >/dev/null 2>&1; then
        sums=$(cd "$here" && shasum -a 256 -c SHA256SUMS 2>&1) || checksum_failed
    else
        echo "warning: checksums not verified: neither sha256sum nor shasum is installed" >&2
        return 0
    fi
    echo "Verified the checksums of $(wc -l <"$here/SHA256SUMS" | tr -d ' ') files"
}

checksum_failed() {
    echo "$sums" | grep -v ': OK$' >&2 || true
    fail "checksum mismatch in $here; unpack the archive again"
}

# A running program cannot be overwritten, only replaced: copy next to it, then rename.
put() {
    target=$prefix/$1
    mkdir -p -- "${target%/*}"
    cp -- "$here/$1" "$target.new"
    case $1 in
        bin/*) chmod 755 "$target.new" ;;
        *) chmod 644 "$target.new" ;;
    esac
    mv -f -- "$target.new" "$target"
}

install_files() {
    [ -f "$here/bin/jig" ] || fail "bin/jig not found in $here; run install.sh from the unpacked archive"
    verify
    # Not in share/jig: below ~/.local that is the folder of the workbenches.
    mkdir -p -- "$prefix/lib/jig"
    list=$prefix/lib/jig/installed-files
    # The service is a system unit: only root can install it.
    if [ "$(id -u)" = 0 ]; then folders="bin share lib"; else folders="bin share"; fi
    (
        cd "$here"
        for folder in $folders; do
            [ ! -d "$folder" ] || find "$folder" -type f
        done
        printf '%s\n' lib/jig/install.sh lib/jig/installed-files
    ) | sort >"$list.new"
    [ ! -f "$list" ] || remove_listed "$list" "$list.new"
    while IFS= read -r name; do
        [ ! -f "$here/$name" ] || put "$name"
    done <"$list.new"
    # Kept, so that Jig can be uninstalled after the archive is deleted.
    cp -- "$here/install.sh" "$prefix/lib/jig/install.sh"
    chmod 755 "$prefix/lib/jig/install.sh"
    unit=$prefix/lib/systemd/system/jig.service
    if [ -f "$unit" ]; then
        sed "s|^ExecStart=/usr/bin/jig|ExecStart=$prefix/bin/jig|" "$unit" >"$unit.new"
        mv -f -- "$unit.new" "$unit"
    fi
    mv -f -- "$list.new" "$list"
    echo "Installed $("$prefix/bin/jig" --version) in $prefix/bin"
    [ ! -f "$unit" ] || echo "Installed the service jig.service (disabled); start it with: systemctl enable --now jig"
    echo "Uninstall with: sh $prefix/lib/jig/install.sh --uninstall --prefix $prefix"
    case ":${PATH:-}:" in
        *":$prefix/bin:"*) echo "$prefix/bin is on your PATH; run: jig demo" ;;
        *) echo "$prefix/bin is not on your PATH; add it with: export PATH=\"$prefix/bin:\$PATH\"" ;;
    esac
}

uninstall() {
    list=$prefix/lib/jig/installed-files
    [ -f "$list" ] || fail "Jig is not installed in $prefix: $list not found"
    names=$(mktemp)
    cp -- "$list" "$names"
    remove_listed "$names" ""
    # Folders that held nothing but Jig.
    sed 's|/[^/]*$||' "$names" | sort -ur | while IFS= read -r folder; do
        while [ "$folder" != . ] && rmdir -- "$prefix/$folder" 2>/dev/null; do
            folder=$(dirname -- "$folder")
        done
    done
    echo "Removed $(wc -l <"$names" | tr -d ' ') files from $prefix"
    rm -f -- "$names"
}

prefix=${PREFIX:-}
action=install_files
while [ $# -gt 0 ]; do
    case $1 in
        --prefix)
            [ $# -ge 2 ] || fail "--prefix needs a folder"
            prefix=$2
            shift
            ;;
        --uninstall) action=uninstall ;;
        -h | --help)
            usage
            exit 0
            ;;
        *) fail "unknown option \`$1\`; see install.sh --help" ;;
    esac
    shift
done
if [ -z "$prefix" ]; then
    if [ "$(id -u)" = 0 ]; then prefix=/usr/local; else prefix=${HOME:?}/.local; fi
fi
# Absolute, because the service and the messages name it.
case $prefix in
    /*) ;;
    *) prefix=$PWD/$prefix ;;
esac
here=$(cd -- "$(dirname -- "$0")" && pwd)
$action
