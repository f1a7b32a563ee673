//! Splits what a reader typed, and what a line says, into words and numbers, so that spaces, case
//! and signs don't count.

/// Splits a text into its words and numbers, in lower case.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let text = EMPTY.iter().fold(text.to_lowercase(), |text, sign| text.replace(sign, " empty "));
    let chars: Vec<char> = text.chars().collect();
    for (at, &char) in chars.iter().enumerate() {
        let next = chars.get(at + 1).copied().unwrap_or(' ');
        let is_bytes = char == 'b' && matches!(next, '\'' | '"');
        let is_minus = char == '-' && next.is_ascii_digit();
        let word = words.last().filter(|word| !word.is_empty());
        if is_bytes || (char == ',' && word.is_some() && is_of_thousands(&chars, at)) {
            continue;
        }
        let is_point = char == '.' && next.is_ascii_digit() && word.is_some();
        // `10s` is 10 and its unit; `0x10` and `SIGUSR1` are one word.
        if char.is_alphabetic() && word.is_some_and(|word| ends_its_number(word, char)) {
            words.push(String::new());
        }
        if char.is_alphanumeric() || char == '_' || is_minus || is_point {
            words.last_mut().unwrap_or(&mut String::new()).push(char);
        } else {
            words.push(String::new());
        }
    }
    words.retain(|word| !word.is_empty());
    words.into_iter().map(without_zeros).collect()
}

/// What prints as signs alone, and still is something to predict.
const EMPTY: [&str; 5] = ["[]", "[ ]", "b''", "''", "\"\""];

fn ends_its_number(word: &str, next: char) -> bool {
    let is_number = word.chars().all(|char| char.is_ascii_digit() || ".-".contains(char));
    is_number && !(word == "0" && next == 'x')
}

/// Leaves out the zeros with which a hexadecimal number can begin.
fn without_zeros(word: String) -> String {
    match word.strip_prefix("0x") {
        Some(digits) => format!("0x{}", digits.trim_start_matches('0')),
        None => word,
    }
}

/// Returns true for the comma of `1,000`.
fn is_of_thousands(chars: &[char], at: usize) -> bool {
    let digits = chars[at + 1..].iter().take_while(|char| char.is_ascii_digit()).count();
    digits == 3 && at > 0 && chars[at - 1].is_ascii_digit()
}
