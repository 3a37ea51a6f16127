#!/usr/bin/env bash
# The work of action.yml: its inputs, in the environment, become options of `bindpose roundtrip`.
set -euo pipefail

# Both are lists of words, and meant to be split.
# shellcheck disable=SC2206
paths=($INPUT_PATHS) options=($INPUT_ARGS)

# The annotations are lines of the log that the service looks for.
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
