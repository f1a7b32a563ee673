//! Properties of registrations that no scene shows.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use step01_fd::{pipe, read, socketpair, write};
use step03_selector::{EpollSelector, Interest, PollSelector, SelectSelector, Selector, Trigger};

const NOW: Option<Duration> = Some(Duration::ZERO);
/// Long enough for a busy machine; if a selector forgets a descriptor, the test ends after this.
const SOON: Option<Duration> = Some(Duration::from_secs(10));

/// Held by a test that opens many descriptors or uses `select(2)`. The tests run at the same time
/// in one process, and `select` takes only descriptors below 1,024.
static DESCRIPTORS: Mutex<()> = Mutex::new(());

#[test]
fn an_edge_is_reported_once_for_both_directions() {
    let mut selector = EpollSelector::new().unwrap();
    let (near, far) = socketpair().unwrap();
    let both = Interest::READABLE | Interest::WRITABLE;
    selector.register_edge(&near, both, "near").unwrap();
    assert_eq!(selector.get_key(&near).unwrap().trigger, Trigger::Edge);
    let mut ready = Vec::new();
    selector.select(NOW, &mut ready).unwrap();
    assert_eq!(ready[0].interest, Interest::WRITABLE);
    selector.select(NOW, &mut ready).unwrap();
    assert!(ready.is_empty());
    write(&far, b"x").unwrap();
    selector.select(NOW, &mut ready).unwrap();
    assert!(ready[0].interest.contains(Interest::READABLE));
    assert!(!ready[0].read_closed);
    drop(far);
    selector.select(NOW, &mut ready).unwrap();
    assert!(ready[0].read_closed && ready[0].write_closed);
}

#[test]
fn a_half_closed_peer_closes_only_reading() {
    let (near, far) = std::os::unix::net::UnixStream::pair().unwrap();
    let mut selector = EpollSelector::new().unwrap();
    let both = Interest::READABLE | Interest::WRITABLE;
    selector.register(&near, both, ()).unwrap();
    far.shutdown(std::net::Shutdown::Write).unwrap();
    let mut ready = Vec::new();
    selector.select(NOW, &mut ready).unwrap();
    assert_eq!(ready[0].interest, both);
    assert!(ready[0].read_closed && !ready[0].write_closed);
}

#[test]
fn a_reregistered_descriptor_returns_the_new_data() {
    let (reader, writer) = pipe().unwrap();
    write(&writer, b"x").unwrap();
    let mut selector = EpollSelector::new().unwrap();
    let mut ready = Vec::new();
    for round in 0..3 {
        selector.register(&reader, Interest::READABLE, round).unwrap();
        selector.select(NOW, &mut ready).unwrap();
        assert_eq!(ready[0].data, round);
        assert_eq!(selector.unregister(&reader).unwrap().data, round);
    }
}

#[test]
fn many_descriptors_keep_their_own_data() {
    fn each_has_its_own(mut selector: impl Selector<usize>) {
        let pipes: Vec<_> = (0..200).map(|_| pipe().unwrap()).collect();
        for (name, (reader, _)) in pipes.iter().enumerate() {
            selector.register(reader, Interest::READABLE, name).unwrap();
        }
        let mut ready = Vec::new();
        for (name, (reader, writer)) in pipes.iter().enumerate() {
            write(writer, b"x").unwrap();
            selector.select(SOON, &mut ready).unwrap();
            let names: Vec<_> = ready.iter().map(|it| it.data).collect();
            assert_eq!(names, [name]);
            read(reader, &mut [0; 4]).unwrap();
        }
    }
    let _held = DESCRIPTORS.lock().unwrap_or_else(PoisonError::into_inner);
    each_has_its_own(EpollSelector::new().unwrap());
    each_has_its_own(PollSelector::new());
    each_has_its_own(SelectSelector::new());
}

#[test]
fn one_select_reports_all_that_are_ready_however_many() {
    let _held = DESCRIPTORS.lock().unwrap_or_else(PoisonError::into_inner);
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }).unwrap();
    let (reader, writer) = pipe().unwrap();
    write(&writer, b"x").unwrap();
    let mut selector = EpollSelector::new().unwrap();
    // More descriptors than the 1,024 of tokio's list, and then a few more.
    let readers: Vec<_> = (0..1500).map(|_| reader.try_clone().unwrap()).collect();
    for (data, reader) in readers.iter().enumerate() {
        selector.register(reader, Interest::READABLE, data).unwrap();
    }
    let mut ready = Vec::new();
    selector.select(SOON, &mut ready).unwrap();
    ready.sort_by_key(|event| event.data);
    assert!(ready.iter().map(|event| event.data).eq(0..1500));
}
