"""What CPython's own tests don't ask of a loop. Each test says what stock asyncio does, so that's asked as well:

    cargo run -p python -- beyond/python/tests/edges/edges.py -v
    LOOP=stock cargo run -p python -- beyond/python/tests/edges/edges.py -v
"""

import asyncio
import contextvars
import faulthandler
import gc
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings
import weakref

import workbook

IS_STOCK = os.environ.get("LOOP") == "stock"
new_loop = asyncio.SelectorEventLoop if IS_STOCK else workbook.EventLoop


def run(main):
    with asyncio.Runner(loop_factory=new_loop) as runner:
        return runner.run(main)


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def when_main_sleeps(action, *args):
    """Starts a thread that does something once the main thread sleeps in the kernel, for an event and not for the GIL."""
    thread = threading.main_thread().native_id
    # futex(2), on x86-64 and on arm64
    waits_for_the_gil = {"x86_64": "202", "aarch64": "98"}[os.uname().machine]

    def watches():
        # A second look, so that it's no passing sleep.
        for _ in range(2):
            while True:
                time.sleep(0.01)
                with open(f"/proc/self/task/{thread}/stat") as stat, open(f"/proc/self/task/{thread}/syscall") as call:
                    is_asleep = stat.read().rpartition(") ")[2].startswith("S")
                    if is_asleep and call.read().split()[0] not in ("running", waits_for_the_gil):
                        break
        action(*args)

    threading.Thread(target=watches).start()


class Edges(unittest.TestCase):
    def setUp(self):
        faulthandler.dump_traceback_later(100, exit=True)
        self.loop = new_loop()

    def tearDown(self):
        self.loop.close()
        faulthandler.cancel_dump_traceback_later()

    def tick(self):
        self.loop.call_soon(self.loop.stop)
        self.loop.run_forever()


class LeavingARun(Edges):
    """What ends the program leaves `run_forever` at once, and the rest of the round keeps its order."""

    def leaves_by(self, error):
        log = []

        def ends():
            log.append("a")
            self.loop.call_soon(log.append, "d")
            raise error

        self.loop.call_soon(ends)
        self.loop.call_soon(log.append, "b")
        self.loop.call_soon(log.append, "c")
        with self.assertRaises(type(error)) as raised:
            self.loop.run_forever()
        self.assertIs(raised.exception, error)
        self.assertEqual(log, ["a"])
        self.assertFalse(self.loop.is_running())
        self.tick()
        self.assertEqual(log, ["a", "b", "c", "d"])

    def test_system_exit(self):
        self.leaves_by(SystemExit(3))

    def test_keyboard_interrupt(self):
        self.leaves_by(KeyboardInterrupt())

    def test_system_exit_of_a_timer_a_reader_and_a_task(self):
        reader, writer = socket.socketpair()

        def ends():
            raise SystemExit

        async def a_task():
            raise SystemExit

        for schedule in (lambda: self.loop.call_later(0, ends), lambda: self.loop.add_reader(reader, ends)):
            schedule()
            writer.send(b"!")
            with self.assertRaises(SystemExit):
                self.loop.run_forever()
        self.loop.remove_reader(reader)
        task = self.loop.create_task(a_task())
        with self.assertRaises(SystemExit):
            self.loop.run_forever()
        self.assertIsInstance(task.exception(), SystemExit)
        reader.close()
        writer.close()

    def test_other_base_exceptions_go_to_the_exception_handler(self):
        contexts = []
        self.loop.set_exception_handler(lambda loop, context: contexts.append(context))
        error = BaseException("mine")

        def fails():
            raise error

        handle = self.loop.call_soon(fails)
        self.tick()
        self.assertIs(contexts[0]["exception"], error)
        self.assertIs(contexts[0]["handle"], handle)
        self.assertIn("Exception in callback", contexts[0]["message"])

    def test_a_handler_that_exits_ends_the_run(self):
        def handler(loop, context):
            raise SystemExit

        self.loop.set_exception_handler(handler)
        self.loop.call_soon(lambda: 1 / 0)
        with self.assertRaises(SystemExit):
            self.loop.run_forever()


class CtrlC(Edges):
    """SIGINT, wherever the loop is when it arrives."""

    def interrupted(self, run):
        when_main_sleeps(os.kill, os.getpid(), signal.SIGINT)
        with self.assertRaises(KeyboardInterrupt):
            run()
        self.assertFalse(self.loop.is_running())
        self.tick()

    def test_while_it_sleeps(self):
        self.interrupted(self.loop.run_forever)

    def test_while_it_sleeps_until_a_timer_and_has_a_socket(self):
        reader, writer = socket.socketpair()
        self.loop.add_reader(reader, print)
        self.loop.call_later(50, print)
        self.interrupted(self.loop.run_forever)
        self.loop.remove_reader(reader)
        reader.close()
        writer.close()

    def test_while_it_is_busy(self):
        def again():
            self.loop.call_soon(again)

        again()
        with self.assertRaises(KeyboardInterrupt):
            # On a machine that's too busy, the signal arrives before the run.
            threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
            self.loop.run_forever()

    def test_in_a_callback(self):
        log = []

        def interrupts():
            os.kill(os.getpid(), signal.SIGINT)
            for _ in range(100):
                pass
            log.append("not reached")

        self.loop.call_soon(interrupts)
        self.loop.call_soon(log.append, "next")
        with self.assertRaises(KeyboardInterrupt):
            self.loop.run_forever()
        self.assertEqual(log, [])
        self.tick()
        self.assertEqual(log, ["next"])

    def test_wherever_code_runs(self):
        """In each of these, the signal arrives inside of a callback, and the run ends in the same way."""
        reader, writer = socket.socketpair()
        self.addCleanup(reader.close)
        self.addCleanup(writer.close)
        writer.send(b"!")

        def interrupts(*_):
            os.kill(os.getpid(), signal.SIGINT)
            for _ in range(100):
                pass
            log.append("not reached")

        async def a_task():
            interrupts()

        def in_the_exception_handler():
            self.loop.set_exception_handler(interrupts)
            self.loop.call_soon(int, "no number")

        def in_debug_mode():
            self.loop.set_debug(True)
            self.loop.call_soon(interrupts)

        ways = {
            "a timer": lambda: self.loop.call_later(0.001, interrupts),
            "a reader": lambda: self.loop.add_reader(reader, interrupts),
            "a writer": lambda: self.loop.add_writer(writer, interrupts),
            "a task": lambda: tasks.append(self.loop.create_task(a_task())),
            "a future's callback": lambda: done().add_done_callback(interrupts),
            "a call from a thread": lambda: threading.Thread(target=self.loop.call_soon_threadsafe, args=[interrupts]).start(),
            "the exception handler": in_the_exception_handler,
            "a callback in debug mode": in_debug_mode,
        }

        def done():
            future = self.loop.create_future()
            future.set_result(None)
            return future

        tasks = []
        for way, schedule in ways.items():
            with self.subTest(way):
                log = []
                schedule()
                with self.assertRaises(KeyboardInterrupt):
                    self.loop.run_forever()
                self.assertFalse(self.loop.is_running())
                self.loop.remove_reader(reader)
                self.loop.remove_writer(writer)
                # Callbacks scheduled meanwhile run in the next run.
                self.loop.call_soon(log.append, "next")
                self.tick()
                self.assertEqual(log, ["next"])
        self.assertIsInstance(tasks[0].exception(), KeyboardInterrupt)

    def test_in_run_until_complete(self):
        async def main():
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(50)

        task = self.loop.create_task(main())
        with self.assertRaises(KeyboardInterrupt):
            self.loop.run_until_complete(task)
        self.assertIsInstance(task.exception(), KeyboardInterrupt)
        # A second run isn't disturbed by the first.
        self.assertEqual(self.loop.run_until_complete(asyncio.sleep(0.001, 7)), 7)

    def test_under_a_runner_it_cancels_the_main(self):
        async def main():
            when_main_sleeps(os.kill, os.getpid(), signal.SIGINT)
            try:
                await asyncio.sleep(50)
            except asyncio.CancelledError:
                log.append("cancelled")
                raise

        log = []
        with self.assertRaises(KeyboardInterrupt):
            run(main())
        self.assertEqual(log, ["cancelled"])

    def test_the_events_of_an_interrupted_tick_come_once(self):
        reader, writer = socket.socketpair()
        reader.setblocking(False)
        log = []

        def handler(signum, frame):
            writer.send(b"!")
            raise ValueError("by the signal")

        self.loop.add_reader(reader, lambda: log.append(reader.recv(10)))
        before = signal.signal(signal.SIGUSR1, handler)
        self.addCleanup(signal.signal, signal.SIGUSR1, before)
        when_main_sleeps(os.kill, os.getpid(), signal.SIGUSR1)
        with self.assertRaisesRegex(ValueError, "by the signal"):
            self.loop.run_forever()
        self.assertEqual(log, [])
        self.tick()
        self.tick()
        self.assertEqual(log, [b"!"])
        self.loop.remove_reader(reader)
        reader.close()
        writer.close()

    def test_a_handler_that_does_not_raise_does_not_end_the_sleep(self):
        arrived = []
        before = signal.signal(signal.SIGUSR1, lambda signum, frame: arrived.append(signum))
        self.addCleanup(signal.signal, signal.SIGUSR1, before)
        when_main_sleeps(os.kill, os.getpid(), signal.SIGUSR1)
        began = time.monotonic()
        self.loop.run_until_complete(asyncio.sleep(1))
        self.assertGreaterEqual(time.monotonic() - began, 1)
        while not arrived:
            time.sleep(0.01)


class Signals(Edges):
    def test_each_signal_calls_its_handler(self):
        log = []
        for sig in (signal.SIGUSR1, signal.SIGUSR2):
            self.loop.add_signal_handler(sig, log.append, sig)

        async def main():
            for sig in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGUSR1):
                os.kill(os.getpid(), sig)
                await asyncio.sleep(0.01)

        self.loop.run_until_complete(main())
        self.assertEqual(log, [signal.SIGUSR1, signal.SIGUSR2, signal.SIGUSR1])
        self.assertTrue(self.loop.remove_signal_handler(signal.SIGUSR1))
        self.assertEqual(signal.getsignal(signal.SIGUSR1), signal.SIG_DFL)

    def test_signals_that_arrive_before_python_s_own_handler_runs_are_not_merged(self):
        log = []
        self.loop.add_signal_handler(signal.SIGRTMIN, log.append, 1)
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGRTMIN})
        for _ in range(3):
            signal.pthread_kill(threading.get_ident(), signal.SIGRTMIN)
        # All three arrive during this call. Python's own handler runs once, behind the call.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGRTMIN})
        for _ in range(3):
            self.tick()
        self.assertEqual(log, [1, 1, 1])

    def test_a_handler_that_is_removed_behind_a_signal_is_not_called(self):
        log = []
        self.loop.add_signal_handler(signal.SIGUSR1, log.append, 1)
        signal.raise_signal(signal.SIGUSR1)
        self.loop.remove_signal_handler(signal.SIGUSR1)
        for _ in range(3):
            self.tick()
        self.assertEqual(log, [])

    def test_a_signal_wakes_a_loop_that_sleeps(self):
        self.loop.add_signal_handler(signal.SIGUSR1, self.loop.stop)
        when_main_sleeps(os.kill, os.getpid(), signal.SIGUSR1)
        self.loop.run_forever()

    def test_a_forgotten_loop_is_not_kept_by_its_signal_handler(self):
        loop = new_loop()
        loop.add_signal_handler(signal.SIGUSR1, print)
        gone = weakref.ref(loop)
        loop.close()
        del loop
        gc.collect()
        self.assertIsNone(gone())


class Forks(Edges):
    def test_a_child_of_a_running_loop_runs_one_of_its_own(self):
        async def childs():
            await asyncio.sleep(0.01)
            return await asyncio.to_thread(lambda: 7)

        async def main():
            child = os.fork()
            if child == 0:
                try:
                    os._exit(run(childs()))
                finally:
                    os._exit(1)
            # The parent goes on meanwhile.
            await asyncio.sleep(0.05)
            _, status = await asyncio.to_thread(os.waitpid, child, 0)
            return os.waitstatus_to_exitcode(status)

        with warnings.catch_warnings():
            # The warning is about forks beside threads, but the child begins before there are any threads.
            warnings.simplefilter("ignore", DeprecationWarning)
            self.assertEqual(run(main()), 7)


class Threads(Edges):
    def test_other_threads_have_their_turns_beside_a_busy_loop(self):
        # Python takes the GIL from a thread that keeps it for 5 ms. Here the interval is a day, so other threads
        # run only if each tick gives the GIL away by itself.
        before = sys.getswitchinterval()
        sys.setswitchinterval(86_400)
        self.addCleanup(sys.setswitchinterval, before)

        def again():
            self.loop.call_soon(again)

        def sleeps():
            for _ in range(100):
                time.sleep(0)
            self.loop.call_soon_threadsafe(self.loop.stop)

        again()
        # While the main thread waits for the other thread's beginning, that thread has the GIL.
        threading.Thread(target=sleeps).start()
        self.loop.run_forever()

    def test_other_threads_run_while_the_loop_sleeps(self):
        def counts():
            for _ in range(100_000):
                pass
            self.loop.call_soon_threadsafe(self.loop.stop)

        before = sys.getswitchinterval()
        sys.setswitchinterval(86_400)
        self.addCleanup(sys.setswitchinterval, before)
        threading.Thread(target=counts).start()
        cpu = time.thread_time()
        self.loop.run_forever()
        self.assertLess(time.thread_time() - cpu, 0.1)

    def test_a_call_from_the_wrong_thread_waits_for_the_next_tick(self):
        log = []
        self.loop.call_later(1, self.loop.stop)
        when_main_sleeps(self.loop.call_soon, log.append, "called")
        self.loop.run_forever()
        self.tick()
        self.assertEqual(log, ["called"])

    def test_in_debug_mode_the_wrong_thread_is_refused(self):
        def calls():
            for call in (lambda: self.loop.call_soon(print), lambda: self.loop.call_later(1, print)):
                try:
                    call()
                except RuntimeError as error:
                    errors.append(str(error))
            self.loop.call_soon_threadsafe(self.loop.stop)

        errors = []
        self.loop.set_debug(True)
        self.loop.call_soon(threading.Thread(target=calls).start)
        self.loop.run_forever()
        self.assertEqual(len(errors), 2)
        self.assertIn("Non-thread-safe operation", errors[0])

    def test_a_loop_is_made_in_one_thread_run_in_another_and_closed_in_a_third(self):
        loop = new_loop()
        done = []
        for use in (lambda: done.append(loop.run_until_complete(asyncio.sleep(0.01, 7))), loop.close):
            thread = threading.Thread(target=use)
            thread.start()
            thread.join()
        self.assertEqual(done, [7])
        self.assertTrue(loop.is_closed())

    def test_threads_send_while_the_loop_runs_and_nothing_is_lost(self):
        log = []

        def sends(number):
            for count in range(2000):
                self.loop.call_soon_threadsafe(log.append, (number, count))

        async def main():
            await asyncio.gather(*(asyncio.to_thread(sends, number) for number in range(4)))

        self.loop.run_until_complete(main())
        self.tick()
        self.assertEqual(len(log), 8000)
        for number in range(4):
            mine = [count for sender, count in log if sender == number]
            self.assertEqual(mine, sorted(mine))

    def test_a_loop_in_a_daemon_thread_is_no_crash_when_the_program_ends(self):
        # Each time the loop asks for the GIL, the interpreter may be at its end.
        code = """if True:
            import asyncio, threading, time, workbook

            async def work():
                while True:
                    time.sleep(0)
                    await asyncio.sleep(0)

            def body():
                event_loop = asyncio.SelectorEventLoop() if STOCK else workbook.EventLoop()
                event_loop.call_soon(begun.set)
                event_loop.run_until_complete(work())

            begun = threading.Event()
            threading.Thread(target=body, daemon=True).start()
            begun.wait()
            print("main ends")
        """.replace("STOCK", str(IS_STOCK))
        for _ in range(5):
            ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
            self.assertEqual((ended.returncode, ended.stdout, ended.stderr), (0, "main ends\n", ""))

    def test_run_in_executor(self):
        async def main():
            loop = asyncio.get_running_loop()
            return await asyncio.gather(*(loop.run_in_executor(None, pow, 2, n) for n in range(20)))

        self.assertEqual(run(main()), [2**n for n in range(20)])


class Lives(Edges):
    """What a loop keeps, and what keeps a loop."""

    def test_an_unclosed_loop_in_a_cycle_is_collected_with_all_that_it_holds(self):
        class Holds:
            pass

        reader, writer = socket.socketpair()
        held = Holds()
        held.loop = new_loop()
        held.timer = held.loop.call_later(1000, lambda: held)
        held.soon = held.loop.call_soon(lambda: held)
        held.loop.add_reader(reader, lambda: held)
        gone = weakref.ref(held), weakref.ref(held.loop)
        with self.assertWarns(ResourceWarning):
            del held
            gc.collect()
        self.assertEqual([it() for it in gone], [None, None])
        reader.close()
        writer.close()

    def test_a_closed_loop_holds_nothing_and_refuses_work(self):
        class Held:
            pass

        held = Held()
        gone = weakref.ref(held)
        self.loop.call_soon(lambda held: None, held)
        timer = self.loop.call_later(1000, lambda held: None, held)
        self.loop.close()
        del held
        # The handle that the program keeps also keeps its callback.
        self.assertIsNotNone(gone())
        timer.cancel()
        self.assertIsNone(gone())
        for refused in (lambda: self.loop.call_soon(print), lambda: self.loop.call_later(1, print),
                        lambda: self.loop.call_soon_threadsafe(print), self.loop.run_forever):
            with self.assertRaisesRegex(RuntimeError, "Event loop is closed"):
                refused()

    def test_a_cancelled_callback_is_dropped_at_once(self):
        class Held:
            pass

        for schedule in (self.loop.call_soon, lambda *call: self.loop.call_later(1000, *call)):
            held = Held()
            gone = weakref.ref(held)
            schedule(lambda held: None, held).cancel()
            del held
            self.assertIsNone(gone())

    def test_a_destructor_can_use_the_loop(self):
        log, loop = [], self.loop

        class Calls:
            def __del__(self):
                loop.call_soon(log.append, "called")

        loop.call_soon(lambda held: None, Calls()).cancel()
        loop.call_later(1000, lambda held: None, Calls()).cancel()
        loop.call_soon(lambda held: None, Calls())
        self.tick()
        self.tick()
        self.assertEqual(log, ["called"] * 3)

    def test_a_million_callbacks_leave_no_memory(self):
        count = 0

        def again():
            nonlocal count
            count += 1
            if count % 500_000 == 0:
                self.loop.stop()
            self.loop.call_soon(again)

        self.loop.call_soon(again)
        self.loop.run_forever()
        before = resident()
        self.loop.run_forever()
        self.assertLess(resident() - before, 200_000)

    def test_a_million_timers_leave_no_memory(self):
        def rounds(count):
            for _ in range(count):
                for _ in range(1000):
                    self.loop.call_later(1000, print).cancel()
                self.loop.call_later(0, int)
                self.tick()

        rounds(200)
        before = resident()
        rounds(800)
        self.assertLess(resident() - before, 500_000)

    def test_a_loop_that_has_never_slept_needs_no_descriptor_to_sleep(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        free = os.dup(0)
        os.close(free)
        resource.setrlimit(resource.RLIMIT_NOFILE, (free, hard))
        try:
            self.loop.run_until_complete(asyncio.sleep(0.01))
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    def test_many_loops_leave_no_descriptors(self):
        def descriptors():
            gc.collect()
            return len(os.listdir("/proc/self/fd"))

        run(asyncio.sleep(0))
        before = descriptors()
        for _ in range(50):
            run(asyncio.sleep(0.0001))
        self.assertEqual(descriptors(), before)


class Handles(Edges):
    def test_they_are_asyncios(self):
        soon, later = self.loop.call_soon(print, 1), self.loop.call_later(1000, print, 2)
        self.assertIsInstance(soon, asyncio.Handle)
        self.assertNotIsInstance(soon, asyncio.TimerHandle)
        self.assertIsInstance(later, asyncio.TimerHandle)
        self.assertRegex(repr(soon), r"^<Handle print\(")
        self.assertRegex(repr(later), r"^<TimerHandle when=[\d.]+ print\(")
        self.assertLess(later, self.loop.call_later(2000, print))
        self.assertAlmostEqual(later.when(), self.loop.time() + 1000, delta=1)
        later.cancel()
        self.assertTrue(later.cancelled())
        self.assertRegex(repr(later), r"^<TimerHandle cancelled when=[\d.]+>$")
        self.assertIs(weakref.ref(soon)(), soon)

    def test_in_debug_mode_they_know_where_they_were_made(self):
        self.loop.set_debug(True)
        for handle in (self.loop.call_soon(print), self.loop.call_later(1000, print)):
            self.assertRegex(repr(handle), r"created at .*edges\.py:\d+>$")
            handle.cancel()
            self.assertIn("print", repr(handle))

    def test_a_timer_that_has_fired_can_be_cancelled_and_cancels_no_other(self):
        log = []
        fired = self.loop.call_later(0, log.append, "first")
        self.loop.run_until_complete(asyncio.sleep(0.01))
        self.loop.call_soon(log.append, "second")
        fired.cancel()
        self.tick()
        self.assertEqual(log, ["first", "second"])

    def test_an_exception_handler_has_the_exception_as_the_current_one(self):
        seen = []

        def handles(event_loop, context):
            seen.append(sys.exc_info()[1])
            raise KeyError("the handler's own")

        def reports(context):
            seen.append((context["exception"], context["exception"].__context__))

        self.loop.set_exception_handler(handles)
        self.loop.default_exception_handler = reports
        error = ValueError("a callback's")

        def fails():
            raise error

        self.loop.call_soon(fails)
        try:
            raise OSError("outside")
        except OSError as outside:
            self.tick()
            self.assertIs(sys.exc_info()[1], outside)
        self.assertIsNone(sys.exc_info()[1])
        self.assertIs(seen[0], error)
        self.assertIsInstance(seen[1][0], KeyError)
        self.assertIs(seen[1][1], error)

    def test_callbacks_have_contexts(self):
        variable = contextvars.ContextVar("variable", default="none")
        log = []
        variable.set("at the call")
        self.loop.call_soon(lambda: log.append(variable.get()))
        own = contextvars.copy_context()
        own.run(variable.set, "its own")
        self.loop.call_soon(lambda: log.append(variable.get()), context=own)
        self.loop.call_later(0, lambda: log.append(variable.get()))
        variable.set("later")
        self.loop.run_until_complete(asyncio.sleep(0.01))
        self.assertEqual(log, ["at the call", "its own", "at the call"])

    def test_a_cancelled_reader_is_removed_at_its_next_event(self):
        reader, writer = socket.socketpair()
        self.loop.add_reader(reader, print, "never")
        self.loop._selector.get_key(reader).data[0].cancel()
        writer.send(b"!")
        self.tick()
        self.tick()
        self.assertFalse(self.loop.remove_reader(reader))
        reader.close()
        writer.close()

    def test_a_closed_object_is_known_until_its_callback_is_removed(self):
        log = []
        closed, peer = socket.socketpair()
        number = closed.fileno()
        self.loop.add_reader(closed, log.append, "closed")
        closed.close()
        self.assertTrue(self.loop.remove_reader(closed))
        with self.assertRaises(ValueError):
            self.loop.remove_reader(closed)
        reader, writer = socket.socketpair()
        self.assertEqual(reader.fileno(), number)
        self.loop.add_reader(reader, log.append, "reader")
        writer.send(b"!")
        self.tick()
        self.assertEqual(log, ["reader"])
        self.loop.remove_reader(reader)
        for it in (peer, reader, writer):
            it.close()

    def test_a_number_whose_file_was_closed_is_forgotten_in_both_directions(self):
        log = []
        closed, peer = socket.socketpair()
        number = closed.fileno()
        self.loop.add_reader(number, log.append, "closed")
        self.loop.add_writer(number, log.append, "closed")
        closed.close()
        reader, writer = socket.socketpair()
        self.assertEqual(reader.fileno(), number)
        with self.assertRaises(FileNotFoundError):
            self.loop.remove_reader(number)
        with self.assertRaises(KeyError):
            self.loop._selector.get_key(number)
        self.assertFalse(self.loop.remove_reader(number))
        self.assertFalse(self.loop.remove_writer(number))
        self.loop.add_reader(number, log.append, "reader")
        writer.send(b"!")
        self.tick()
        self.assertEqual(log, ["reader"])
        # The same with a callback that's added.
        reader.close()
        another, its_peer = socket.socketpair()
        self.assertEqual(another.fileno(), number)
        with self.assertRaises(FileNotFoundError):
            self.loop.add_writer(number, log.append, "writer")
        with self.assertRaises(KeyError):
            self.loop._selector.get_key(number)
        self.loop.add_writer(number, log.append, "writer")
        self.tick()
        self.assertEqual(log, ["reader", "writer"])
        self.loop.remove_writer(number)
        for it in (peer, writer, another, its_peer):
            it.close()

    def test_what_is_slow_is_reported_in_debug_mode(self):
        self.loop.set_debug(True)
        self.loop.slow_callback_duration = 0.01
        self.loop.call_soon(time.sleep, 0.02)
        with self.assertLogs("asyncio", "WARNING") as logs:
            self.tick()
        self.assertRegex(logs.output[0], r"Executing <Handle sleep.*> took 0\.\d+ seconds")


class Runs(Edges):
    def refuses(self, loop):
        """Runs a loop inside of `self.loop`, and returns why it's refused."""
        errors = []

        def nests():
            try:
                loop.run_forever()
            except RuntimeError as error:
                errors.append(str(error))

        self.loop.call_soon(nests)
        self.tick()
        return errors

    # Each in a separate run: once asyncio's loop of 3.13.0 has refused a nested run, it accepts the next.
    def test_a_loop_does_not_run_in_itself(self):
        self.assertEqual(self.refuses(self.loop), ["This event loop is already running"])

    def test_a_loop_does_not_run_in_another(self):
        inner = new_loop()
        self.addCleanup(inner.close)
        self.assertEqual(self.refuses(inner), ["Cannot run the event loop while another loop is running"])

    @unittest.skipIf(sys.version_info < (3, 12), "asyncio.run has no loop_factory before 3.12")
    def test_a_loop_factory_makes_it(self):
        loops = []

        async def main():
            loops.append(asyncio.get_running_loop())
            return await asyncio.sleep(0.001, 7)

        self.assertEqual(asyncio.run(main(), loop_factory=new_loop), 7)
        self.assertIs(type(loops[0]), new_loop)
        self.assertTrue(loops[0].is_closed())

    def test_a_policy_makes_it(self):
        with warnings.catch_warnings():
            # Python 3.14 and later warn about policies.
            warnings.simplefilter("ignore", DeprecationWarning)
            if not hasattr(asyncio, "DefaultEventLoopPolicy"):
                return

            class Policy(asyncio.DefaultEventLoopPolicy):
                _loop_factory = new_loop

            asyncio.set_event_loop_policy(Policy())
            try:
                async def main():
                    return type(asyncio.get_running_loop())

                self.assertIs(asyncio.run(main()), new_loop)
            finally:
                asyncio.set_event_loop_policy(None)

    def test_stop_before_a_run_is_one_tick(self):
        log = []
        self.loop.call_soon(lambda: self.loop.call_soon(log.append, "second tick"))
        self.loop.call_soon(log.append, "first tick")
        self.loop.stop()
        self.loop.run_forever()
        self.assertEqual(log, ["first tick"])

    def test_times_that_are_no_times(self):
        log = []
        self.loop.call_later(float("inf"), log.append, "never")
        self.loop.call_later(-5, log.append, "at once")
        self.loop.run_until_complete(asyncio.sleep(0.01))
        self.assertEqual(log, ["at once"])
        for none in (self.loop.call_later, self.loop.call_at):
            with self.assertRaises(TypeError):
                none(None, print)
            with self.assertRaises(TypeError):
                none("soon", print)

    def test_what_is_no_descriptor(self):
        for refused in (-1, "file", object()):
            with self.assertRaises(ValueError):
                self.loop.add_reader(refused, print)
        with tempfile.TemporaryFile() as file, self.assertRaises(PermissionError):
            self.loop.add_reader(file, print)


class Networks(Edges):
    async def talks(self, reader, writer):
        while line := await reader.readline():
            writer.write(line)
            await writer.drain()
        writer.close()

    async def says(self, reader, writer):
        writer.write(b"hello\n")
        line = await reader.readline()
        writer.close()
        await writer.wait_closed()
        return line

    def test_tls(self):
        from test.test_asyncio import utils

        async def main():
            server = await asyncio.start_server(self.talks, "127.0.0.1", 0, ssl=utils.simple_server_sslcontext())
            async with server:
                port = server.sockets[0].getsockname()[1]
                client = utils.simple_client_sslcontext()
                return await self.says(*await asyncio.open_connection("127.0.0.1", port, ssl=client))

        self.assertEqual(run(main()), b"hello\n")

    def test_unix_sockets(self):
        async def main(path):
            async with await asyncio.start_unix_server(self.talks, path):
                return await self.says(*await asyncio.open_unix_connection(path))

        with tempfile.TemporaryDirectory() as dir:
            self.assertEqual(run(main(os.path.join(dir, "socket"))), b"hello\n")

    def test_udp(self):
        class Answers(asyncio.DatagramProtocol):
            def connection_made(self, transport):
                self.transport = transport

            def datagram_received(self, data, address):
                self.transport.sendto(data.upper(), address)

        class Asks(asyncio.DatagramProtocol):
            def __init__(self, answer):
                self.answer = answer

            def datagram_received(self, data, address):
                self.answer.set_result(data)

        async def main():
            loop = asyncio.get_running_loop()
            server, _ = await loop.create_datagram_endpoint(Answers, ("127.0.0.1", 0))
            answer = loop.create_future()
            address = server.get_extra_info("sockname")
            client, _ = await loop.create_datagram_endpoint(lambda: Asks(answer), remote_addr=address)
            client.sendto(b"hello")
            try:
                return await answer
            finally:
                client.close()
                server.close()

        self.assertEqual(run(main()), b"HELLO")

    def test_subprocesses(self):
        async def main():
            async def one(number):
                process = await asyncio.create_subprocess_exec(
                    "cat", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE)
                out, _ = await process.communicate(b"%d" % number)
                return int(out), process.returncode

            killed = await asyncio.create_subprocess_exec("sleep", "100")
            killed.kill()
            return await asyncio.gather(*map(one, range(10))), await killed.wait()

        self.assertEqual(run(main()), ([(number, 0) for number in range(10)], -signal.SIGKILL))

    def test_ten_thousand_connections(self):
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        count = min(10_000, hard - 200)
        # The clients are in another process, so that both processes have enough descriptors.
        code = """if True:
            import socket, sys
            port, count = map(int, sys.argv[1:])
            clients = []
            for number in range(count):
                clients.append(socket.create_connection(("127.0.0.1", port)))
            for client in clients:
                client.sendall(b"hello\\n")
            for client in clients:
                assert client.recv(10) == b"hello\\n"
            print(len(clients), flush=True)
        """

        async def main():
            server = await asyncio.start_server(self.talks, "127.0.0.1", 0, backlog=1000)
            async with server:
                port = server.sockets[0].getsockname()[1]
                clients = await asyncio.create_subprocess_exec(
                    sys.executable, "-c", code, str(port), str(count), stdout=subprocess.PIPE)
                out, _ = await clients.communicate()
                return int(out)

        self.assertEqual(run(main()), count)


if __name__ == "__main__":
    unittest.main()
