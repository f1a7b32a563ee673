//! Trials of the table: entries at all indices and tokens of all kinds.

use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use scene::{Program, Random, Transcript, say, trial};
use step03_selector::Table;

/// The indices of entries: next to each other, with gaps, and around powers of two.
const INDICES: [u32; 12] = [0, 1, 2, 3, 7, 8, 9, 63, 64, 65, 200, 1000];

/// A token that's shown as its two halves.
#[derive(Clone, Copy)]
struct Token(u64);

impl Token {
    fn of(generation: u64, index: u64) -> Token {
        Token((generation & u64::from(u32::MAX)) << 32 | (index & u64::from(u32::MAX)))
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Token(token) = *self;
        write!(f, "generation {}, index {}", token >> 32, token & u64::from(u32::MAX))
    }
}

/// An operation on a table. The values are numbered in the order in which they're made.
#[derive(Debug, Clone, Copy)]
enum Verb {
    Insert {
        index: u32,
        value: usize,
    },
    Remove {
        index: u32,
    },
    /// Skips entries: about a power of two of them, or nearly as many as a table can count.
    Skip {
        entries: u32,
    },
}

impl Verb {
    fn random(value: usize, random: &mut Random) -> Verb {
        // Half of them are about few indices, so that many are taken already.
        let few = if random.once_in(2) { 3 } else { INDICES.len() };
        let index = random.choose(&INDICES[..few]);
        if random.once_in(5) {
            let power = 1 << random.below(32);
            let entries = random.choose(&[power, power - 1, u32::MAX - 1, u32::MAX]);
            return Verb::Skip { entries };
        }
        if random.once_in(3) { Verb::Remove { index } } else { Verb::Insert { index, value } }
    }
}

trial!(
    inserts_in_any_order,
    100,
    "Wherever a value is put, it's found there under a new token, and the values at all other indices remain."
);
fn inserts_in_any_order(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let verbs = program.verbs((0..15).map(|value| Verb::random(value, &mut random)));
    let mut table = Table::new();
    let alive = Rc::new(());
    for verb in verbs {
        match verb {
            Verb::Insert { index, value } => {
                let promised = Token(table.next_token(index));
                table.insert(index, (value, Rc::clone(&alive)));
                say!(t, "insert value {value} at {index}; next_token promised {promised}");
                let found = table.find(index).map(|(token, value)| (Token(token), value.0));
                let found = found.map(|(token, value)| format!("value {value} under {token}"));
                say!(t, "  find there: {}", found.unwrap_or_else(|| "nothing".to_owned()));
            }
            Verb::Remove { index } => {
                let removed = table.remove(index).map(|value| value.0);
                say!(t, "remove the value at {index}: {removed:?}");
            }
            Verb::Skip { entries } => skip(&mut table, entries, t),
        }
        let values: Vec<usize> = table.iter().map(|value| value.0).collect();
        let alive = Rc::strong_count(&alive) - 1;
        say!(t, "  values by index: {values:?}; {alive} are alive");
    }
    Ok(())
}

fn skip<V>(table: &mut Table<V>, entries: u32, t: Transcript) {
    table.skip(entries);
    say!(t, "{entries} entries were made and removed");
}

/// A token to look up.
#[derive(Debug, Clone, Copy)]
enum Look {
    /// The token of an entry that was made, whether or not the entry still exists.
    Made(usize),
    /// The token that the next entry at an index would get.
    Next(u32),
    /// The token of an entry that was made, with another generation or another index.
    Near { made: usize, generations: u64, indices: u64 },
    /// Any number.
    Any(u64),
}

impl Look {
    fn random(made: usize, random: &mut Random) -> Look {
        let made = random.below(made + 1);
        let by = random.choose(&[1, u64::from(u32::MAX), 1 << 31]);
        match random.below(5) {
            0 => Look::Next(random.choose(&INDICES)),
            1 => Look::Near { made, generations: by, indices: 0 },
            2 => Look::Near { made, generations: 0, indices: by },
            3 => Look::Any(random.boundary(&[1 << 32, u64::from(u32::MAX), 1 << 63])),
            _ => Look::Made(made),
        }
    }
}

trial!(
    tokens_of_all_kinds,
    100,
    "A token finds its own value while the table holds that value, and otherwise nothing."
);
fn tokens_of_all_kinds(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let verbs = program.verbs((0..15).map(|value| {
        let verb = Verb::random(value, &mut random);
        (verb, [(); 4].map(|()| Look::random(value, &mut random)))
    }));
    let mut table = Table::new();
    let mut made = BTreeMap::new();
    for (verb, looks) in verbs {
        match verb {
            Verb::Insert { index, value } => {
                let token = Token(table.next_token(index));
                made.insert(value, token);
                table.insert(index, value);
                say!(t, "insert value {value} under {token}");
            }
            Verb::Remove { index } => {
                say!(t, "remove the value at {index}: {:?}", table.remove(index));
            }
            Verb::Skip { entries } => skip(&mut table, entries, t),
        }
        for look in looks {
            let token = match look {
                Look::Made(value) => made.get(&value).copied(),
                Look::Next(index) => Some(Token(table.next_token(index))),
                Look::Near { made: value, generations, indices } => made.get(&value).map(|near| {
                    Token::of(
                        (near.0 >> 32).wrapping_add(generations),
                        near.0.wrapping_add(indices),
                    )
                }),
                Look::Any(token) => Some(Token(token)),
            };
            if let Some(token) = token {
                say!(t, "  by_token of {token}: {:?}", table.by_token(token.0));
            }
        }
    }
    for (value, token) in made {
        for bit in 0..u64::BITS {
            let token = Token(token.0 ^ 1 << bit);
            if let Some(found) = table.by_token(token.0) {
                say!(
                    t,
                    "by_token of value {value}'s token with bit {bit} flipped, {token}: {found}"
                );
            }
        }
    }
    Ok(())
}
