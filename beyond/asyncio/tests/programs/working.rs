//! The programs that measure, fetch and ask: `blocked`, `crawl` and `resolver`.

#[allow(dead_code, reason = "it's a part of a program")]
#[path = "../../examples/resolver/dns.rs"]
mod dns;
use std::fs::{self, File};
use std::io::Write;
use std::net::UdpSocket;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use crate::support::Program;
use kit::limit_time;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::process::Signal;

/// A FIFO, which is removed with the test.
struct Fifo(String);

impl Fifo {
    fn new() -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let (process, number) = (std::process::id(), MADE.fetch_add(1, Relaxed));
        let path = format!("{}/{process}_{number}.fifo", env!("CARGO_TARGET_TMPDIR"));
        let _ = fs::remove_file(&path);
        mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        Fifo(path)
    }

    /// Waits until the program reads and returns the end that keeps it waiting.
    fn opened(&self) -> File {
        File::options().write(true).open(&self.0).unwrap()
    }
}

impl Drop for Fifo {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Returns the delay of a line's latest beat in milliseconds.
fn lateness(line: &str) -> f64 {
    let (_, after) = line.split_once("at most ").unwrap();
    after.split_once(" ms late").unwrap().0.parse().unwrap()
}

#[test]
fn a_read_in_the_loop_stops_the_heart_and_one_on_a_thread_does_not() {
    let fifo = Fifo::new();
    let mut blocked = Program::start("blocked", &["--read", &fifo.0]);
    assert!(blocked.line().starts_with("no work at all  ...."));
    let mut writer = fifo.opened();
    thread::sleep(Duration::from_millis(500));
    writer.write_all(b"done").unwrap();
    drop(writer);
    let line = blocked.line();
    assert!(line.starts_with("   in the loop") && lateness(&line) > 400.0, "{line}");
    let report = blocked.line();
    assert!(report.contains("debug mode: Executing <Task"), "{report}");
    assert!(report.contains("created at beyond/asyncio/examples/blocked.rs:"), "{report}");
    let writer = fifo.opened();
    // Far more beats than before the read: the read is under way, and the heart goes on.
    blocked.reads_up_to("on a thread  ..............................");
    drop(writer);
    assert!(lateness(&blocked.line()) >= 0.0);
    assert_eq!(blocked.end().code, Some(0));
}

#[test]
fn not_even_ctrl_c_has_an_effect_while_a_read_keeps_the_loop() {
    let fifo = Fifo::new();
    let mut blocked = Program::start("blocked", &["--read", &fifo.0]);
    blocked.line();
    let mut writer = fifo.opened();
    blocked.signal(Signal::INT);
    // The program still reads: otherwise this would fail with EPIPE.
    writer.write_all(b"done").unwrap();
    drop(writer);
    let end = blocked.end();
    assert_eq!((end.code, end.errors.as_str()), (Some(130), ""), "{}", end.rest);
    assert!(end.rest.starts_with("   in the loop"), "{}", end.rest);
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let end = Program::start("blocked", &["--read", "/no/such/file"]).end();
    assert_eq!(end.code, Some(1));
    let error = "error: read /no/such/file: No such file or directory (os error 2)\n";
    assert_eq!(end.errors, error);
}

#[test]
fn both_crawls_fetch_every_page_and_the_queue_needs_less_memory() {
    let mut crawl =
        Program::start("crawl", &["--pages", "2000", "--at-a-time", "7", "--room", "9"]);
    assert!(crawl.line().starts_with("2000 pages at http://127.0.0.1:"));
    // A page is fifty times its request, `GET /page/N HTTP/1.0` and four bytes of line ends.
    let bytes: usize =
        (1..=2000).map(|page| 50 * format!("GET /page/{page} HTTP/1.0....").len()).sum();
    let kib = [": ", ": "].map(|_| {
        let line = crawl.line();
        assert!(line.contains(&format!(": 2000 pages, {bytes} bytes, ")), "{line}");
        let (rest, _) = line.split_once(" KiB at most").unwrap();
        rest.rsplit(' ').next().unwrap().parse::<u64>().unwrap()
    });
    assert!(kib[0] > 5 * kib[1], "{kib:?}");
    assert_eq!(crawl.end().code, Some(0));
}

/// Runs crawl with this limit of descriptors.
fn crawl_with_descriptors(limit: u32, arguments: &[&str]) -> Output {
    limit_time();
    let crawl = kit::example("asyncio", "crawl");
    let mut limited = Command::new("sh");
    limited.args(["-c", &format!("ulimit -n {limit} && exec \"$@\""), "sh"]);
    limited.arg(crawl.get_program()).args(crawl.get_args()).args(arguments);
    limited.current_dir(crawl.get_current_dir().unwrap()).output().unwrap()
}

#[test]
fn a_crawl_fetches_no_more_at_a_time_than_it_may() {
    // Each page has a descriptor here and another in the server.
    let output = crawl_with_descriptors(64, &["--pages", "1000", "--at-a-time", "10"]);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}

#[test]
fn a_crawl_starts_no_more_workers_than_there_are_pages() {
    let most = usize::MAX.to_string();
    let mut crawl = Program::start("crawl", &["--pages", "7", "--at-a-time", &most]);
    assert!(crawl.line().ends_with(", 7 at a time"));
    assert_eq!(crawl.end().code, Some(0));
}

#[test]
fn a_crawl_without_descriptors_is_a_line_of_errors() {
    let output = crawl_with_descriptors(256, &["--at-a-time", "1000"]);
    assert_eq!(output.status.code(), Some(1));
    let errors = String::from_utf8(output.stderr).unwrap();
    let last = errors.lines().last().unwrap();
    assert!(last.starts_with("error: ") && last.contains("Too many open files"), "{errors}");
}

#[test]
fn twenty_lookups_have_their_own_answers_in_any_order() {
    let mut resolver = Program::start("resolver", &[]);
    assert!(resolver.line().ends_with("; lookups at once: 20"));
    let mut found: Vec<String> =
        (0..20).map(|_| resolver.line().split_once(" ms  ").unwrap().1.to_owned()).collect();
    found.sort();
    let mut expected: Vec<String> =
        (1..20).map(|n| format!("host{n}.example  [192.0.2.{n}]")).collect();
    expected.push("host20.example  there's no such name".to_owned());
    expected.sort();
    assert_eq!(found, expected);
    assert_eq!(resolver.end().code, Some(0));
}

/// An answer to a question, with these records after the question.
fn answer_to(question: &[u8], count: u8, records: &[u8]) -> Vec<u8> {
    let mut answer = [question, records].concat();
    answer[2] |= 0x80;
    answer[7] = count;
    answer
}

#[test]
fn a_lookup_ignores_forgeries_and_follows_an_alias() {
    let server = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap().to_string();
    let mut resolver = Program::start("resolver", &["--server", &address, "WWW.example"]);
    let mut buffer = [0; 512];
    let (count, client) = server.recv_from(&mut buffer).unwrap();
    let question = &buffer[..count];
    assert_eq!(&question[12..], b"\x03www\x07example\0\0\x01\0\x01");
    let forged = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 6, 6, 6, 6];
    // Another number, another name, another sender, and no packet of DNS at all.
    let mut other_id = answer_to(question, 1, &forged);
    other_id[0] ^= 1;
    server.send_to(&other_id, client).unwrap();
    let mut other_name = answer_to(question, 1, &forged);
    other_name[13] = b'x';
    server.send_to(&other_name, client).unwrap();
    let stranger = UdpSocket::bind("127.0.0.1:0").unwrap();
    stranger.send_to(&answer_to(question, 1, &forged), client).unwrap();
    server.send_to(b"hello", client).unwrap();
    // www is an alias of real.example, which has the address. The name ends with a pointer to
    // `example` in the question.
    let alias = b"\xc0\x0c\0\x05\0\x01\0\0\0\x3c\0\x07\x04real\xc0\x10";
    let address = b"\xc0\x29\0\x01\0\x01\0\0\0\x3c\0\x04\xc0\0\x02\x07";
    let records = [&alias[..], address].concat();
    server.send_to(&answer_to(question, 2, &records), client).unwrap();
    resolver.line();
    assert!(resolver.line().ends_with("www.example  [192.0.2.7]"));
    assert_eq!(resolver.end().code, Some(0));
}

#[test]
fn a_server_that_says_nothing_is_asked_twice() {
    let server = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap().to_string();
    let mut resolver = Program::start("resolver", &["--server", &address, "www.example"]);
    let mut questions = [[0; 64]; 2];
    for question in &mut questions {
        server.recv(question).unwrap();
    }
    assert_eq!(questions[0][12..], questions[1][12..]);
    resolver.line();
    assert!(resolver.line().ends_with("www.example  timed out"));
}

#[test]
fn a_server_without_a_port_is_asked_at_port_53() {
    let mut resolver = Program::start("resolver", &["--server", "127.0.0.1", "www.example"]);
    assert_eq!(resolver.line(), "asks 127.0.0.1:53; lookups at once: 1");
}

#[test]
fn a_server_that_is_not_there_is_a_line_of_errors() {
    let end = Program::start("resolver", &["--server", "127.0.0.1:9", "www.example"]).end();
    let error = "error: recv, connected to 127.0.0.1:9: Connection refused (os error 111)\n";
    assert_eq!((end.code, end.errors.as_str()), (Some(1), error), "{}", end.rest);
}

#[test]
fn a_name_that_is_none_is_a_line_of_errors() {
    let end = Program::start("resolver", &["www..example"]).end();
    let error =
        "error: \"www..example\": a name has 253 bytes at most, and each of its labels 1 to 63\n";
    assert_eq!((end.code, end.errors.as_str()), (Some(1), error), "{}", end.rest);
}

#[test]
fn a_name_can_be_written_in_full_with_a_dot_at_its_end() {
    let mut resolver = Program::start("resolver", &["host1.example."]);
    resolver.line();
    assert!(resolver.line().ends_with("host1.example  [192.0.2.1]"));
}

#[test]
fn a_question_is_the_bytes_of_the_rfc() {
    let question = dns::question(0x1234, "www.example").unwrap();
    let header = b"\x12\x34\x01\0\0\x01\0\0\0\0\0\0";
    assert_eq!(question, [&header[..], b"\x03www\x07example\0\0\x01\0\x01"].concat());
    let longest = format!("{}a", "b.".repeat(126));
    assert!(dns::question(1, &longest).is_ok());
    for name in ["", "a..b", ".a", &"x".repeat(64), &format!("{longest}b")] {
        assert!(dns::question(1, name).is_err(), "{name:?}");
    }
    assert!(dns::question(1, &"x".repeat(63)).is_ok());
}

#[test]
fn pointers_in_names_lead_back_or_are_refused() {
    limit_time();
    let question = dns::question(7, "www.example").unwrap();
    let record = |name: &[u8]| {
        let record = [name, b"\0\x01\0\x01\0\0\0\x3c\0\x04\xc0\0\x02\x01"].concat();
        dns::answer(&answer_to(&question, 1, &record))
    };
    let here = u8::try_from(question.len()).unwrap();
    let good = ((7, "www.example".to_owned()), "[192.0.2.1]".to_owned());
    assert_eq!(record(&[0xc0, 12]), Some(good.clone()));
    // A pointer to the second label, without and with a label of its own before it.
    assert_eq!(record(&[0xc0, 16]), Some(good.clone()));
    assert_eq!(record(&[1, b'a', 0xc0, 16]), Some(good));
    // Pointers to themselves, forwards, and to a label that a pointer back to it follows.
    for name in [&[0xc0, here][..], &[0xc0, here + 4], &[1, b'a', 0xc0, here]] {
        assert_eq!(record(name), None, "{name:?}");
    }
    // A length that's reserved.
    assert_eq!(record(&[0x40]), None);
}

#[test]
fn no_packet_makes_it_panic() {
    limit_time();
    let question = dns::question(7, "www.example").unwrap();
    let whole = answer_to(&question, 1, &[0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 1]);
    for end in 0..whole.len() {
        assert!(dns::answer(&whole[..end]).is_none(), "{end}");
    }
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..100_000 {
        let mut packet = whole.clone();
        for _ in 0..random.usize(1..4) {
            let at = random.usize(..packet.len());
            packet[at] = random.u8(..);
        }
        // Whatever the packet is, parsing it comes to an end.
        let _ = dns::answer(&packet);
    }
}
