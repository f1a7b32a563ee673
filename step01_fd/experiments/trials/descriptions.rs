//! Trials of `parse`: descriptions as the kernel writes them, and paths that only look like
//! descriptions.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use scene::{Program, Random, Transcript, say, trial};
use step01_fd::{Kind, parse};

const NOT_PATHS: &[&str] = &[
    "pipe:[0]",
    "pipe:[7]",
    "pipe:[4711]",
    "pipe:[2147483648]",
    "pipe:[4294967295]",
    "socket:[0]",
    "socket:[4711]",
    "socket:[4294967295]",
    "anon_inode:[eventpoll]",
    "anon_inode:[eventfd]",
    "anon_inode:[io_uring]",
    "anon_inode:[bpf-map]",
    "net:[4026531840]",
    "mnt:[4026531841]",
    "pidfd:[4711]",
    "pipe:[x]",
    "pipe:[7",
    "pipe:7]",
    "pipe:[[7]",
    "socket:[7]]",
    "socket:[7",
    "pipe:[]",
    "pipe:[-1]",
    "socket:[x]",
    "socket:[7 8]",
    "pipes:[7]",
    "mysocket:[7]",
    "",
    ":",
    "pipe",
    "[7]",
    "pipe:[18446744073709551616]",
    "socket:[18446744073709551616]",
    "pipe:[99999999999999999999999]",
    "pipe:[7] ",
    " pipe:[7]",
    "pipe:[7]\n",
    "pipe:[7]x",
    "pipe:[ 7]",
    "Pipe:[7]",
    "socket:[7] ",
    " socket:[7]",
    "socket:[7]\n",
    "net:[7] ",
    "anon_inodes:[eventfd]",
    "anon_inode:[a:b]",
    "anon_inode:[a b]",
    "a:b:[7]",
    "pipe:[7]:[8]",
    "/",
    "(unreachable)/",
    "(unreachable)/tmp/a ",
    "(unreachable)/tmp/a\n",
    "(unreachable)/pipe:[7]",
    "(unreachable)/a:[7]",
    "(unreachable)/\u{e9}",
];

/// Descriptions that are neither paths nor UTF-8.
const NOT_UTF8: &[&[u8]] = &[
    b"(unreachable)/caf\xe9/log",
    b"(unreachable)/\xff",
    b"(unreachable)/\xff \xfe",
    b"\xff",
    b"\xffpipe:[7]",
    b"pipe\xff:[7]",
    b"pipe:[\xff]",
    b"socket:[7\xff]",
];

/// Possible parts of a path. The last part isn't UTF-8.
const PARTS: &[&[u8]] = &[
    b"pipe:[7]",
    b"socket:[7]",
    b"anon_inode:[eventpoll]",
    b"net:[1]",
    b" (deleted)",
    b"memfd:",
    b"/",
    b"..",
    b":",
    b"[",
    b"]",
    b" ",
    b"\n",
    b"\t",
    b"a",
    b"dev/null",
    b"\xff",
];

trial!(
    descriptions,
    50,
    "Every description becomes the kind that it names, and a path stays unchanged."
);
fn descriptions(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let verbs: Vec<Vec<u8>> = match program.number() {
        0 => not_paths().collect(),
        1 => PARTS.iter().map(|part| [b"/", *part].concat()).collect(),
        _ => (0..8).map(|_| path(&mut random)).collect(),
    };
    for text in program.verbs(verbs) {
        let kind = parse(Path::new(OsStr::from_bytes(&text)));
        say!(t, "parse(\"{}\"): {}", text.escape_ascii(), described(&kind));
    }
    Ok(())
}

/// Returns descriptions that aren't absolute paths: with inodes at each power of two, and very long
/// ones.
fn not_paths() -> impl Iterator<Item = Vec<u8>> {
    let powers = (0..u64::BITS).map(|bit| 1 << bit);
    let inodes = powers.flat_map(|power: u64| [power - 1, power, power + 1]).chain([u64::MAX]);
    let numbered =
        inodes.flat_map(|inode| [format!("pipe:[{inode}]"), format!("socket:[{inode}]")]);
    let long = ["(unreachable)/", "net:", "/"].map(|start| start.to_owned() + &"long".repeat(500));
    let texts = NOT_PATHS.iter().map(|&text| text.to_owned()).chain(numbered).chain(long);
    texts.map(String::into_bytes).chain(NOT_UTF8.iter().map(|bytes| bytes.to_vec()))
}

fn path(random: &mut Random) -> Vec<u8> {
    let parts = (0..=random.below(4)).map(|_| random.choose(PARTS));
    parts.fold(b"/".to_vec(), |path, part| [path, part.to_vec()].concat())
}

/// Shows a path byte by byte, because two different paths compare as equal if they have the same
/// components.
fn described(kind: &Kind) -> String {
    match kind {
        Kind::Path(path) => format!("Path(\"{}\")", path.as_os_str().as_bytes().escape_ascii()),
        other => format!("{other:?}"),
    }
}
