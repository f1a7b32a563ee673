//! The example `until_empty`, as the chapter shows it: a task that always yields keeps the loop
//! from its input.

use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use kit::limit_time;

/// The running example, which ends with the test.
struct Example {
    process: Child,
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Example {
    fn start() -> Self {
        let mut command = kit::example("step07_full_loop", "until_empty");
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        Example { input: process.stdin.take().unwrap(), process, lines }
    }

    fn types(&mut self, line: &str) {
        writeln!(self.input, "{line}").unwrap();
    }

    fn sees(&mut self, line: &str) {
        assert_eq!(self.lines.next().unwrap().unwrap(), line);
    }
}

impl Drop for Example {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn a_task_that_always_yields_keeps_the_loop_from_its_input() {
    limit_time();
    let mut example = Example::start();
    example.types("hello");
    example.sees("you typed \"hello\"");
    example.types("count");
    example.sees("counted to 1");
    example.types("hello");
    // The line is in the pipe already, and the task yields a hundred thousand times.
    for power in 1..=17 {
        example.sees(&format!("counted to {}", 1_u32 << power));
    }
}
