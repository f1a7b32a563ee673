//! Simulates classes on a single machine and measures how long an answer takes:
//! `cargo run -p class --example load`.
//!
//! The server runs in a separate process, as in a lesson, in the build that `cargo run -p book`
//! makes. The students run in this process, on the same loop. Each student has an open stream,
//! answers each poll after up to a second of thought, and waits for the acknowledgement. Three of
//! them are hostile (`hostile.rs`). At the end, we kill a server in the middle of a poll and
//! restart it.

#[path = "client.rs"]
mod client;
#[path = "hostile.rs"]
mod hostile;
#[path = "../../tests/support/mod.rs"]
mod support;

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::fs;
use std::io::{Write, stdout};
use std::process::{Command, Stdio};
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use asyncio::{create_task, run, sleep};
use serde_json::{Value, json};

use client::{Connection, ServerAddress};
use support::{RIGHT, Server, round};

/// The number of polls that a simulated class answers.
const ROUNDS: usize = 10;

/// The maximum time for which a simulated student thinks, in milliseconds.
const THOUGHT: u64 = 1000;

/// The maximum time for which a poll is open.
const OPEN: Duration = Duration::from_mins(1);

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words == ["serve"] {
        support::server::serve();
        return Ok(());
    }
    if let [first, address, code, count] = words.as_slice()
        && first == "attack"
    {
        return hostile::attack(address, code, count.parse()?);
    }
    let sizes: Vec<usize> = words.iter().map(|word| word.parse()).collect::<Result<_, _>>()?;
    let sizes = if sizes.is_empty() { vec![40, 200] } else { sizes };
    let mut out = stdout();
    writeln!(
        out,
        "| class | answers | median | 99th percentile | longest | processor time per answer | of a core | \
         memory | machine's load |\n| --- | --: | --: | --: | --: | --: | --: | --: | --: |"
    )?;
    for &size in &sizes {
        for hostile in [0, 3] {
            let row = measured(size, hostile)?;
            writeln!(out, "{row}")?;
            out.flush()?;
        }
    }
    for &size in &sizes {
        writeln!(out, "\n{}", restarted(size)?)?;
    }
    Ok(())
}

/// The data that a simulated class's students share.
struct Class {
    server: ServerAddress,
    teacher: String,
    code: String,
    /// The response times of the acknowledged answers.
    latencies: RefCell<Vec<Duration>>,
    /// The students who have answered the current poll.
    acknowledged: RefCell<BTreeSet<usize>>,
    is_over: Cell<bool>,
}

impl Class {
    fn of(server: &Server) -> Rc<Self> {
        Rc::new(Class {
            server: ServerAddress::at(server.address),
            teacher: server.teacher.clone(),
            code: server.code.clone(),
            latencies: RefCell::default(),
            acknowledged: RefCell::default(),
            is_over: Cell::new(false),
        })
    }

    /// Sends a request as the teacher.
    async fn teach(&self, path: &str, body: Value) -> asyncio::Result<()> {
        let mut connection = Connection::open(&self.server).await?;
        let (status, said) =
            connection.post(&format!("teach/{path}"), &self.teacher, &body).await?;
        if status == 200 { Ok(()) } else { Err(asyncio::Error::other(format!("{path}: {said}"))) }
    }
}

/// Plays an honest student until the class is over.
async fn student(class: Rc<Class>, number: usize) -> asyncio::Result<()> {
    let mut connection = Connection::open(&class.server).await?;
    let body = json!({ "code": class.code, "name": format!("Student {number}") });
    let (status, said) = connection.post("join", "", &body).await?;
    if status != 200 {
        return Err(asyncio::Error::other(format!("join: {status} {said}")));
    }
    let joined: Value = serde_json::from_str(&said).unwrap_or_default();
    let token = joined["token"].as_str().unwrap_or_default().to_owned();
    while !class.is_over.get() {
        // When a stream ends, the student opens a new stream, as a page would.
        match attend(&class, number, &token).await {
            Err(error) if error.is_cancelled() => return Err(error),
            _ => {}
        }
        sleep(Duration::from_millis(200)).await?;
    }
    Ok(())
}

/// Follows a stream and answers each open poll.
async fn attend(class: &Class, number: usize, token: &str) -> asyncio::Result<()> {
    let mut random = u64::try_from(number).unwrap_or_default() + 1;
    let mut connection = Connection::open(&class.server).await?;
    let mut events = Connection::listen(&class.server, &mut connection, "ticket", token).await?;
    while let Some(event) = events.next_event().await? {
        let poll = &event["poll"];
        if event["event"] == "poll" && poll["phase"] == "open" && poll["answered"] == false {
            // xorshift: the thinking times differ from each other but not from run to run.
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            sleep(Duration::from_millis(random % THOUGHT)).await?;
            let body = json!({ "poll": poll["id"], "typed": RIGHT });
            let asked = Instant::now();
            let (status, _) = connection.post("answer", token, &body).await?;
            // 409 means that the server has kept the answer, but a crash lost the acknowledgement.
            if status == 200 || status == 409 {
                class.latencies.borrow_mut().push(asked.elapsed());
                class.acknowledged.borrow_mut().insert(number);
            }
        }
    }
    Ok(())
}

/// Opens a poll, waits until all honest students have answered, and closes it.
async fn hold(class: &Class, poll: usize, honest: usize) -> asyncio::Result<()> {
    class.acknowledged.borrow_mut().clear();
    class.teach("open", json!({ "id": round(poll) })).await?;
    wait_for_answers(class, honest).await?;
    class.teach("close", json!({})).await?;
    class.teach("done", json!({})).await
}

async fn wait_for_answers(class: &Class, count: usize) -> asyncio::Result<()> {
    let begin = Instant::now();
    while class.acknowledged.borrow().len() < count {
        if begin.elapsed() > OPEN {
            let answered = class.acknowledged.borrow().len();
            return Err(asyncio::Error::other(format!("{answered} of {count} have answered")));
        }
        sleep(Duration::from_millis(20)).await?;
    }
    Ok(())
}

fn start(class: &Rc<Class>, honest: usize) -> asyncio::Result<()> {
    for number in 0..honest {
        let class = Rc::clone(class);
        create_task(async move {
            if let Err(error) = student(class, number).await
                && !error.is_cancelled()
            {
                eprintln!("student {number}: {error}");
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// Holds some polls and returns a row for the table of results.
fn measured(size: usize, hostile: usize) -> Result<String> {
    let server = Server::start();
    let class = Class::of(&server);
    let honest = size - hostile;
    let shared = Rc::clone(&class);
    let id = server.id();
    let attackers = Command::new(std::env::current_exe()?)
        .args(["attack", &server.address.to_string(), &server.code, &hostile.to_string()])
        .stdin(Stdio::piped())
        .spawn()?;
    let (spent, took) = run(async move {
        start(&shared, honest)?;
        // By then, all students have joined and the attacks have begun.
        sleep(Duration::from_secs(3)).await?;
        let (before, begin) = (processor_time(id), Instant::now());
        for poll in 0..ROUNDS {
            hold(&shared, poll, honest).await?;
        }
        let spent = processor_time(id).saturating_sub(before);
        shared.is_over.set(true);
        Ok((spent, begin.elapsed()))
    })?;
    // This closes the attackers' input, which ends the attacks.
    attackers.wait_with_output()?;
    let mut latencies = class.latencies.take();
    latencies.sort_unstable();
    let all = latencies.len();
    ensure!(all >= honest * ROUNDS, "{all} answers of {}", honest * ROUNDS);
    let at = |share: usize| latencies[(all * share / 1000).min(all - 1)].as_secs_f64() * 1000.0;
    let per_answer = spent.as_secs_f64() * 1000.0 / f64::from(u32::try_from(all)?);
    let share = spent.as_secs_f64() / took.as_secs_f64() * 100.0;
    let (memory, load) = (memory(id)?, load()?);
    Ok(format!(
        "| {size}, {hostile} of them hostile | {all} | {:.1} ms | {:.1} ms | {:.1} ms | {per_answer:.1} ms | \
         {share:.0} % | {memory:.1} MB | {load} |",
        at(500),
        at(990),
        at(1000),
    ))
}

/// Kills the server in the middle of a poll and reports which answers survived.
fn restarted(size: usize) -> Result<String> {
    let mut server = Server::start();
    let class = Class::of(&server);
    let shared = Rc::clone(&class);
    run(async move {
        let class = &shared;
        start(class, size)?;
        sleep(Duration::from_secs(3)).await?;
        class.teach("open", json!({ "id": round(0) })).await?;
        wait_for_answers(class, size / 2).await?;
        let before = class.acknowledged.borrow().clone();
        let killed = Instant::now();
        server.crash_and_restart();
        let back = killed.elapsed();
        let kept = board(class).await?;
        let lost = before.iter().filter(|number| !kept.contains(&format!("Student {number}"))).count();
        wait_for_answers(class, size).await?;
        let all = killed.elapsed();
        class.is_over.set(true);
        Ok(format!(
            "Killed after {} of {size} acknowledged answers: {lost} of them lost; the server was back after \
             {:.2} s, and the last of all {size} was acknowledged {:.1} s after the kill.",
            before.len(),
            back.as_secs_f64(),
            all.as_secs_f64(),
        ))
    })
    .context("a restart")
}

/// Returns the names of the students whose answers the server has.
async fn board(class: &Class) -> asyncio::Result<BTreeSet<String>> {
    let mut connection = Connection::open(&class.server).await?;
    let listened =
        Connection::listen(&class.server, &mut connection, "teach/ticket", &class.teacher).await;
    let mut events = listened?;
    while let Some(event) = events.next_event().await? {
        if let Some(students) = event["students"].as_array() {
            let answered = students.iter().filter(|student| student["answered"] == true);
            let names = answered.filter_map(|student| student["name"].as_str());
            return Ok(names.map(str::to_owned).collect());
        }
    }
    Err(asyncio::Error::other("the teacher's stream has ended"))
}

/// Returns the processor time that a process has used.
fn processor_time(id: u32) -> Duration {
    // The fields after the name: user time and system time are the 12th and the 13th, in
    // hundredths.
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: u64 = fields.skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}

/// Returns a process's peak memory, in megabytes.
fn memory(id: u32) -> Result<f64> {
    let status = fs::read_to_string(format!("/proc/{id}/status"))?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).context("VmHWM")?;
    let kilobytes: f64 = line.split_whitespace().nth(1).context("a number")?.parse()?;
    Ok(kilobytes / 1000.0)
}

fn load() -> Result<String> {
    let text = fs::read_to_string("/proc/loadavg")?;
    Ok(text.split(' ').next().unwrap_or_default().to_owned())
}
