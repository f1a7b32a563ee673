"""Prints a trace of ticks: what the loop waited for, and what it ran for how long.

    WORKBOOK_TRACE=trace.json python program.py
    python -m workbook.ticks trace.json           # every tick
    python -m workbook.ticks trace.json --slow 50 # what has held the loop for 50 ms or more
"""

import argparse
import json
import sys


def main():
    parser = argparse.ArgumentParser(prog="python -m workbook.ticks", description="Prints a trace of ticks.")
    parser.add_argument("trace", help="the file that WORKBOOK_TRACE has named")
    parser.add_argument("--slow", type=float, metavar="MS", help="only what has run for so many milliseconds, or longer")
    arguments = parser.parse_args()
    with open(arguments.trace) as trace:
        ticks = [json.loads(line) for line in trace]
    try:
        if arguments.slow is None:
            show_all(ticks)
        else:
            show_slow(ticks, arguments.slow / 1000)
    except BrokenPipeError:
        sys.stderr.close()


def show_all(ticks):
    print(f"{'tick':>6}  {'slept':>10}  woken by     ran")
    for tick in ticks:
        lines = [f"{milliseconds(run['took']):>10}  {name(run)}" for run in tick["ran"]] or ["nothing"]
        slept = "" if tick["timeout"] == 0 else milliseconds(tick["slept"])
        print(f"{tick['tick']:>6}  {slept:>10}  {woken_by(tick):<11}", lines[0])
        for line in lines[1:]:
            print(" " * 31, line)


def show_slow(ticks, least):
    for tick in ticks:
        for run in tick["ran"]:
            if run["took"] >= least:
                waited = milliseconds(run["took"])
                print(f"tick {tick['tick']}: {name(run)} has held the loop for {waited}")


def woken_by(tick):
    events = {direction for event in tick["events"] for direction in event["ready"] if event["source"] != "wakeup"}
    events = sorted(events) + ["wakeup"] * any(event["source"] == "wakeup" for event in tick["events"])
    return ", ".join(events + ["timer"] * bool(tick["due"]))


def name(run):
    return run.get("name") or run.get("task") or run.get("created_at") or run["what"]


def milliseconds(seconds):
    return f"{seconds * 1000:.2f} ms"


if __name__ == "__main__":
    main()
