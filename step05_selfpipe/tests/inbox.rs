//! Properties of the inbox and its alarm that no scene shows.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::os::fd::AsFd;
use std::sync::{Arc, mpsc};
use std::thread;

use step01_fd::{Read, Written, read, write};
use step05_selfpipe::{EchoServer, EventFd, Inbox};

#[test]
fn a_counter_that_is_full_neither_blocks_nor_fails() {
    let alarm = EventFd::new().unwrap();
    let most = u64::MAX - 1;
    assert_eq!(write(&alarm, &most.to_ne_bytes()).unwrap(), Written::Bytes(8));
    alarm.wake();
    assert_eq!(alarm.drain().unwrap(), most);
    assert_eq!(alarm.drain().unwrap(), 0);
}

#[test]
fn wakes_from_many_threads_are_all_counted() {
    let alarm = EventFd::new().unwrap();
    thread::scope(|scope| {
        for _ in 0..8 {
            let alarm = alarm.clone();
            scope.spawn(move || (0..1000).for_each(|_| alarm.wake()));
        }
    });
    assert_eq!(alarm.drain().unwrap(), 8000);
}

#[test]
fn an_inbox_knows_how_much_lies_in_it_and_shows_nothing_of_it() {
    let inbox = Inbox::new().unwrap();
    assert!(inbox.is_empty());
    inbox.sender().send("a secret").unwrap();
    assert!(!inbox.is_empty());
    assert_eq!(inbox.len(), 1);
    let shown = format!("{inbox:?} {:?}", inbox.sender());
    assert!(shown.contains("Inbox") && shown.contains("Sender") && !shown.contains("secret"));
}

#[test]
fn an_inbox_taken_ahead_is_empty_and_still_readable() {
    let inbox = Inbox::new().unwrap();
    inbox.sender().send("second").unwrap();
    let mut values = vec!["first"];
    inbox.take_ahead(&mut values);
    assert_eq!(values, ["first", "second"]);
    assert!(inbox.is_empty());
    assert_eq!(read(&inbox, &mut [0; 8]).unwrap(), Read::Bytes(1));
}

#[test]
fn a_sender_through_a_counter_leaves_the_pipe_alone_and_so_do_its_clones() {
    let (inbox, counter) = (Inbox::new().unwrap(), EventFd::new().unwrap());
    let sender = inbox.sender().through(counter.clone());
    let mut values = Vec::new();
    for sender in [sender.clone(), sender] {
        sender.send("first").unwrap();
        sender.send("second").unwrap();
        assert_eq!(counter.drain().unwrap(), 1);
        assert_eq!(read(&inbox, &mut [0; 8]).unwrap(), Read::WouldBlock);
        inbox.take_ahead(&mut values);
    }
    assert_eq!(values, ["first", "second", "first", "second"]);
    drop(inbox);
}

#[test]
fn values_without_a_taker_are_dropped_with_the_loop_whichever_thread_sends() {
    let inbox = Inbox::new().unwrap();
    let value = Arc::new(());
    let senders: Vec<_> = (0..4)
        .map(|_| {
            let (sender, value) = (inbox.sender(), Arc::clone(&value));
            thread::spawn(move || while sender.send(Arc::clone(&value)).is_ok() {})
        })
        .collect();
    let mut values = Vec::new();
    while values.is_empty() {
        inbox.take(&mut values).unwrap();
    }
    drop(inbox);
    drop(values);
    for sender in senders {
        sender.join().unwrap();
    }
    assert_eq!(Arc::strong_count(&value), 1);
}

#[test]
fn a_waker_and_a_sender_may_outlive_the_loop() {
    let inbox = Inbox::new().unwrap();
    let (sender, waker) = (inbox.sender(), inbox.waker());
    drop(inbox);
    waker.wake();
    assert!(waker.as_fd().try_clone_to_owned().is_ok());
    assert_eq!(sender.clone().send("too late"), Err("too late"));
}

#[test]
fn work_that_came_with_the_stop_is_done_and_later_work_is_refused() {
    let server = EchoServer::bind(0).unwrap();
    let handle = server.handle();
    let (answer, answers) = mpsc::channel();
    let post = |number| {
        let answer = answer.clone();
        assert!(handle.post(move |_| answer.send(number).unwrap()));
    };
    post(1);
    handle.stop();
    post(2);
    server.run().unwrap();
    assert!(!handle.post(|_| {}));
    drop(answer);
    // The second value came after the stop and in the same batch.
    assert_eq!(answers.iter().collect::<Vec<_>>(), [1, 2]);
}
