//! Measures a process's memory: the reserved part, the part in RAM, and the allocated part.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use anyhow::{Context, Result, ensure};
use kit::memory::Memory;

use crate::cases::Case;

/// The memory that one task or thread adds to a process, on average.
#[derive(Debug)]
pub(crate) struct Usage {
    /// Bytes of address space. They cost nothing until they're written to.
    pub(crate) reserved: f64,
    /// Bytes in RAM.
    pub(crate) resident: f64,
    /// Bytes from the allocator, and the number of blocks, if the case counts them.
    pub(crate) allocated: Option<(f64, f64)>,
}

/// Runs a case in this process and prints the memory that the case added, for [`in_process`].
pub(crate) fn report(case: Case, count: usize) -> Result<()> {
    let before = pages()?;
    let (kept, memory) = Memory::of(|| case(count));
    let after = pages()?;
    let page = rustix::param::page_size();
    let added = |which: usize| after[which].saturating_sub(before[which]) * page;
    println!("{} {} {} {}", added(0), added(1), memory.in_use, memory.allocations);
    // Exit without waking the waiting tasks.
    std::mem::forget(kept);
    std::process::exit(0)
}

/// Returns the number of reserved pages and the number of pages in RAM. See `proc_pid_statm(5)`.
fn pages() -> Result<[usize; 2]> {
    let text = fs::read_to_string("/proc/self/statm").context("read /proc/self/statm")?;
    let mut fields = text.split_whitespace().map(str::parse);
    let mut field = || fields.next().context("/proc/self/statm is too short");
    Ok([field()??, field()??])
}

/// Measures a case in a separate process, so that the case can't reuse memory freed by an earlier
/// case.
pub(crate) fn in_process(case: &str, count: usize) -> Result<Usage> {
    let this = std::env::current_exe().context("the path of this program")?;
    let output = Command::new(this).args(["--case", case, &count.to_string()]).output();
    usage_from(output.context("start a process")?, count)
}

/// Runs a case in CPython. Returns `None` if python3 isn't installed.
pub(crate) fn in_python(kind: &str, count: usize) -> Result<Option<Usage>> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/memory.py");
    let command = Command::new("python3").arg(script).args([kind, &count.to_string()]).output();
    command.ok().map(|output| usage_from(output, count)).transpose()
}

#[expect(clippy::cast_precision_loss, reason = "a share of some megabytes need not be exact")]
fn usage_from(output: Output, count: usize) -> Result<Usage> {
    let (text, errors) = (output.stdout, String::from_utf8_lossy(&output.stderr).into_owned());
    ensure!(output.status.success(), "a case failed: {errors}");
    let text = String::from_utf8(text)?;
    let each = |field: &str| Ok(field.parse::<f64>()? / count as f64);
    let fields: Vec<f64> = text.split_whitespace().map(each).collect::<Result<_>>()?;
    let [reserved, resident, ref rest @ ..] = fields[..] else {
        anyhow::bail!("a case answered {text:?}");
    };
    let allocated = if let [bytes, blocks] = *rest { Some((bytes, blocks)) } else { None };
    Ok(Usage { reserved, resident, allocated })
}
