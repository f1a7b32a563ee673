//! Scenes about descriptors: when a wait for a descriptor ends, how waits affect each other, and
//! what a wait leaves behind.

use std::cell::Cell;
use std::fs::File;
use std::future::poll_fn;
use std::io::{self, ErrorKind, PipeReader, PipeWriter, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream, UdpSocket};
use std::os::unix::net::UnixStream;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use from_scratch::{JoinHandle, block_on, readable, sleep, spawn, writable};
use kit::memory::Memory;
use scene::{Transcript, say, scene};

use crate::idle::Idle;
use crate::waiting::{Gate, own_waker, yield_now};
use crate::watch::{self, watched};

fn say_complaints(t: Transcript) {
    for complaint in watch::complaints() {
        say!(t, "{complaint}");
    }
}

/// Reads the available bytes. It's called after a wait, so it doesn't block.
fn read(mut from: &PipeReader) -> io::Result<String> {
    let mut buffer = [0; 64];
    let count = from.read(&mut buffer)?;
    Ok(String::from_utf8_lossy(&buffer[..count]).into_owned())
}

fn write(mut to: &PipeWriter, text: &str) -> io::Result<()> {
    to.write_all(text.as_bytes())
}

scene!(a_byte_arrives, "A task waits for a pipe, and another task writes to it. What happens?");
/// The wait ends, the task is polled a second time, and its read finds the bytes.
fn a_byte_arrives(t: Transcript) -> anyhow::Result<()> {
    watch::begin_with_threads();
    let (reader, writer) = io::pipe()?;
    let text = block_on(watched("main", async {
        let task = spawn(watched("the reader", async move {
            readable(&reader).await?;
            read(&reader)
        }));
        yield_now().await;
        yield_now().await;
        write(&writer, "hello")?;
        task.await.unwrap_or_else(|_| Err(io::Error::other("the reader panicked")))
    }))?;
    say!(t, "the reader reads {text:?}");
    say_complaints(t);
    Ok(())
}

scene!(ready_already, "A descriptor is ready before any task waits. Does a wait end?");
/// Every wait ends, no matter how often a task waits: a descriptor is ready for as long as a read
/// wouldn't block, not just once.
fn ready_already(t: Transcript) -> anyhow::Result<()> {
    let (reader, writer) = io::pipe()?;
    write(&writer, "ab")?;
    block_on(async {
        for _ in 0..3 {
            readable(&reader).await?;
        }
        let mut one = [0];
        (&reader).read_exact(&mut one)?;
        readable(&reader).await?;
        say!(t, "three waits end; a byte is read; another wait ends");
        anyhow::Ok(())
    })
}

scene!(
    six_wait_for_one_descriptor,
    "Six tasks wait to read from the same socket, and six others wait to write to it. Which tasks are woken?"
);
/// All twelve are woken, since all their waits are over. Which of the six readers takes the byte is
/// up to them.
fn six_wait_for_one_descriptor(t: Transcript) -> anyhow::Result<()> {
    let (ours, mut theirs) = UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    let ours = Rc::new(ours);
    block_on(async {
        let tasks = [(); 6].map(|()| {
            let ours = Rc::clone(&ours);
            spawn(async move { readable(&*ours).await.is_ok() })
        });
        for _ in 0..3 {
            yield_now().await;
        }
        theirs.write_all(b"!")?;
        say!(t, "{} of six waits to read have ended", count_ended(tasks).await);
        fill(&ours)?;
        let tasks = [(); 6].map(|()| {
            let ours = Rc::clone(&ours);
            spawn(async move { writable(&*ours).await.is_ok() })
        });
        for _ in 0..3 {
            yield_now().await;
        }
        theirs.set_nonblocking(true)?;
        let mut buffer = [0; 16384];
        while theirs.read(&mut buffer).is_ok() {}
        say!(t, "{} of six waits to write have ended", count_ended(tasks).await);
        anyhow::Ok(())
    })
}

async fn count_ended(tasks: [JoinHandle<bool>; 6]) -> usize {
    let mut ended = 0;
    for task in tasks {
        ended += usize::from(task.await.unwrap_or(false));
    }
    ended
}

scene!(
    both_directions,
    "A task waits to read from a socket, and another task waits to write to it. Do they disturb each other?"
);
/// The two waits don't disturb each other. No byte arrives, so the first task continues to wait;
/// there's room, so the second task's wait ends at once. The first task's wait ends when bytes
/// arrive. Even a long wait by one of the tasks makes no difference to the other.
fn both_directions(t: Transcript) -> anyhow::Result<()> {
    let (ours, mut theirs) = UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    let ours = Rc::new(ours);
    let has_read = Rc::new(Cell::new(false));
    block_on(async {
        let (reads, seen) = (Rc::clone(&ours), Rc::clone(&has_read));
        let reader = spawn(async move {
            readable(&*reads).await?;
            seen.set(true);
            (&*reads).read(&mut [0; 8])
        });
        for _ in 0..3 {
            yield_now().await;
        }
        writable(&*ours).await?;
        say!(t, "the writer can write; the reader's wait is over: {}", has_read.get());
        theirs.write_all(b"abc")?;
        let count =
            reader.await.unwrap_or_else(|_| Err(io::Error::other("the reader panicked")))?;
        say!(t, "the reader reads {count} bytes");
        writable(&*ours).await?;
        say!(t, "the writer can write again");

        fill(&ours)?;
        let (reads, full) = (Rc::clone(&ours), Rc::clone(&ours));
        let writer = spawn(async move { writable(&*full).await.is_ok() });
        let reader = spawn(async move {
            readable(&*reads).await?;
            (&*reads).read(&mut [0; 8])
        });
        for _ in 0..3 {
            yield_now().await;
        }
        theirs.write_all(b"de")?;
        let count =
            reader.await.unwrap_or_else(|_| Err(io::Error::other("the reader panicked")))?;
        say!(t, "while the writer waits for room, the reader reads {count} bytes");
        theirs.set_nonblocking(true)?;
        while theirs.read(&mut [0; 4096]).is_ok_and(|count| count > 0) {}
        say!(t, "once there's room, the writer's wait ends: {}", writer.await.unwrap_or(false));
        anyhow::Ok(())
    })
}

scene!(room_to_write, "A socket's buffer is full. When does a wait to write end?");
/// The wait ends once the peer has read. Until then, the writer's task sleeps.
fn room_to_write(t: Transcript) -> anyhow::Result<()> {
    let (ours, mut theirs) = UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    theirs.set_nonblocking(true)?;
    let is_over = Rc::new(Cell::new(false));
    block_on(async {
        fill(&ours)?;
        let seen = Rc::clone(&is_over);
        let writer = spawn(async move {
            writable(&ours).await?;
            seen.set(true);
            (&ours).write(b"more")
        });
        sleep(Duration::from_millis(10)).await;
        say!(t, "while the buffer is full, the wait is over: {}", is_over.get());
        while theirs.read(&mut [0; 16384]).is_ok_and(|count| count > 0) {}
        let count =
            writer.await.unwrap_or_else(|_| Err(io::Error::other("the writer panicked")))?;
        say!(t, "the peer has read everything, and the writer writes {count} bytes");
        anyhow::Ok(())
    })
}

fn fill(mut socket: &UnixStream) -> io::Result<()> {
    loop {
        match socket.write(&[0; 16384]) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
            Err(error) => return Err(error),
        }
    }
}

scene!(
    a_client_arrives,
    "A task waits for a listening socket, which never has a byte. Does the wait end when a client arrives?"
);
/// The wait ends: such a socket is readable once a call to accept wouldn't block. Only the kernel
/// knows what makes a descriptor readable; the number of its bytes doesn't say so.
fn a_client_arrives(t: Transcript) -> anyhow::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let address = listener.local_addr()?;
    block_on(async move {
        let accepts = spawn(async move {
            readable(&listener).await?;
            listener.accept()
        });
        for _ in 0..3 {
            yield_now().await;
        }
        let _client = TcpStream::connect(address)?;
        accepts.await.unwrap_or_else(|_| Err(io::Error::other("the task panicked")))?;
        say!(t, "the wait ends, and the task accepts the client");
        anyhow::Ok(())
    })
}

scene!(
    nobody_takes_it,
    "A socket sends a datagram to a port at which nobody listens, and a task waits for the answer. Does the wait end?"
);
/// The wait ends: the kernel reports an error, and nothing else, and a read returns that error
/// without blocking. So an error ends the waits in both directions.
fn nobody_takes_it(t: Transcript) -> anyhow::Result<()> {
    let ours = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    // This socket keeps the port from others, but takes only what it sends itself.
    let deaf = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    deaf.connect(deaf.local_addr()?)?;
    ours.connect(deaf.local_addr()?)?;
    let ours = Rc::new(ours);
    block_on(async move {
        let reads = Rc::clone(&ours);
        let reader = spawn(async move {
            readable(&*reads).await?;
            reads.recv(&mut [0; 8])
        });
        for _ in 0..3 {
            yield_now().await;
        }
        ours.send(b"hello?")?;
        if let Ok(Err(error)) = reader.await {
            say!(t, "the wait ends, and a read fails with {:?}", error.kind());
        }
        anyhow::Ok(())
    })
}

scene!(
    the_other_end_is_gone,
    "The other end of a pipe is closed. What do a wait to read and a wait to write do?"
);
/// Both waits end: a read reports the end without blocking, and a write fails without blocking.
/// Each task finds that out when it reads or writes.
fn the_other_end_is_gone(t: Transcript) -> anyhow::Result<()> {
    let (reader, for_reader) = io::pipe()?;
    let (for_full, full) = io::pipe()?;
    fill_pipe(&full)?;
    block_on(async {
        let reads = spawn(async move {
            readable(&reader).await?;
            read(&reader)
        });
        let writes = spawn(async move {
            writable(&full).await?;
            write(&full, "!")
        });
        for _ in 0..3 {
            yield_now().await;
        }
        drop((for_reader, for_full));
        if let Ok(read) = reads.await {
            say!(t, "a read returns {read:?}");
        }
        if let Ok(Err(error)) = writes.await {
            say!(t, "a write fails with {:?}", error.kind());
        }
        anyhow::Ok(())
    })
}

fn fill_pipe(writer: &PipeWriter) -> io::Result<()> {
    let mut buffer = vec![0; 4096];
    // By default, a pipe has room for 16 pages, but that can be changed, so we fill it without
    // blocking.
    rustix::io::ioctl_fionbio(writer, true)?;
    while (&*writer).write(&buffer).is_ok() {}
    buffer.truncate(1);
    while (&*writer).write(&buffer).is_ok() {}
    Ok(())
}

scene!(a_regular_file, "A task waits for a regular file. What happens?");
/// A read from a file never blocks in this sense, so the wait ends at once; or it fails, since
/// epoll can't wait for a file. Only waiting forever would be wrong.
fn a_regular_file(t: Transcript) -> anyhow::Result<()> {
    let file = File::open("/proc/self/exe")?;
    let ends = block_on(async {
        let _ = readable(&file).await;
        let _ = writable(&file).await;
        "each of the two waits ends or fails"
    });
    say!(t, "{ends}");
    Ok(())
}

scene!(waits_that_are_dropped, "A wait is dropped before it ends. What's left of it?");
/// Nothing is left of a dropped wait, neither memory nor a descriptor, and it wakes no task later.
/// The same descriptor can be awaited again, in the same direction or in the other one.
fn waits_that_are_dropped(t: Transcript) -> anyhow::Result<()> {
    watch::begin_with_threads();
    let (ours, mut theirs) = UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    let kept = block_on(watched("main", async {
        drop_waits(&ours, WAITS).await;
        let before = left()?;
        drop_waits(&ours, WAITS).await;
        let after = left()?;
        theirs.write_all(b"!")?;
        let dropped = "main was polled without a reason";
        for _ in 0..3 {
            yield_now().await;
        }
        let polls = watch::polls("main");
        readable(&ours).await?;
        writable(&ours).await?;
        drop_waits(&ours, 1).await;
        let memory = if after.0 - before.0 <= 4096 { "none" } else { "kept for each wait" };
        let descriptors = if after.1 == before.1 { "none" } else { "kept for each wait" };
        // Main is polled once at first, and once after each of its three turns.
        let woken = if polls == 4 { "no task is woken" } else { dropped };
        anyhow::Ok([
            format!("memory: {memory}"),
            format!("descriptors: {descriptors}"),
            woken.to_owned(),
        ])
    }))?;
    for line in kept {
        say!(t, "{line}");
    }
    say_complaints(t);
    Ok(())
}

fn left() -> io::Result<(isize, usize)> {
    Ok((Memory::in_use_by_all_threads(), kit::cost::open_descriptors()?))
}

/// The number of waits: enough for each wait to show up in the figures, and few enough for a
/// process to have twice as many descriptors.
const WAITS: usize = 400;

async fn drop_waits(socket: &UnixStream, count: usize) {
    for _ in 0..count {
        let mut wait = pin!(readable(socket));
        poll_fn(|context| {
            let _ = wait.as_mut().poll(context);
            Poll::Ready(())
        })
        .await;
    }
}

scene!(
    a_number_used_again,
    "A descriptor is closed after a wait, and the next descriptor gets the same number. Does a wait for the new descriptor work?"
);
/// The wait works. Everything that the loop remembers about a number has to be gone before the
/// number is reused.
fn a_number_used_again(t: Transcript) -> anyhow::Result<()> {
    block_on(async {
        for number in 0..20 {
            let (reader, writer) = io::pipe()?;
            if number % 2 == 0 {
                // This wait is dropped and its descriptor closed before anything arrives.
                let mut wait = Box::pin(readable(&reader));
                poll_fn(|context| {
                    let _ = wait.as_mut().poll(context);
                    Poll::Ready(())
                })
                .await;
                continue;
            }
            let task = spawn(async move {
                readable(&reader).await?;
                read(&reader)
            });
            yield_now().await;
            write(&writer, "again")?;
            task.await.unwrap_or_else(|_| Err(io::Error::other("the reader panicked")))?;
        }
        say!(t, "twenty pipes, one after the other: each wait ends");
        anyhow::Ok(())
    })
}

scene!(
    a_byte_beside_a_busy_task,
    "A task always has something to do. Does another task's wait for a descriptor end?"
);
/// The wait ends: the loop checks with the kernel even if there's always a task to poll.
fn a_byte_beside_a_busy_task(t: Transcript) -> anyhow::Result<()> {
    watch::begin_with_threads();
    let (reader, writer) = io::pipe()?;
    block_on(watched("main", async {
        let is_over = Rc::new(Cell::new(false));
        let seen = Rc::clone(&is_over);
        let busy = spawn(watched("the busy task", async move {
            while !seen.get() {
                yield_now().await;
            }
        }));
        let opener = spawn(async move {
            yield_now().await;
            write(&writer, "!")
        });
        readable(&reader).await?;
        is_over.set(true);
        let _ = (busy.await, opener.await);
        anyhow::Ok(())
    }))?;
    say!(t, "the other task's wait ends");
    say_complaints(t);
    Ok(())
}

scene!(
    nothing_arrives_for_a_while,
    "A task waits for a descriptor, but nothing arrives for 300 ms. What does the loop do?"
);
/// All of the loop's threads sleep: at most 10 ms of processor time and at most five waits. A
/// writable descriptor doesn't wake the loop if no task waits to write to it, and neither does a
/// wait that's over but that no task polls.
fn nothing_arrives_for_a_while(t: Transcript) -> anyhow::Result<()> {
    let (ours, theirs) = UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    block_on(async move {
        // This wait is over, and its descriptor remains writable.
        writable(&ours).await?;
        let reader = spawn(async move { readable(&ours).await.is_ok() });
        yield_now().await;
        let idle = Idle::begin().await?;
        sleep(Duration::from_millis(300)).await;
        idle.say(t, "a task waits for a descriptor")?;
        drop(theirs);
        let _ = reader.await;

        let (reader, writer) = io::pipe()?;
        let mut wait = Box::pin(readable(&reader));
        let is_over = poll_fn(|context| Poll::Ready(wait.as_mut().poll(context).is_ready())).await;
        write(&writer, "!")?;
        // Let the loop notice the byte and wake the task.
        for _ in 0..3 {
            yield_now().await;
        }
        let idle = Idle::begin().await?;
        sleep(Duration::from_millis(300)).await;
        idle.say(t, "a wait is over, but its task doesn't poll it")?;
        if !is_over {
            wait.await?;
        }
        anyhow::Ok(())
    })
}

scene!(
    a_wait_changes_hands,
    "One task polls a wait for a descriptor, and another task awaits it. Which task is woken?"
);
/// The task that polled the wait last is woken; an additional poll doesn't end the wait.
fn a_wait_changes_hands(t: Transcript) -> anyhow::Result<()> {
    watch::begin_with_threads();
    let (reader, writer) = io::pipe()?;
    rustix::io::ioctl_fionbio(&reader, true)?;
    block_on(watched("main", async {
        let mut wait = Box::pin(async move {
            readable(&reader).await?;
            read(&reader)
        });
        for waker in [Waker::noop(), &own_waker().await] {
            let polled = wait.as_mut().poll(&mut Context::from_waker(waker));
            anyhow::ensure!(polled.is_pending(), "a wait ended although nothing had been written");
        }
        let owner = spawn(watched("the new owner", wait));
        yield_now().await;
        yield_now().await;
        write(&writer, "hello")?;
        let text =
            owner.await.unwrap_or_else(|_| Err(io::Error::other("the new owner panicked")))?;
        say!(t, "the new owner is woken and reads {text:?}");
        anyhow::Ok(())
    }))?;
    say_complaints(t);
    Ok(())
}

scene!(
    everything_at_once,
    "One task sleeps, another waits for a descriptor and a third for a thread. Does any of them hold up the others?"
);
/// None of the three holds up the other two: the loop waits for all of them at once.
fn everything_at_once(t: Transcript) -> anyhow::Result<()> {
    let gate = Gate::default();
    let (reader, writer) = io::pipe()?;
    let thread = gate.opened_by_a_thread();
    block_on(async move {
        drop(spawn(sleep(Duration::from_hours(1))));
        let reads = spawn(async move {
            readable(&reader).await?;
            read(&reader)
        });
        let naps = spawn(sleep(Duration::from_millis(5)));
        gate.passed().await;
        say!(t, "the thread's wake has arrived");
        let _ = naps.await;
        say!(t, "the sleep is over");
        write(&writer, "hello")?;
        let text = reads.await.unwrap_or_else(|_| Err(io::Error::other("the reader panicked")))?;
        say!(t, "the pipe has {text:?}");
        anyhow::Ok(())
    })?;
    anyhow::ensure!(thread.join().is_ok(), "a thread of the scene panicked");
    Ok(())
}

scene!(
    two_hundred_pipes,
    "Two hundred tasks wait for a pipe each. Does each task read its own text?"
);
/// Each text, a number of up to three digits, reaches its task.
fn two_hundred_pipes(t: Transcript) -> anyhow::Result<()> {
    // By default, a process may have 1,024 descriptors, and a loop may need one for each wait.
    const PIPES: usize = 200;
    let (mut readers, mut writers) = (Vec::new(), Vec::new());
    for _ in 0..PIPES {
        let (reader, writer) = io::pipe()?;
        readers.push(reader);
        writers.push(writer);
    }
    let right = block_on(async move {
        let tasks: Vec<_> = readers
            .into_iter()
            .map(|reader| {
                spawn(async move {
                    readable(&reader).await?;
                    read(&reader)
                })
            })
            .collect();
        yield_now().await;
        for (number, writer) in writers.iter().enumerate().rev() {
            write(writer, &number.to_string())?;
        }
        let mut right = 0;
        for (number, task) in tasks.into_iter().enumerate() {
            let text = task.await.unwrap_or_else(|_| Err(io::Error::other("a reader panicked")))?;
            right += usize::from(text == number.to_string());
        }
        io::Result::Ok(right)
    })?;
    say!(t, "{right} of {PIPES} tasks have read their own text");
    Ok(())
}
