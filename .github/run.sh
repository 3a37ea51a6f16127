#!/usr/bin/env bash
# Runs a verb of bindpose with the inputs of action.yml, which are in the environment.
set -euo pipefail

# One path per line, so that paths may contain blanks.
paths=()
while IFS= read -r path; do
  [ -z "$path" ] || paths+=("$path")
done <<< "$INPUT_PATHS"
# The options are words, in any number of lines. Globs in them are for bindpose: the shell would expand them to names of files.
read -r -d '' -a options <<< "$INPUT_ARGS" || true

summary=$(mktemp -d)/summary.txt
case $INPUT_MODE in
  diff)
    code=0
    "$BINDPOSE" diff "${options[@]}" -- "${paths[@]}" > "$summary" || code=$?
    ;;
  roundtrip | check)
    # GitHub reads annotations from the log.
    options+=(--format github --force --report "human=$summary")
    [ -z "$INPUT_BASELINE" ] || options+=(--baseline "$INPUT_BASELINE")
    [ -z "$INPUT_CACHE" ] || options+=(--cache "$INPUT_CACHE")
    [ -z "$INPUT_SARIF" ] || options+=(--report "sarif=$INPUT_SARIF")
    [ -z "$INPUT_JSON" ] || options+=(--report "json=$INPUT_JSON")
    code=0
    "$BINDPOSE" "$INPUT_MODE" "${options[@]}" -- "${paths[@]}" || code=$?
    ;;
  *)
    echo "::error::mode must be roundtrip, check or diff, not $INPUT_MODE"
    exit 2
    ;;
esac

if [ -f "$summary" ]; then
  cat "$summary"
  { echo '```'; cat "$summary"; echo '```'; } >> "${GITHUB_STEP_SUMMARY:-/dev/null}"
fi
exit "$code"
