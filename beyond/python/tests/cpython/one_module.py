"""Runs one module of CPython's tests, or of uvloop's, on a loop of our choice, and prints an outcome for each test.

Usage: one_module.py (stock | selector | loop) MODULE [DIRECTORY-OF-UVLOOP]
"""

import asyncio
import faulthandler
import importlib
import json
import sys
import unittest
from test import support


def install(kind):
    """Makes asyncio's own names mean the loop that's tested."""
    if kind == "stock":
        return
    import workbook

    # The tests call the classes with the selector to be tested; our classes have their own selector.
    class OnTheSelector(asyncio.SelectorEventLoop):
        def __init__(self, selector=None):
            if selector is not None:
                selector.close()
            super().__init__(workbook.Selector())

    if kind == "selector":
        loop = OnTheSelector
        from test import test_selectors

        test_selectors.EpollSelectorTestCase.SELECTOR = workbook.Selector
    else:
        class OnTheLoop(workbook.EventLoop):
            def __init__(self, selector=None):
                if selector is not None:
                    selector.close()
                super().__init__()

        # uvloop's tests look at this name to learn which loop it is, where asyncio's promises differ from
        # uvloop's.
        OnTheLoop.__module__ = "asyncio.workbook"
        loop = OnTheLoop
    for module in (asyncio, asyncio.unix_events):
        module.SelectorEventLoop = loop
        if hasattr(module, "EventLoop"):
            module.EventLoop = loop
    policy = asyncio.unix_events
    policy = getattr(policy, "_DefaultEventLoopPolicy", None) or policy._UnixDefaultEventLoopPolicy
    policy._loop_factory = loop


class Outcomes(unittest.TestResult):
    """Notes the worst outcome of each test; its parts count for the whole."""

    def __init__(self):
        super().__init__()
        self.outcomes = {}
        self.reasons = {}

    def note(self, test, outcome, reason=""):
        # A failure in `setUpClass` or `setUpModule` has a name of its own.
        name = test.id() if hasattr(test, "id") else str(test)
        if self.outcomes.get(name) != "failed":
            self.outcomes[name] = outcome
            self.reasons[name] = reason

    def startTest(self, test):
        super().startTest(test)
        print(f"begins {test.id()}", flush=True)

    def addSuccess(self, test):
        self.note(test, "ok")

    def addExpectedFailure(self, test, error):
        self.note(test, "ok")

    def addSkip(self, test, reason):
        self.note(test, "skipped", reason)

    def addUnexpectedSuccess(self, test):
        self.note(test, "failed", "unexpected success")

    def addError(self, test, error):
        self.note(test, "failed", self._exc_info_to_string(error, test))

    addFailure = addError

    def addSubTest(self, test, subtest, error):
        if error is not None:
            self.addError(test, error)


def tests_in(module):
    tests = unittest.defaultTestLoader.loadTestsFromModule(module)
    if module.__name__.startswith("test."):
        return tests
    # From uvloop's classes, only those that are for any loop.
    alike = [test for group in tests for test in group if getattr(test, "implementation", None) == "asyncio"]
    return unittest.TestSuite(alike)


def main():
    kind, name, *directory = sys.argv[1:]
    # At the end of the path: this directory also has a directory `uvloop`, which isn't compiled.
    sys.path += directory
    faulthandler.enable()
    # Without resources that a busy or closed machine can't offer: no network, no gigabytes.
    support.use_resources = ["cpu", "subprocess", "walltime"]
    support.verbose = False
    install(kind)
    result = Outcomes()
    tests_in(importlib.import_module(name)).run(result)
    print("outcomes " + json.dumps([result.outcomes, result.reasons]), flush=True)


main()
