//! The archive for a room without a network: what's in it is all that cargo needs there.

#[path = "common/copy.rs"]
mod copy;

use std::fs;
use std::path::Path;
use std::process::Command;

use copy::{STEP, Workbook};

/// The program that builds the book, in a line.
const BOOK: &str = "fn main() { let _ = std::fs::create_dir_all(\"target/book\"); \
                    std::fs::write(\"target/book/index.html\", \"<p>A book\").expect(\"write\"); }\n";

/// Makes a copy that's a git repository, with a book.
fn workbook() -> Workbook {
    let workbook = Workbook::of_its_own("pack");
    let root = &workbook.root;
    // Links would lead out of the archive.
    let crates = fs::canonicalize(root.join("workbook")).expect("the workbook's crates");
    fs::remove_file(root.join("workbook")).expect("remove the link");
    for name in ["kit", "runner", "scene"] {
        copy::copy_dir(&crates.join(name), &root.join("workbook").join(name));
    }
    copy::copy_dir(&crates.join("../.cargo"), &root.join(".cargo"));
    let manifest = fs::read_to_string(root.join("Cargo.toml")).expect("read");
    let manifest = manifest.replace("members = [", "members = [\"book\", ");
    fs::write(root.join("Cargo.toml"), manifest).expect("write");
    fs::create_dir_all(root.join("book/src")).expect("make the book");
    let book = "[package]\nname = \"book\"\nedition = \"2024\"\n";
    fs::write(root.join("book/Cargo.toml"), book).expect("write");
    fs::write(root.join("book/src/main.rs"), BOOK).expect("write");
    fs::write(root.join(".gitignore"), "/target\n/work\n").expect("write");
    let updated = workbook.cargo_in(".", &["metadata", "--format-version", "1"]);
    assert_eq!(updated.code, Some(0), "{updated:?}");
    // The last run has left these.
    let _ = fs::remove_file(root.join("notes.txt"));
    let _ = fs::remove_dir_all(root.join(".git"));
    git(root, &["init", "--quiet"]);
    git(root, &["add", "."]);
    let me = ["-c", "user.name=Author", "-c", "user.email=author@example.org"];
    git(root, &[&me[..], &["commit", "--quiet", "-m", "All of it"]].concat());
    workbook
}

fn git(dir: &Path, words: &[&str]) {
    let status = Command::new("git").current_dir(dir).args(words).status();
    assert!(status.expect("run git").success(), "git {words:?}");
}

#[test]
fn what_was_packed_needs_no_network_where_it_is_unpacked() {
    let workbook = workbook();
    fs::write(workbook.root.join("notes.txt"), "mine").expect("write");
    let packed = workbook.cargo_in(".", &["run", "--quiet", "-p", "runner", "--", "pack"]);
    assert_eq!(packed.code, Some(0), "{packed:?}");
    assert!(packed.out.contains("event-loop-workbook.tar.gz is ready"), "{packed:?}");
    assert!(packed.out.contains("What isn't committed doesn't go"), "{packed:?}");

    // Nothing above this directory tells cargo anything, and neither does a home of the user's.
    let room = std::env::temp_dir().join(format!("workbook-room-{}", std::process::id()));
    let _ = fs::remove_dir_all(&room);
    fs::create_dir_all(room.join("home")).expect("make the room");
    let archive = workbook.root.join("target/event-loop-workbook.tar.gz");
    let tar = Command::new("tar").current_dir(&room).arg("-xzf").arg(archive).status();
    assert!(tar.expect("run tar").success());
    let unpacked = room.join("event-loop-workbook");
    let cargo = |words: &[&str]| {
        let mut command = workbook.cargo(words);
        command.current_dir(unpacked.join("workbook"));
        command.env("CARGO_HOME", room.join("home")).env("CARGO_NET_OFFLINE", "true");
        copy::ran(command.output().expect("run cargo"))
    };
    // Cargo reads the manifest of each crate, and holds those that it compiles against their checksums.
    let all = cargo(&["metadata", "--frozen", "--format-version", "1"]);
    assert_eq!(all.code, Some(0), "{}", all.err);
    assert!(all.out.contains(STEP) && !all.out.contains("registry/src"), "{}", all.out);
    let built = cargo(&["build", "--quiet", "--frozen", "-p", "scene"]);
    assert_eq!(built.code, Some(0), "{}", built.err);
    let book = fs::read_to_string(unpacked.join("book/index.html")).expect("read the book");
    assert_eq!(book, "<p>A book");
    assert!(unpacked.join("README.txt").exists());
    assert!(!unpacked.join("workbook/notes.txt").exists());

    // Without a crate, it doesn't work: so it did come from the archive.
    fs::remove_dir_all(unpacked.join("vendor")).expect("remove the crates");
    assert_ne!(cargo(&["metadata", "--frozen", "--format-version", "1"]).code, Some(0));
    fs::remove_dir_all(room).expect("leave the room");
}
