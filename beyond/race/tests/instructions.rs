//! Tests that the loop's hot paths take no more instructions than they used to.
//!
//! Times vary from run to run, but instruction counts don't, and valgrind counts instructions. Only
//! the instructions of the program itself count, including those of Rust's std, since the C library
//! takes a different number on each system.
//!
//! `instructions.txt` has the count for each path, along with the compiler and the processor. With
//! any other compiler, the test only prints its counts. If you make a path longer for a good
//! reason, or shorter, put the new counts there; this command prints them:
//!
//! ```sh
//! cargo test --release -p race --test instructions -- --nocapture
//! ```

use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The percentage by which a path may grow.
const TOLERANCE: u64 = 5;
/// The number of times that the program runs a path. In a second run, it runs the path eleven times
/// as often, and the difference between the two counts leaves out the program's startup and
/// shutdown.
const FEW: u64 = 1000;

const KNOWN: &str = include_str!("instructions.txt");

#[test]
fn no_hot_path_has_grown() -> Result<(), Box<dyn Error>> {
    if cfg!(debug_assertions) {
        return Err("only optimised programs are compared: run this with --release".into());
    }
    let (measured_with, known) = KNOWN.split_once('\n').ok_or("the compiler is in line 1")?;
    let this_compiler = compiler_of_today()?;
    if !measured_with.ends_with(std::env::consts::ARCH) {
        println!("Not compared: the instructions are those of {measured_with}.");
        return Ok(());
    }
    let (mut today, mut grown) = (format!("{this_compiler}\n"), String::new());
    for line in known.lines() {
        let (name, before) = line.split_once(' ').ok_or("a line is a name and a number")?;
        let (before, now): (u64, u64) = (before.parse()?, instructions_of(name)?);
        writeln!(today, "{name} {now}")?;
        if now * 100 > before * (100 + TOLERANCE) {
            writeln!(grown, "{name} takes {now} instructions; it took {before}")?;
        }
    }
    println!("{today}");
    if measured_with != this_compiler {
        println!("Not compared: instructions.txt was measured with {measured_with}.\n{grown}");
        return Ok(());
    }
    assert!(
        grown.is_empty(),
        "\n{grown}If it's worth that, instructions.txt gets today's:\n{today}"
    );
    Ok(())
}

/// Returns the compiler's version and the processor it compiles for.
fn compiler_of_today() -> Result<String, Box<dyn Error>> {
    let output = Command::new("rustc").arg("--version").output()?;
    let version = String::from_utf8(output.stdout)?;
    Ok(format!("{} for {}", version.trim(), std::env::consts::ARCH))
}

/// Returns the number of instructions that a path takes each time.
fn instructions_of(path: &str) -> Result<u64, Box<dyn Error>> {
    let (few, many) = (count(path, FEW)?, count(path, 11 * FEW)?);
    Ok((many - few) / (10 * FEW))
}

/// Returns the number of the program's instructions while it runs a path `times` times.
fn count(path: &str, times: u64) -> Result<u64, Box<dyn Error>> {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{path}.callgrind"));
    let program = fs::canonicalize(env!("CARGO_BIN_EXE_path"))?;
    let program = program.to_str().ok_or("the path of a program is text")?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--compress-strings=no"])
        .arg(format!("--callgrind-out-file={}", out.display()))
        .args([program, path, &times.to_string()])
        .output()
        .map_err(|error| format!("this needs valgrind, which counts instructions: {error}"))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "valgrind {program} {path}: {errors}");
    let count = sum_of(&fs::read_to_string(&out)?, program)?;
    assert!(count > times, "valgrind has counted only {count} instructions of {program}: {errors}");
    Ok(count)
}

/// Returns the sum of the instructions that one of callgrind's files lists for a program's
/// functions.
///
/// Such a file has a line `ob=` where the functions of a program or library begin, and lines with a
/// position and a number of instructions. The line after a line `calls=` is about the called
/// function, whose instructions are counted at its own position.
fn sum_of(profile: &str, program: &str) -> Result<u64, Box<dyn Error>> {
    let (mut is_of_program, mut is_called, mut sum) = (false, false, 0);
    for line in profile.lines() {
        if let Some(object) = line.strip_prefix("ob=") {
            is_of_program = object == program;
        } else if line.starts_with("calls=") {
            is_called = true;
        } else if line.starts_with(|first: char| first.is_ascii_digit() || "+-*".contains(first)) {
            if is_of_program && !is_called {
                let (_, count) = line.split_once(' ').ok_or("a place and a number")?;
                sum += count.parse::<u64>()?;
            }
            is_called = false;
        }
    }
    Ok(sum)
}
