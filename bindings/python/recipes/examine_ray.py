"""Examines the files of a folder with Ray Data, and writes the results as Parquet.

    python examine_ray.py 'assets/**/*.psk' results

Files whose path is in the results of an earlier run are skipped. The README describes the columns.
"""

from __future__ import annotations

import argparse
import glob
import os
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.dataset
import ray
from rows import SCHEMA, rows

FILES_PER_BATCH = 256


def examine(batch: dict[str, np.ndarray[Any, Any]]) -> pa.Table:
    """Reads and examines a batch of files."""
    contents: list[bytes | None] = []
    for path in batch["path"]:
        try:
            with open(path, "rb") as file:
                contents.append(file.read())
        except OSError:
            contents.append(None)
    return pa.Table.from_pylist(rows([str(path) for path in batch["path"]], contents), schema=SCHEMA)


def main() -> None:
    """Runs the recipe."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", help="a pattern of paths")
    parser.add_argument("results", help="the folder of the Parquet files")
    arguments = parser.parse_args()
    known = set()
    if os.path.isdir(arguments.results):
        known = set(pyarrow.dataset.dataset(arguments.results).to_table(columns=["path"])["path"].to_pylist())
    paths = [path for path in sorted(glob.glob(arguments.files, recursive=True)) if os.path.isfile(path)]
    paths = [path for path in paths if path not in known]
    if paths:
        data = ray.data.from_items([{"path": path} for path in paths])
        data.map_batches(examine, batch_size=FILES_PER_BATCH).write_parquet(arguments.results)
    print(f"{len(paths)} files examined, {len(known)} known")


if __name__ == "__main__":
    main()
