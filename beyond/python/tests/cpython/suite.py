"""Runs CPython's own tests of asyncio and of selectors on the workbook's loop and selector, beside stock asyncio.

    cargo run --release -p python -- beyond/python/tests/cpython/suite.py [--few] [MODULE…]

What stock passes and ours doesn't is in `differences.toml`, with its reason. A difference that isn't there fails the run,
and so does an entry that is no difference any more.

uvloop's tests for any loop aren't ours to ship. In an environment with uvloop, its sources unpacked (`pip download
--no-binary uvloop --no-deps uvloop`):

    PYTHON=.venv/bin/python cargo run --release -p python -- beyond/python/tests/cpython/suite.py --uvloop uvloop-0.23.0
"""

import argparse
import collections
import concurrent.futures
import fnmatch
import importlib.metadata
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
# The longest module takes half a minute on a busy machine.
SECONDS_A_MODULE = 240

# The modules for each contestant. Some of CPython's are missing: `test_base_events` and `test_selector_events`, for
# example, replace private parts of the loop by mocks.
FEW = ["events", "sock_lowlevel", "streams", "subprocess", "server", "runners", "tasks", "unix_events"]
ALL = FEW + [
    "buffered_proto", "context", "eager_task_factory", "futures", "locks", "pep492", "protocols", "queues", "sendfile",
    "ssl", "sslproto", "taskgroups", "threads", "timeouts", "transports", "waitfor",
]
ON_THE_SELECTOR = ["events", "sock_lowlevel", "streams"]


def jobs(few, modules, uvloop):
    """Yields what's to be run: the kind of loop, and the module."""
    if uvloop:
        for path in sorted(pathlib.Path(uvloop).glob("tests/test_*.py")):
            is_asked = not modules or path.stem.removeprefix("test_") in modules
            if is_asked and "AIOTestCase" in path.read_text():
                yield "loop", f"tests.{path.stem}"
        return
    for module in modules or (FEW if few else ALL):
        yield "loop", f"test.test_asyncio.test_{module}"
    if not modules:
        yield "selector", "test.test_selectors"
        for module in ON_THE_SELECTOR if few else ALL:
            yield "selector", f"test.test_asyncio.test_{module}"


def run(kind, module, uvloop):
    """Runs a module in a process of its own, and returns the outcomes and their reasons by test."""
    command = [sys.executable, "-X", "faulthandler", "-W", "ignore", str(HERE / "one_module.py"), kind, module]
    command += [uvloop] if uvloop else []
    with tempfile.TemporaryDirectory() as directory:
        output, ended = run_in(directory, command)
    found = [line for line in output.splitlines() if line.startswith("outcomes ")]
    if found:
        return json.loads(found[-1].removeprefix("outcomes "))
    if "No module named " + repr(module) in output:
        return None
    began = [line.removeprefix("begins ") for line in output.splitlines() if line.startswith("begins ")]
    last = began[-1] if began else module
    return {last: "failed"}, {last: f"{ended}\n{output[-4000:]}"}


def run_in(directory, command):
    """Runs a command where its tests may leave files, and returns its output and how it has ended."""
    # In a session of its own, so that the processes that a hanging test has started end with it.
    process = subprocess.Popen(command, cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               errors="replace", start_new_session=True)
    try:
        output, _ = process.communicate(timeout=SECONDS_A_MODULE)
        ended = f"status {process.returncode}"
    except subprocess.TimeoutExpired:
        # Python then prints its place.
        os.killpg(process.pid, signal.SIGABRT)
        ended = f"no end after {SECONDS_A_MODULE} s"
        try:
            output, _ = process.communicate(timeout=5)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    return output, ended


def differences_of_this_python():
    """Reads the list: a pattern of names to the reason, for each kind of loop."""
    with open(HERE / "differences.toml", "rb") as file:
        entries = tomllib.load(file)["difference"]
    here = "%d.%d" % sys.version_info[:2]
    return [entry for entry in entries if here in entry.get("pythons", [here])]


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--few", action="store_true", help="only what CI runs")
    options.add_argument("--at-once", type=int, default=os.cpu_count(), help="how many modules run at the same time")
    options.add_argument("--uvloop", type=os.path.abspath, metavar="DIRECTORY", help="uvloop's own tests, in its sources")
    options.add_argument("modules", nargs="*", metavar="MODULE", help="such as 'streams'")
    options = options.parse_args()
    began = time.monotonic()
    wanted = list(jobs(options.few, options.modules, options.uvloop))
    to_run = sorted({("stock", module) for _, module in wanted} | set(wanted), key=lambda job: job[1])
    with concurrent.futures.ThreadPoolExecutor(options.at_once) as pool:
        results = dict(zip(to_run, pool.map(lambda job: run(*job, options.uvloop), to_run)))

    entries = differences_of_this_python()
    used = collections.Counter()
    totals = collections.defaultdict(collections.Counter)
    unexpected = []
    for kind, module in wanted:
        stock, ours = results["stock", module], results[kind, module]
        if stock is None:
            print(f"{module}: this Python doesn't have it")
            continue
        if ours is None:
            unexpected.append((kind, module, "missing", "the module isn't found"))
            continue
        totals[kind, "stock"].update(stock[0].values())
        totals[kind, kind].update(ours[0].values())
        for name, outcome in stock[0].items():
            got = ours[0].get(name, "missing")
            if outcome != "ok" or got == "ok":
                continue
            matching = [index for index, entry in enumerate(entries)
                        if entry["on"] == kind and fnmatch.fnmatchcase(name, "test." + entry["test"])]
            used.update(matching)
            if not matching:
                unexpected.append((kind, name, got, ours[1].get(name, "")))
        # A test that only our loop has is a failure outside of the tests.
        for name in ours[0].keys() - stock[0].keys():
            if ours[0][name] == "failed":
                unexpected.append((kind, name, "failed", ours[1][name]))

    asked = {(kind, module.removeprefix("test.")) for kind, module in wanted if results["stock", module] is not None}
    for kind, name, got, reason in unexpected:
        print(f"\n{name} on the {kind}: {got}, and stock asyncio passes\n{reason}")
    outdated = [
        entry for index, entry in enumerate(entries)
        if not used[index] and any(entry["on"] == kind and entry["test"].startswith(module + ".")
                                   for kind, module in asked)
    ]
    for entry in outdated:
        print(f"\n{entry['test']} is no difference any more: take it out of differences.toml")
    for kind in ("loop", "selector"):
        for side in ("stock", kind):
            if counts := totals[kind, side]:
                print(f"{kind:8} {side:8} {counts['ok']} ok, {counts['failed']} failed, {counts['skipped']} skipped")
    if options.uvloop:
        print(f"uvloop's tests for any loop, of {importlib.metadata.version('uvloop')}")
    print(f"Python {sys.version.split()[0]}: {sum(used.values())} known differences, "
          f"{len(unexpected)} others, {time.monotonic() - began:.0f} s")
    sys.exit(bool(unexpected or outdated))


if __name__ == "__main__":
    main()
