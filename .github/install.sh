#!/usr/bin/env bash
# Installs a released command for action.yml: downloads the archive for this machine and verifies its checksum.
# Prints the path of the command. Environment: VERSION, BASE_URL (a directory of archives), DESTINATION.
set -euo pipefail
case $(uname -s)-$(uname -m) in
  Linux-x86_64) target=x86_64-unknown-linux-musl ;;
  Linux-aarch64 | Linux-arm64) target=aarch64-unknown-linux-musl ;;
  Darwin-arm64) target=aarch64-apple-darwin ;;
  Darwin-x86_64) target=x86_64-apple-darwin ;;
  MINGW*-x86_64 | MSYS*-x86_64) target=x86_64-pc-windows-msvc ;;
  *) echo "no released binary for $(uname -s) on $(uname -m); install with cargo install bindpose-cli" >&2; exit 1 ;;
esac
name=bindpose-$VERSION-$target
command=$DESTINATION/$name/bindpose
if [ ! -x "$command" ]; then
  mkdir -p "$DESTINATION"
  cd "$DESTINATION"
  for file in "$name.tar.gz" "$name.tar.gz.sha256"; do
    curl --fail --silent --show-error --location --retry 3 --output "$file" "$BASE_URL/$file"
  done
  if command -v sha256sum > /dev/null; then sha256sum --check --quiet "$name.tar.gz.sha256" >&2; else shasum -a 256 --check --quiet "$name.tar.gz.sha256" >&2; fi
  tar xzf "$name.tar.gz"
fi
echo "$command"
