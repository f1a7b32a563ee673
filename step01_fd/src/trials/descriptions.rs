//! Trials of `parse`: descriptions as the kernel writes them, and paths that only look like one.

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
    "pipe:[]",
    "pipe:[-1]",
    "socket:[x]",
    "socket:[7 8]",
    "pipes:[7]",
    "mysocket:[7]",
];

/// What the parts of a path can be. The last one isn't UTF-8.
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
    b"a",
    b"dev/null",
    b"\xff",
];

trial!(
    descriptions,
    50,
    "Every description becomes the kind that it says, and a path stays as it is."
);
fn descriptions(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let verbs: Vec<Vec<u8>> = match program.number() {
        0 => NOT_PATHS.iter().map(|text| text.as_bytes().to_vec()).collect(),
        1 => PARTS.iter().map(|part| [b"/", *part].concat()).collect(),
        _ => (0..8).map(|_| path(&mut random)).collect(),
    };
    for text in program.verbs(verbs) {
        let kind = parse(Path::new(OsStr::from_bytes(&text)));
        say!(t, "parse(\"{}\"): {}", text.escape_ascii(), described(&kind));
    }
    Ok(())
}

fn path(random: &mut Random) -> Vec<u8> {
    let parts = (0..=random.below(4)).map(|_| random.choose(PARTS));
    parts.fold(b"/".to_vec(), |path, part| [path, part.to_vec()].concat())
}

/// Shows a path byte by byte, because paths are equal if their components are.
fn described(kind: &Kind) -> String {
    match kind {
        Kind::Path(path) => format!("Path(\"{}\")", path.as_os_str().as_bytes().escape_ascii()),
        other => format!("{other:?}"),
    }
}
