//! A reader with a notebook: a root in which everything is the workbook's, by links, but for
//! `work/` and `target/`.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use judging::notebook::Notebook;
use judging::workbook::Workbook;

/// A reader's copy of the workbook, while a test uses it.
pub(crate) struct Reader {
    notebook: Notebook,
    /// No other test uses this copy before the file is closed.
    _lock: File,
}

/// How a program of the reader's has ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Reader {
    /// Makes a notebook whose pages all have the reference's bodies, with the first layers in use.
    pub(crate) fn with_their_own(layers: usize) -> Reader {
        let real = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("reader");
        fs::create_dir_all(&root).unwrap();
        let lock = File::create(root.join("lock")).unwrap();
        lock.lock().unwrap();
        for entry in fs::read_dir(real).unwrap() {
            let name = entry.unwrap().file_name();
            let is_theirs = ["work", "target", ".git"].iter().any(|theirs| name == *theirs);
            let to = root.join(&name);
            if !is_theirs && fs::symlink_metadata(&to).is_err() {
                std::os::unix::fs::symlink(real.join(&name), to).unwrap();
            }
        }
        let notebook = Notebook::of(Workbook::at(root).unwrap());
        let _ = fs::remove_dir_all(notebook.dir.join(".state"));
        for name in notebook.workbook.steps().unwrap() {
            let _ = fs::remove_dir_all(notebook.page(&name));
        }
        let _ = fs::remove_file(notebook.dir.join("Cargo.toml"));
        for name in notebook.layers().unwrap() {
            notebook.carry_page(&name, &notebook.workbook.step(&name).join("src")).unwrap();
        }
        for name in notebook.layers().unwrap().iter().take(layers) {
            notebook.switch_layer(name, true).unwrap();
        }
        Reader { notebook, _lock: lock }
    }

    /// Replaces a part of a file in the reader's pages.
    pub(crate) fn edit(&self, file: &str, from: &str, to: &str) {
        let file = self.notebook.dir.join(file);
        let text = fs::read_to_string(&file).unwrap();
        assert_eq!(text.matches(from).count(), 1, "{from} in {}", file.display());
        fs::write(&file, text.replace(from, to)).unwrap();
    }

    /// Runs a Python program with `run-mine python`.
    pub(crate) fn python(&self, program: &str) -> Ran {
        let root = &self.notebook.workbook.root;
        let file = root.join("target/program.py");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, program).unwrap();
        let ended = Command::new(env!("CARGO"))
            .current_dir(root)
            .args(["run", "--quiet", "--", "run-mine", "python", "--"])
            .arg(&file)
            .env_remove("CARGO_TARGET_DIR")
            .env_remove("CARGO_MANIFEST_DIR")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        Ran {
            code: ended.status.code(),
            out: String::from_utf8(ended.stdout).unwrap(),
            err: String::from_utf8(ended.stderr).unwrap(),
        }
    }
}
