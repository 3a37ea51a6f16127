#!/bin/bash -eu
# Builds each target with the samples as its seeds. OSS-Fuzz sets $OUT, and calls this in the root of the repository.
cargo fuzz build -O

built=fuzz/target/x86_64-unknown-linux-gnu/release
zip -q -r "$OUT/seeds.zip" tests/corpus tests/damaged tests/crashes fuzz/seeds
for source in fuzz/fuzz_targets/*.rs; do
  name=$(basename "$source" .rs)
  # A program of all targets, for checks that build one.
  [ "$name" != any ] || continue
  cp "$built/$name" "$OUT/"
  cp "$OUT/seeds.zip" "$OUT/${name}_seed_corpus.zip"
done
rm "$OUT/seeds.zip"
