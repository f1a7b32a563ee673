//! Tests `run-mine python`: a reader's programs on a reader's notebook, including a notebook with
//! mistakes. `.ci/run` has a stage for this test, because it compiles pyo3 and layers.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod reader;

use std::fs;
use std::path::Path;

use reader::Reader;

/// Runs a coroutine `main` on step 07's loop.
const ON_THE_LOOP: &str = "
import asyncio, workbook
with asyncio.Runner(loop_factory=workbook.EventLoop) as runner:
    runner.run(main())
";

/// Runs `main` on CPython's loop with step 03's selector.
const ON_THE_SELECTOR: &str = "
import asyncio, workbook
with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(workbook.Selector())) as runner:
    runner.run(main())
";

const SLEEPS: &str = "
async def main():
    await asyncio.sleep(0.01)
    print('slept')
";

const WAITS: &str = "
async def main():
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    threading.Timer(4, theirs.send, [b'at last']).start()
    print(await asyncio.get_running_loop().sock_recv(ours, 99))
";

fn program(main: &str, runner: &str) -> String {
    format!("import asyncio, socket, threading\n{main}{runner}")
}

#[test]
fn with_three_layers_of_their_own_a_reader_has_the_selector_and_is_told_what_the_loop_needs() {
    let reader = Reader::with_their_own(3);
    let ran = reader.python(&program(SLEEPS, ON_THE_SELECTOR));
    let needs =
        "python's selector on your 01, 02 and 03; the loop needs your 04, 05, 06 and 07, too\n";
    assert!(ran.err.starts_with(needs), "{ran:?}");
    assert_eq!((ran.code, &*ran.out), (Some(0), "slept\n"), "{ran:?}");
    let ran = reader.python("import workbook\nworkbook.EventLoop\n");
    assert!(ran.err.contains("to be yours, and these aren't: 04, 05, 06 and 07. (Once"));
    assert_eq!(ran.code, Some(1), "{ran:?}");

    // The reader's own `select` runs, so a mistake in it shows up.
    let long_sleep = program(&SLEEPS.replace("0.01", "30"), ON_THE_SELECTOR);
    let short_sleep = program(SLEEPS, ON_THE_SELECTOR);
    for (wrong, program, told) in [
        (
            "loop {}",
            &long_sleep,
            "workbook: select of step 03 has neither returned nor slept for 1 s",
        ),
        ("return Ok(());", &long_sleep, "workbook: select of step 03 has come"),
        (
            "if timeout.is_some() { return self.select(None, ready); }",
            &short_sleep,
            "s longer than it was told",
        ),
    ] {
        let right = reader.begin(SELECT, wrong);
        let ran = reader.python_until_it_hangs(program);
        assert!(ran.err.contains(told), "{wrong}: {ran:?}");
        assert!(ran.err.contains("workbook/selector.py"), "Python's traceback: {ran:?}");
        reader.put_back(SELECT, &right);
    }
}

#[test]
fn with_all_layers_of_their_own_a_reader_has_the_loop_and_what_waits_is_no_hang() {
    let reader = Reader::with_their_own(7);
    let ran = reader.python(&program(SLEEPS, ON_THE_LOOP));
    assert!(
        ran.err.starts_with("python's loop on your 01, 02, 03, 04, 05, 06 and 07\n"),
        "{ran:?}"
    );
    assert_eq!((ran.code, &*ran.out), (Some(0), "slept\n"), "{ran:?}");
    // In this test, the watchdog reports a hang after one second.
    for runner in [ON_THE_LOOP, ON_THE_SELECTOR] {
        let ran = reader.python(&program(WAITS, runner));
        assert_eq!((ran.code, &*ran.out), (Some(0), "b'at last'\n"), "{ran:?}");
        assert!(!ran.err.contains("workbook: "), "{ran:?}");
    }
    let computes =
        "async def main():\n    print(len(str(2 ** 4_000_000 % (2 ** 2_000_001 - 1))))\n";
    let long = "import sys\nsys.set_int_max_str_digits(0)\n";
    let ran = reader.python(&(long.to_owned() + &program(computes, ON_THE_LOOP)));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(!ran.err.contains("workbook: "), "Python code that takes long: {ran:?}");
}

#[test]
fn an_exercise_that_is_not_written_is_an_exception_with_its_number() {
    let reader = Reader::with_their_own(7);
    reader.start_over("step07_full_loop", "run_once");
    let catches = "
try:
    asyncio.Runner(loop_factory=workbook.EventLoop).run(main())
except Exception as error:
    print(type(error).__name__, error)
";
    let ran = reader.python(&program(&format!("import workbook{SLEEPS}"), catches));
    assert!(ran.out.starts_with("LayerPanic not yet implemented: exercise 7.9: "), "{ran:?}");
}

#[test]
fn each_way_to_hang_is_told_with_where_python_is() {
    let reader = Reader::with_their_own(7);
    let long_sleep = program(&SLEEPS.replace("0.01", "30"), ON_THE_LOOP);
    let short_sleep = program(SLEEPS, ON_THE_LOOP);
    for (place, wrong, program, told) in [
        (
            RUN_ONCE,
            format!("{} if true {{ loop {{}} }}\n", RUN_ONCE.1),
            &long_sleep,
            "or a layer that it calls) has neither returned nor slept for 1 s",
        ),
        (
            COULD_SLEEP,
            COULD_SLEEP.1.replace("if", "if true { Some(Duration::ZERO) } else if"),
            &long_sleep,
            "in a row without a sleep, and nothing has run",
        ),
        (
            COULD_SLEEP,
            COULD_SLEEP.1.replace("if", "if true { None } else if"),
            &short_sleep,
            "the loop sleeps, although something was due",
        ),
    ] {
        let right = reader.replace(place, &wrong);
        let ran = reader.python_until_it_hangs(program);
        assert!(ran.err.contains(told), "{wrong}: {ran:?}");
        assert!(ran.err.contains("in run_forever"), "Python's traceback: {ran:?}");
        assert_eq!(ran.err.matches("workbook: ").count(), 1, "it's told once: {ran:?}");
        reader.put_back(place, &right);
    }
}

/// The book's bug hunt claims that each mistake shows up in one of the three things that
/// `three_things.py` does.
#[test]
fn each_mistake_of_the_hunt_shows_in_one_of_three_things() {
    let reader = Reader::with_their_own(7);
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/three_things.py");
    let three_things = fs::read_to_string(file).unwrap();
    let only =
        |name: &str| three_things.replace("main(sys.argv[1:])", &format!("main([{name:?}])"));
    let [first, second, third] =
        ["a_sleep_beside_a_busy_task", "an_answer_from_a_thread", "a_long_answer_over_a_socket"];

    let prints = |name: &str, text: &str| {
        let ran = reader.python(&only(name));
        assert!(ran.out.contains(text), "{text}: {ran:?}");
        let (_, seconds) = ran.out.trim_end().rsplit_once(" after ").unwrap();
        seconds.trim_end_matches(" s").parse::<f64>().unwrap()
    };

    let round = ("step06_tasks/src/ready_queue/mod.rs", "for _ in 0..todo {");
    let right = reader.replace(round, "while !self.shared.ready.borrow().is_empty() {");
    let ran = reader.python_for(&only(first), 3);
    assert!(ran.out.ends_with("busy task: "), "it never fires: {ran:?}");
    assert!(prints(second, "has come") < 1.9);
    prints(third, "10000000 bytes have come");
    reader.put_back(round, &right);

    let send = ("step05_selfpipe/src/inbox.rs", "let is_first = values.len() == 1;");
    let right = reader.replace(send, "let is_first = values.is_empty();");
    prints(first, "has fired");
    let ran = reader.python_until_it_hangs(&only(second));
    assert!(ran.err.contains("times in a row without a sleep, and nothing has run"), "{ran:?}");
    prints(third, "10000000 bytes have come");
    reader.put_back(send, &right);

    let modify = ("step03_selector/src/epoll_selector.rs", "if interest != key.interest {");
    let right = reader.replace(modify, "if interest == key.interest {");
    prints(first, "has fired");
    assert!(prints(second, "has come") < 1.9);
    prints(third, "it hasn't come");
    reader.put_back(modify, &right);
}

/// Places in the reader's pages: a file, and the end of the text before the body to change.
const SELECT: (&str, &str) = (
    "step03_selector/src/epoll_selector.rs",
    "ready: &mut Vec<ReadyEvent<T>>,\n    ) -> io::Result<()> {",
);
const RUN_ONCE: (&str, &str) =
    ("step07_full_loop/src/event_loop/tick.rs", "fn run_once(&self) -> LoopResult<()> {");
/// The first value that our tick computes.
const COULD_SLEEP: (&str, &str) =
    ("step07_full_loop/src/event_loop/tick.rs", "let could_sleep = if !self.core.queue.is_empty()");
