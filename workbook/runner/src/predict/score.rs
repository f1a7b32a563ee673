//! The scores of the reader's predictions, in `work/predictions.txt`: for each scene, the number of
//! lines predicted so far and the number of correct answers.
//!
//! The file is next to the pages, so it becomes part of a reader's repository. A line that can't be
//! parsed is ignored but isn't removed from the file.

use std::fs::{self, File};
use std::io;
use std::path::PathBuf;

use anyhow::Context;

use judging::notebook::Notebook;
use judging::workbook::write;

/// The score of a prediction so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Score {
    /// The number of correct answers.
    pub(crate) right: usize,
    /// The number of lines predicted so far.
    pub(crate) asked: usize,
    /// The total number of lines to predict.
    pub(crate) of: usize,
}

impl Score {
    /// Returns true if the reader has predicted every line.
    pub fn is_complete(self) -> bool {
        self.of > 0 && self.asked == self.of
    }
}

/// The file that keeps a notebook's scores.
#[derive(Debug)]
pub struct Scores {
    file: PathBuf,
    text: String,
}

const ABOUT: &str = "\
# The scenes you've predicted: how many lines were right the first time. `predict` writes this file,
# and the map counts the complete predictions. To start a scene over, delete its line.
";

impl Scores {
    /// Reads a notebook's scores. If the file is missing, there are no scores.
    ///
    /// Fails if the file exists but can't be read, since we mustn't replace a file that we can't
    /// read.
    pub fn of(notebook: &Notebook) -> anyhow::Result<Scores> {
        let mut scores = Scores { file: notebook.dir.join("predictions.txt"), text: String::new() };
        scores.read()?;
        Ok(scores)
    }

    fn read(&mut self) -> anyhow::Result<()> {
        let bytes = match fs::read(&self.file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            read => read.with_context(|| format!("read {}", self.file.display()))?,
        };
        self.text = String::from_utf8_lossy(&bytes).into_owned();
        Ok(())
    }

    /// Returns the score of a scene with `of` lines to predict. Ignores a score with a different
    /// number of lines, because such a score belongs to an older version of the scene.
    pub(crate) fn before(&self, package: &str, scene: &str, of: usize) -> Option<Score> {
        self.get(package, scene).filter(|score| score.of == of)
    }

    /// Returns the score of a scene's prediction so far.
    pub fn get(&self, package: &str, scene: &str) -> Option<Score> {
        self.text.lines().rev().find_map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [of_package, of_scene, right, "right,", asked, "of", of, "asked"] = words[..]
            else {
                return None;
            };
            let score = Score {
                right: right.parse().ok()?,
                asked: asked.parse().ok()?,
                of: of.parse().ok()?,
            };
            let is_it = of_package == package && of_scene == scene;
            (is_it && score.right <= score.asked && score.asked <= score.of).then_some(score)
        })
    }

    /// Saves the score of a scene's prediction so far. The new file replaces the old file
    /// atomically, so an interruption doesn't lose any scores. Scores of other scenes that another
    /// process has saved in the meantime are kept, too, since `predict` can run in a terminal and
    /// for a page of the book at the same time.
    ///
    /// Fails if the file can't be read again, or if the notebook can't be locked or written.
    pub(crate) fn note(&mut self, package: &str, scene: &str, score: Score) -> anyhow::Result<()> {
        let dir = self.file.parent().context("the notebook is a directory")?;
        fs::create_dir_all(dir).with_context(|| format!("make {}", dir.display()))?;
        let held = File::open(dir).and_then(|dir| dir.lock().map(|()| dir));
        // The lock is released when this value is dropped.
        let _held = held.with_context(|| format!("lock {}", dir.display()))?;
        self.read()?;
        let begins = format!("{package} {scene} ");
        let lines = self.text.lines().filter(|line| !line.starts_with(&begins));
        let lines: Vec<&str> = lines.collect();
        let kept = lines.join("\n") + "\n";
        let mut text = if lines.is_empty() { ABOUT.to_owned() } else { kept };
        let Score { right, asked, of } = score;
        text += &format!("{begins}{right} right, {asked} of {of} asked\n");
        let new = self.file.with_extension("txt.new");
        write(&new, &text)?;
        fs::rename(&new, &self.file).with_context(|| format!("write {}", self.file.display()))?;
        self.text = text;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(text: &str) -> Scores {
        Scores { file: PathBuf::new(), text: text.to_owned() }
    }

    #[test]
    fn what_another_program_has_noted_meanwhile_stays() {
        let dir = std::env::temp_dir().join(format!("workbook-scores-{}", std::process::id()));
        let of = || Scores { file: dir.join("predictions.txt"), text: String::new() };
        let (mut one, mut other) = (of(), of());
        let score = Score { right: 1, asked: 2, of: 2 };
        one.note("step01_fd", "pipes", score).expect("note");
        other.note("step01_fd", "ends", score).expect("note");
        one.read().expect("read");
        fs::remove_dir_all(&dir).expect("remove it");
        assert_eq!(one.get("step01_fd", "pipes"), Some(score));
        assert_eq!(one.get("step01_fd", "ends"), Some(score));
    }

    #[test]
    fn a_broken_line_counts_for_nothing_and_the_others_still_do() {
        let scores = scores(
            "step01_fd pipes 2 right, 3 of 4 asked\nstep01_fd ends 9 right, 3 of 4 asked\n\
             step01_fd ends\nstep01_fd half x right, 3 of 4 asked\n\u{fffd}\n",
        );
        assert_eq!(scores.get("step01_fd", "pipes"), Some(Score { right: 2, asked: 3, of: 4 }));
        assert_eq!(scores.get("step01_fd", "ends"), None);
        assert_eq!(scores.get("step01_fd", "half"), None);
        assert_eq!(scores.get("step02_epoll", "pipes"), None);
    }
}
