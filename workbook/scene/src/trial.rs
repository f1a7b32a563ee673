//! A trial: one or more small programs that a page and the reference both run. Every difference
//! between the two reports counts as a mistake in the page.
//!
//! A scene shows one thing well but can't show everything that an exercise promises. A trial checks
//! one promise with up to 300 programs. If there are many programs, most of them are random. Each
//! program consists of *verbs*, such as "push a timer" or "cancel the second timer". When a page
//! differs from the reference, the runner leaves out verbs as long as the results still differ and
//! there's time. Then it shows the reader the short program that remains.

use crate::Transcript;

/// The environment variable with the number of the first program. Authors set it to try programs
/// other than the usual ones.
pub const FIRST_PROGRAM: &str = "WORKBOOK_FIRST_PROGRAM";

/// A check of one promise with one or more small programs.
#[derive(Debug, Clone, Copy)]
pub struct Trial {
    /// The name, which is also the name of the trial's function.
    pub name: &'static str,
    /// The promise that the page has to keep, as a sentence.
    pub promise: &'static str,
    /// The number of programs.
    pub programs: u32,
    /// Runs one program and reports what each verb did. Every reported result must depend only on
    /// the program, so that all correct answers report the same results.
    pub run: fn(&Program, Transcript) -> anyhow::Result<()>,
}

/// One of a trial's programs: a number that determines the verbs, and the positions of the verbs to
/// keep.
#[derive(Debug)]
pub struct Program {
    number: u32,
    kept: Option<Vec<usize>>,
    offered: std::cell::Cell<usize>,
}

impl Program {
    /// Creates the program with this number. The program keeps the verbs at the positions in
    /// `kept`, or all verbs if `kept` is `None`.
    pub fn new(number: u32, kept: Option<Vec<usize>>) -> Self {
        Program { number, kept, offered: std::cell::Cell::new(0) }
    }

    /// Returns the program's number, counting from zero.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Returns a source of random numbers. The numbers are the same whenever this program runs.
    pub fn random(&self) -> Random {
        Random(fastrand::Rng::with_seed(u64::from(self.number)))
    }

    /// Returns the verbs to carry out, which are the verbs in `all` that the program keeps.
    ///
    /// Create all verbs before you carry out the first verb, so that leaving out a verb doesn't
    /// change the other verbs. A verb that depends on a verb that was left out must do nothing.
    pub fn verbs<V>(&self, all: impl IntoIterator<Item = V>) -> Vec<V> {
        let first = self.offered.get();
        let all: Vec<V> = all.into_iter().collect();
        self.offered.set(first + all.len());
        let is_kept = |position: usize| match &self.kept {
            Some(kept) => kept.binary_search(&position).is_ok(),
            None => true,
        };
        let numbered = (first..).zip(all);
        numbered.filter(|(position, _)| is_kept(*position)).map(|(_, verb)| verb).collect()
    }

    /// Returns the number of verbs that the program has been offered so far, whether it kept them
    /// or not.
    pub(crate) fn offered(&self) -> usize {
        self.offered.get()
    }
}

/// Random choices for a program.
#[derive(Debug)]
pub struct Random(fastrand::Rng);

impl Random {
    /// Returns a number below `limit`, or 0 if `limit` is zero.
    pub fn below(&mut self, limit: usize) -> usize {
        if limit == 0 { 0 } else { self.0.usize(..limit) }
    }

    /// Returns one of the choices.
    ///
    /// # Panics
    /// Panics if `choices` is empty.
    pub fn choose<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())].clone()
    }

    /// Returns true once in `count` times, on average.
    pub fn once_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    /// Returns a number for which mistakes are likely, such as 0, 1, a very large number, one of
    /// the `constants`, or a neighbour of one of them.
    pub fn boundary(&mut self, constants: &[u64]) -> u64 {
        match self.below(8) {
            0 => self.below(2) as u64,
            1 => self.choose(&[u64::MAX, u64::MAX - 1, i64::MAX as u64]),
            // All bit lengths but the greatest are about equally likely.
            2 => self.0.u64(..) >> self.below(64),
            _ if constants.is_empty() => self.0.u64(..100),
            _ => match (self.choose(constants), self.below(3)) {
                (constant, 0) => constant,
                (constant, 1) => constant.saturating_add(1),
                (constant, _) => constant.saturating_sub(1),
            },
        }
    }
}

/// Declares a trial next to the function of the same name that runs one of its programs.
///
/// ```
/// use scene::{Program, Transcript, say, trial, trials};
/// mod sums {
///     use super::*;
///     trial!(commutes, 100, "The order of two summands makes no difference.");
///     fn commutes(program: &Program, t: Transcript) -> anyhow::Result<()> {
///         let mut random = program.random();
///         for n in program.verbs((0..5).map(|_| random.below(9))) {
///             say!(t, "1 + {n}: {}", 1 + n);
///         }
///         Ok(())
///     }
/// }
/// trials! { sums::commutes }
/// # fn main() { assert_eq!(TRIALS[0].programs, 100); }
/// ```
#[macro_export]
macro_rules! trial {
    // A module and a function can share a name, so the list can use the function's name.
    ($name:ident, $programs:literal, $promise:literal) => {
        pub(crate) mod $name {
            pub(crate) const TRIAL: $crate::Trial = $crate::Trial {
                name: stringify!($name),
                promise: $promise,
                programs: $programs,
                run: super::$name,
            };
        }
    };
}

/// Lists a step's trials as `TRIALS`.
#[macro_export]
macro_rules! trials {
    ($($($trial:ident)::+),* $(,)?) => {
        pub(crate) const TRIALS: &[$crate::Trial] = &[$($($trial)::+::TRIAL),*];
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaving_out_a_verb_does_not_change_the_others() {
        let verbs = |program: Program| {
            let mut random = program.random();
            program.verbs((0..6).map(|_| random.below(1000)))
        };
        let all = verbs(Program::new(7, None));
        assert_eq!(verbs(Program::new(7, Some(vec![1, 4]))), [all[1], all[4]]);
        assert_ne!(verbs(Program::new(8, None)), all);
    }

    #[test]
    fn boundary_values_are_at_and_beside_the_constants() {
        let mut random = Program::new(0, None).random();
        let values: Vec<u64> = (0..1000).map(|_| random.boundary(&[100])).collect();
        for expected in [0, 1, 99, 100, 101, u64::MAX] {
            assert!(values.contains(&expected), "{expected}");
        }
    }
}
