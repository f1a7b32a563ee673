//! Leaves out repetitions. A reader sees the repeated moments once, with the number of further
//! repetitions.

use super::run::Moment;

/// The maximum number of moments in a repeated sequence. In `a, b, a, b, …`, the sequence has two
/// moments.
const LONGEST: usize = 3;
/// The minimum number of times that a sequence occurs in a row before we leave out its repetitions.
const MANY: usize = 8;

/// Returns the moments with fewer repetitions. A sequence of mere calls that repeats many times
/// occurs only once in the result, followed by the number of further repetitions.
pub(super) fn left_out(moments: Vec<Moment>) -> Vec<Moment> {
    let mut kept = Vec::new();
    let mut rest = moments.as_slice();
    while let Some((first, after)) = rest.split_first() {
        let repeated = (1..=LONGEST).map(|length| (length, times(rest, length)));
        let Some((length, times)) = repeated.into_iter().find(|(_, times)| *times >= MANY) else {
            kept.push(first.clone());
            rest = after;
            continue;
        };
        let (cycle, after) = (&rest[..length], &rest[length * times..]);
        kept.extend_from_slice(cycle);
        kept.push(cycle[length - 1].saying(format!("the same, {} times more", times - 1)));
        rest = after;
    }
    kept
}

/// Returns how many times in a row the first `length` moments occur, or 0 if they aren't all mere
/// calls.
fn times(moments: &[Moment], length: usize) -> usize {
    let Some(cycle) = moments.get(..length).filter(|it| it.iter().all(Moment::is_a_mere_call))
    else {
        return 0;
    };
    moments.chunks(length).take_while(|chunk| *chunk == cycle).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(moments: &str) -> String {
        let moments = moments.chars().map(|it| Moment::of_a_call(&it.to_string())).collect();
        let whats = left_out(moments).into_iter().map(|moment| moment.what().to_owned());
        whats.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn many_repetitions_are_left_out_and_few_stay() {
        assert_eq!(told("xaaay"), "x, a, a, a, y");
        assert_eq!(told("xaaaaaaaaay"), "x, a, the same, 8 times more, y");
        assert_eq!(told("ababababababababx"), "a, b, the same, 7 times more, x");
        assert_eq!(told("abababababababx").matches('a').count(), 7);
    }
}
