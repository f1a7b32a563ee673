//! Keeps the results of the reference's run of a trial, so that the next judgement can use them.
//! The reference doesn't change between two edits of a page, so if the page's results equal the
//! kept results, the reference doesn't have to run again.
//!
//! If a page's results differ from the kept results, the reference runs again, because the kept
//! results could be wrong. For instance, the machine may have been too busy during the run that
//! produced them.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::step::Check;
use scene::record::Record;

use crate::run::{ProgramRun, SceneRun};

/// The file in which one trial's run is kept.
#[derive(Debug)]
pub(crate) struct Kept {
    file: PathBuf,
    /// The identity of the program whose run is kept.
    identity: String,
    /// The number of programs in a whole run.
    programs: usize,
}

impl Kept {
    /// Returns the file for the reference's runs of a trial, next to the reference's program.
    /// Returns `None` if that program's file has been replaced since the program started.
    pub(crate) fn of(trial: Check, reference: &Path) -> Option<Kept> {
        // The path of a step's own program is a link, so follow it.
        let program = fs::read_link(reference).unwrap_or_else(|_| reference.to_owned());
        let running = identity(reference)?;
        (identity(&program)? == running).then(|| Kept::beside(&program, running, trial))
    }

    fn beside(program: &Path, identity: String, trial: Check) -> Kept {
        let file = program.with_extension("runs").join(trial.name);
        let programs = usize::try_from(trial.programs).unwrap_or(usize::MAX);
        Kept { file, identity, programs }
    }

    /// Reads the kept run. Returns `None` unless the file contains a complete run of this program.
    pub(crate) fn read(&self) -> Option<SceneRun> {
        let bytes = fs::read(&self.file).ok()?;
        let mut rest = bytes.as_slice();
        let mut records = std::iter::from_fn(|| Record::read(&mut rest).ok().flatten());
        if records.next()? != Record::Line(self.identity.clone()) {
            return None;
        }
        let mut programs = Vec::new();
        loop {
            match records.next()? {
                Record::Program(text) => programs.push(ProgramRun::parse(&text)),
                Record::End => break,
                _ => return None,
            }
        }
        // If the run had fewer programs, we couldn't compare all of the page's programs.
        let is_whole = programs.len() == self.programs && rest.is_empty();
        is_whole.then(|| SceneRun { programs, ..SceneRun::default() })
    }

    /// Writes a run to the file, unless the run is incomplete or has faults.
    pub(crate) fn write(&self, run: &SceneRun) {
        if !run.faults.is_empty() || run.programs.len() != self.programs {
            return;
        }
        let programs = run.programs.iter().map(|program| Record::Program(program.text()));
        let records = std::iter::once(Record::Line(self.identity.clone())).chain(programs);
        let bytes: Vec<u8> =
            records.chain([Record::End]).flat_map(|record| record.encoded()).collect();
        // Write to a different file and rename that file once it's complete, because another
        // process can read the run at any time. An error here only means that the reference has to
        // run again.
        let unfinished = self.file.with_extension(std::process::id().to_string());
        let _ = self.file.parent().map_or(Ok(()), fs::create_dir_all);
        if fs::write(&unfinished, bytes).and_then(|()| fs::rename(&unfinished, &self.file)).is_err()
        {
            let _ = fs::remove_file(&unfinished);
        }
    }
}

/// Returns a string that changes when a program is rebuilt.
fn identity(program: &Path) -> Option<String> {
    let file = fs::metadata(program).ok()?;
    let (seconds, nanoseconds) = (file.mtime(), file.mtime_nsec());
    let (device, inode, length) = (file.dev(), file.ino(), file.len());
    Some(format!("{device} {inode} {seconds}.{nanoseconds:09} {length}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Fault;

    /// Returns the file for a trial's runs, in a directory for this test.
    fn kept(test: &str, identity: &str) -> Kept {
        let name = format!("workbook-{test}-{}", std::process::id());
        let file = std::env::temp_dir().join(name).join("trial");
        Kept { file, identity: identity.to_owned(), programs: 2 }
    }

    fn run(transcripts: [&str; 2]) -> SceneRun {
        let program = |transcript: &str| ProgramRun { verbs: 3, transcript: transcript.to_owned() };
        SceneRun { programs: transcripts.map(program).to_vec(), ..SceneRun::default() }
    }

    fn remove(kept: &Kept) {
        let dir = kept.file.parent().expect("its directory");
        fs::remove_dir_all(dir).expect("remove the directory");
    }

    #[test]
    fn a_program_that_was_built_again_has_no_kept_run() {
        let program = std::env::temp_dir().join(format!("workbook-built-{}", std::process::id()));
        fs::write(&program, "before").expect("write");
        let before = identity(&program).expect("its identity");
        assert_eq!(identity(&program).as_ref(), Some(&before));
        fs::write(&program, "built again").expect("write");
        let after = identity(&program).expect("its identity");
        fs::remove_file(&program).expect("remove");
        assert_ne!(after, before);

        let first = kept("rebuilt", &before);
        first.write(&run(["one\n", "two\n"]));
        assert_eq!(kept("rebuilt", &after).read(), None);
        remove(&first);
    }

    #[test]
    fn a_damaged_file_is_no_kept_run() {
        let kept = kept("damaged", "1");
        let run = run(["one\n", "two\n"]);
        kept.write(&run);
        assert_eq!(kept.read(), Some(run));
        let whole = fs::read(&kept.file).expect("read");
        for length in 0..whole.len() {
            fs::write(&kept.file, &whole[..length]).expect("write");
            assert_eq!(kept.read(), None, "cut after {length} bytes");
        }
        let one_more = Record::Program("3\nthree\n".to_owned()).encoded();
        let end = whole.len() - Record::End.encoded().len();
        for damaged in [
            vec![0xff; whole.len()],
            [&whole[..], &[0]].concat(),
            [&whole[..end], &one_more, &whole[end..]].concat(),
        ] {
            fs::write(&kept.file, damaged).expect("write");
            assert_eq!(kept.read(), None);
        }
        remove(&kept);
    }

    #[test]
    fn a_run_with_a_fault_or_with_fewer_programs_is_not_kept() {
        let kept = kept("faulty", "1");
        let whole = run(["one\n", "two\n"]);
        kept.write(&SceneRun { faults: vec![Fault::StackOverflow], ..whole.clone() });
        kept.write(&SceneRun { programs: whole.programs[..1].to_vec(), ..whole });
        assert_eq!(kept.read(), None);
    }
}
