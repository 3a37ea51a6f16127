#!/usr/bin/env bash
# Runs `bindpose roundtrip` with the inputs of action.yml, which are in the environment.
set -euo pipefail

# Both are lists of words and are split on purpose.
# shellcheck disable=SC2206
paths=($INPUT_PATHS) options=($INPUT_ARGS)

# GitHub reads annotations from the log.
options+=(--format github --force)
[ -z "$INPUT_BASELINE" ] || options+=(--baseline "$INPUT_BASELINE")
[ -z "$INPUT_CACHE" ] || options+=(--cache "$INPUT_CACHE")
[ -z "$INPUT_SARIF" ] || options+=(--report "sarif=$INPUT_SARIF")
[ -z "$INPUT_JSON" ] || options+=(--report "json=$INPUT_JSON")

summary=$(mktemp -d)
options+=(--report "human=$summary/summary.txt")

code=0
"$BINDPOSE" roundtrip "${options[@]}" -- "${paths[@]}" || code=$?

if [ -f "$summary/summary.txt" ]; then
  cat "$summary/summary.txt"
  { echo '```'; cat "$summary/summary.txt"; echo '```'; } >> "${GITHUB_STEP_SUMMARY:-/dev/null}"
fi
exit "$code"
