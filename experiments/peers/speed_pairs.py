"""Compares the speed of two builds of thrifty-experiments: alternating pairs of `speed --quick`, least CPU time of each row.

    python speed_pairs.py OLD NEW [--pairs 9] [--out out/speed-pairs]

OLD and NEW are the binaries. Prints a row per operation with the least milliseconds of each build, their ratio, and the median of the
ratios of the pairs; then the geometric means. Exit code 1 when the geometric mean of the ratios of the least is above 1.03 or the
median of a row above 1.10.
"""

import argparse
import csv
import math
import pathlib
import statistics
import subprocess
import sys


def run(binary, out, name):
    folder = out / name
    command = [binary, "speed", "--quick", "--seeds", "2", "--python", "no-interpreter", "--out", str(folder)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(folder / "speed.csv", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["tool"] == "Thrifty" and row["cpu_ms"]]
    return {(row["operation"], row["n"], row["m"]): float(row["cpu_ms"]) for row in rows}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("out/speed-pairs"))
    arguments = parser.parse_args()
    old, new = [], []
    for pair in range(arguments.pairs):
        old.append(run(arguments.old, arguments.out, f"old-{pair}"))
        new.append(run(arguments.new, arguments.out, f"new-{pair}"))
    print("| operation | n | m | old, ms | new, ms | ratio | median ratio of the pairs |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    ratios, medians = [], []
    for key in (key for key in old[0] if all(key in rows for rows in old + new)):
        before, after = (min(rows[key] for rows in runs) for runs in (old, new))
        median = statistics.median(b[key] / a[key] for a, b in zip(old, new))
        ratios.append(after / before)
        medians.append(median)
        print(f"| {' | '.join(key)} | {before:.4g} | {after:.4g} | {after / before:.3f} | {median:.3f} |")
    mean = math.exp(statistics.mean(map(math.log, ratios)))
    print(f"\nGeometric mean {mean:.3f}; largest median of a row {max(medians):.3f}; {arguments.pairs} pairs.")
    sys.exit(mean > 1.03 or max(medians) > 1.10)


if __name__ == "__main__":
    main()
