//! Which descriptors this process holds, to tell afterwards what a scene leaked or closed.

use std::collections::BTreeMap;
use std::fs;

/// Number and link target of every open descriptor.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Descriptors(BTreeMap<u32, String>);

impl Descriptors {
    /// Looks into `/proc/self/fd`. Without it there is nothing to compare, and nothing to report.
    pub fn open_now() -> Self {
        let numbers: Vec<u32> = fs::read_dir("/proc/self/fd")
            .into_iter()
            .flatten()
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
            .collect();
        // The descriptor of the listing itself is closed by now, and so drops out here.
        let target = |number: u32| {
            let link = fs::read_link(format!("/proc/self/fd/{number}")).ok()?;
            Some((number, link.display().to_string()))
        };
        Descriptors(numbers.into_iter().filter_map(target).collect())
    }

    /// What `after` holds and `self` did not, by kind.
    pub fn leaked(&self, after: &Descriptors) -> Vec<String> {
        let new = after.0.iter().filter(|&(n, link)| self.0.get(n) != Some(link));
        new.map(|(_, link)| kind(link)).collect()
    }

    /// What `self` held and `after` does not, by number and kind.
    pub fn closed(&self, after: &Descriptors) -> Vec<(u32, String)> {
        let gone = self.0.iter().filter(|&(n, link)| after.0.get(n) != Some(link));
        gone.map(|(&number, link)| (number, kind(link))).collect()
    }
}

/// `pipe:[8612]` is a pipe; the number of the inode says nothing to a reader.
pub fn kind(link: &str) -> String {
    let name = match link.split_once(":[") {
        Some(("anon_inode", what)) => what.trim_end_matches(']'),
        Some((what, _)) => what,
        None => link.trim_start_matches("anon_inode:"),
    };
    match name {
        "eventpoll" => "epoll instance".to_owned(),
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_named_by_its_kind() {
        assert_eq!(kind("pipe:[8612]"), "pipe");
        assert_eq!(kind("socket:[8612]"), "socket");
        assert_eq!(kind("anon_inode:[eventpoll]"), "epoll instance");
        assert_eq!(kind("anon_inode:[eventfd]"), "eventfd");
        assert_eq!(kind("/dev/null"), "/dev/null");
    }

    #[test]
    fn a_number_that_came_to_mean_something_else_is_both_closed_and_leaked() {
        let before = Descriptors([(3, "pipe:[1]".to_owned())].into());
        let after = Descriptors([(3, "socket:[2]".to_owned())].into());
        assert_eq!(before.leaked(&after), ["socket"]);
        assert_eq!(before.closed(&after), [(3, "pipe".to_owned())]);
    }
}
