//! The descriptors that a process has open, compared before and after a scene to find those that
//! the scene leaked or wrongly closed.

use std::collections::BTreeMap;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};

/// True if this module's reports are turned off.
static MAY_STAY: AtomicBool = AtomicBool::new(false);

/// Turns off the reports on descriptors that code in this process leaks or wrongly closes. Call
/// this in a program that checks for leaks itself and runs code that may keep descriptors open
/// until the end.
pub fn may_stay_open() {
    MAY_STAY.store(true, Ordering::Relaxed);
}

/// Every open descriptor, with the target of its link in `/proc/self/fd`.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Descriptors(BTreeMap<u32, String>);

impl Descriptors {
    /// Lists `/proc/self/fd`. Without `/proc`, or if descriptors [may stay open](may_stay_open),
    /// the list is empty, so nothing is reported.
    pub fn open_now() -> Self {
        if MAY_STAY.load(Ordering::Relaxed) {
            return Descriptors::default();
        }
        let open: Vec<u32> = fs::read_dir("/proc/self/fd")
            .into_iter()
            .flatten()
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
            .collect();
        // The descriptor that listed the directory is closed by now, so its link is gone.
        let target = |fd: u32| {
            let link = fs::read_link(format!("/proc/self/fd/{fd}")).ok()?;
            Some((fd, link.display().to_string()))
        };
        Descriptors(open.into_iter().filter_map(target).collect())
    }

    /// Returns the kinds of the descriptors in `after` that aren't in `self` or have a different
    /// target there.
    pub fn leaked(&self, after: &Descriptors) -> Vec<String> {
        let new = after.0.iter().filter(|&(fd, link)| self.0.get(fd) != Some(link));
        new.map(|(_, link)| kind(link)).collect()
    }

    /// Returns the descriptors in `self` that aren't in `after` or have a different target there,
    /// each with its kind.
    pub fn closed(&self, after: &Descriptors) -> Vec<(u32, String)> {
        let gone = self.0.iter().filter(|&(fd, link)| after.0.get(fd) != Some(link));
        gone.map(|(&fd, link)| (fd, kind(link))).collect()
    }
}

/// Returns the kind of object that a link in `/proc/self/fd` refers to: `pipe` for `pipe:[8612]`.
/// For a file, the kind is the file's path.
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
    fn a_link_says_its_kind() {
        assert_eq!(kind("pipe:[8612]"), "pipe");
        assert_eq!(kind("socket:[8612]"), "socket");
        assert_eq!(kind("anon_inode:[eventpoll]"), "epoll instance");
        assert_eq!(kind("anon_inode:[eventfd]"), "eventfd");
        assert_eq!(kind("/dev/null"), "/dev/null");
    }

    #[test]
    fn a_descriptor_that_now_names_something_else_is_both_closed_and_leaked() {
        let before = Descriptors([(3, "pipe:[1]".to_owned())].into());
        let after = Descriptors([(3, "socket:[2]".to_owned())].into());
        assert_eq!(before.leaked(&after), ["socket"]);
        assert_eq!(before.closed(&after), [(3, "pipe".to_owned())]);
    }
}
