"""Examines files with Daft, and appends the results to a folder of Parquet files.

    python examine_daft.py 'assets/**/*.psk' results
    python examine_daft.py --inventory inventory.parquet results

The files are those of a pattern, which may be the URL of an object store, or those of an inventory: a table with the columns
`path` and `etag`. Files that are in the results of an earlier run are skipped, unless their size or their etag has changed.
The README describes the columns.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import daft
from daft import DataType, Series, col
from daft.functions import download
from rows import FINDING, RESULT, results

FILES_PER_BATCH = 1024


@daft.func.batch(return_dtype=DataType.struct({name: DataType.from_arrow_type(kind) for name, kind in RESULT}), unnest=True)
def examine(paths: Series, contents: Series) -> list[dict[str, object]]:
    """Examines a batch of files."""
    return results(paths.to_pylist(), contents.to_pylist())


def listed(pattern: str | None, inventory: str | None) -> tuple[daft.DataFrame, str]:
    """Returns the files, and the column that changes when a file does."""
    if inventory:
        return daft.read_parquet(inventory).select("path", "etag"), "etag"
    return daft.from_glob_path(pattern or "").select("path", "size"), "size"


def run(pattern: str | None, inventory: str | None, target: str) -> int:
    """Examines the files that have no results yet, and returns their number."""
    files, version = listed(pattern, inventory)
    if os.path.isdir(target) and any(Path(target).glob("*.parquet")):
        known = daft.read_parquet(os.path.join(target, "*.parquet")).select("path", version)
        files = files.join(known, on=["path", version], how="anti")
    count = files.count_rows()
    if count:
        files = files.into_batches(FILES_PER_BATCH)
        data = files.with_column("data", download(col("path"), on_error="null"))
        examined = data.select(col("path"), col(version), examine(col("path"), col("data")))
        examined.write_parquet(target, write_mode="append")
    return count


def main() -> None:
    """Runs the recipe."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="?", help="a pattern of paths or URLs")
    parser.add_argument("results", help="the folder of the results")
    parser.add_argument("--inventory", help="a table of the files")
    arguments = parser.parse_args()
    if (arguments.files is None) == (arguments.inventory is None):
        parser.error("expected either a pattern or --inventory")
    print(f"{run(arguments.files, arguments.inventory, arguments.results)} files examined")


if __name__ == "__main__":
    main()
