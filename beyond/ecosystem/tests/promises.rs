//! Tests each of the loop's promises to a future that doesn't know about the loop. The book's page
//! "Your loop among others" lists the promises.

use std::cell::{Cell, RefCell};
use std::future::{pending, poll_fn};
use std::io;
use std::pin::pin;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

use asyncio::{
    Error, EventLoop, Result, TcpListener, TcpStream, UnixStream, create_task, get_running_loop,
    run, sleep, yield_now,
};
use axum::Router;
use axum::routing::get;
use bytes::Bytes;
use ecosystem::{
    Errands, HyperIo, Io, LoopExecutor, LoopTimer, Serve, Tower, cancellable, cancellation_in,
};
use futures_util::stream::FuturesUnordered;
use futures_util::{AsyncReadExt, AsyncWriteExt, FutureExt, StreamExt, select};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response};

const MOMENT: Duration = Duration::from_millis(5);
const FOREVER: Duration = Duration::from_hours(1);

/// Returns two connected streams on the loop.
fn pair() -> Result<(Io<std::os::unix::net::UnixStream>, Io<std::os::unix::net::UnixStream>)> {
    let (one, other) = UnixStream::pair()?;
    Ok((one.into(), other.into()))
}

/// A waker that counts how often it's woken.
#[derive(Default)]
struct Counter(AtomicUsize);

impl Wake for Counter {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

// 1. Wakers.

#[test]
fn a_waker_works_from_any_thread_as_often_as_it_likes_and_after_the_end() {
    let kept = Arc::new(Mutex::new(None::<Waker>));
    let given = Arc::clone(&kept);
    let polls = run(async move {
        let mut polls = 0;
        let mut threads = Vec::new();
        cancellable(poll_fn(|context| {
            polls += 1;
            if polls == 3 {
                return Poll::Ready(());
            }
            let waker = context.waker().clone();
            *given.lock().unwrap() = Some(waker.clone());
            threads.push(thread::spawn(move || (0..1000).for_each(|_| waker.wake_by_ref())));
            Poll::Pending
        }))
        .await?;
        for thread in threads {
            thread.join().unwrap();
        }
        Ok(polls)
    });
    assert_eq!(polls.unwrap(), 3, "2,000 wake-ups are two polls if they come between polls");
    // The loop is closed and the task is gone, so the wake has no effect.
    kept.lock().unwrap().take().unwrap().wake();
}

#[test]
fn a_wake_up_during_the_poll_is_not_lost() {
    let polls = run(async {
        let mut polls = 0;
        poll_fn(|context| {
            polls += 1;
            let waker = context.waker().clone();
            thread::spawn(move || waker.wake()).join().unwrap();
            if polls == 100 { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        Ok(polls)
    });
    assert_eq!(polls.unwrap(), 100);
}

// 2. Other wakers: a combinator passes on its own waker.

#[test]
fn what_the_loop_offers_wakes_the_waker_of_its_last_poll() {
    run(async {
        let (mut one, mut other) = pair()?;
        let mut buffer = [0; 8];
        let (first, last) = (Arc::new(Counter::default()), Arc::new(Counter::default()));
        let timer = LoopTimer.sleep(MOMENT);
        {
            let mut read = pin!(one.read(&mut buffer));
            let mut timer = pin!(timer);
            for counter in [&first, &last] {
                let waker = Waker::from(Arc::clone(counter));
                let mut context = Context::from_waker(&waker);
                assert!(read.as_mut().poll(&mut context).is_pending());
                assert!(timer.as_mut().poll(&mut context).is_pending());
            }
            other.write_all(b"hello").await?;
            sleep(4 * MOMENT).await?;
            assert_eq!(last.0.load(Ordering::SeqCst), 2, "the read and the timer");
            assert!(timer.as_mut().now_or_never().is_some());
            assert_eq!(read.as_mut().now_or_never().unwrap()?, 5);
        }
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_hundred_sleeps_in_one_task_are_polled_once_when_they_begin_and_once_when_they_end() {
    run(async {
        let polls = Rc::new(Cell::new(0));
        let sleeps: FuturesUnordered<_> = (0..100)
            .map(|number| {
                let polls = Rc::clone(&polls);
                let mut inner = Box::pin(LoopTimer.sleep(Duration::from_millis(number % 10)));
                poll_fn(move |context| {
                    polls.set(polls.get() + 1);
                    inner.as_mut().poll(context)
                })
            })
            .collect();
        assert_eq!(cancellable(sleeps.count()).await?, 100);
        assert!((100..=200).contains(&polls.get()), "{}", polls.get());
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_future_can_move_to_another_task_between_two_polls() {
    run(async {
        let (mut one, mut other) = pair()?;
        let mut reading = Box::pin(async move {
            let mut buffer = [0; 8];
            one.read(&mut buffer).await.map(|count| buffer[..count].to_vec())
        });
        assert!(reading.as_mut().now_or_never().is_none());
        let polled_once = create_task({
            let mut reading = reading;
            async move {
                let done = poll_fn(|context| Poll::Ready(reading.as_mut().poll(context))).await;
                assert!(done.is_pending());
                Ok(Rc::new(RefCell::new(Some(reading))))
            }
        })?
        .await?;
        let reading = polled_once.take().unwrap();
        let task = create_task(async move { Ok(cancellable(reading).await??) })?;
        yield_now().await?;
        other.write_all(b"hello").await?;
        assert_eq!(task.await?, b"hello");
        Ok(())
    })
    .unwrap();
}

// 3. Dropping.

#[test]
fn a_dropped_future_leaves_no_timer() {
    run(async {
        let event_loop = get_running_loop()?;
        for _ in 0..100 {
            let mut sleeping = Box::pin(LoopTimer.sleep(FOREVER).fuse());
            let mut slept = Box::pin(sleep(FOREVER).fuse());
            let mut yielding = Box::pin(yield_now().fuse());
            select! {
                () = sleeping => unreachable!(),
                _ = slept => unreachable!(),
                _ = yielding => {}
            }
        }
        yield_now().await?;
        assert_eq!(timeout_of(&event_loop), None);
        Ok(())
    })
    .unwrap();
}

/// Returns the time for which the loop could sleep if its queue were empty.
fn timeout_of(event_loop: &EventLoop) -> Option<Duration> {
    event_loop.select_timeout()
}

#[test]
fn a_sleep_can_be_dropped_on_another_thread_or_after_its_loop() {
    let left = run(async {
        let event_loop = get_running_loop()?;
        let sleeping = LoopTimer.sleep(FOREVER);
        thread::spawn(move || drop(sleeping)).join().unwrap();
        sleep(MOMENT).await?;
        assert_eq!(timeout_of(&event_loop), None, "its timer is gone");
        Ok(Rc::new(Cell::new(Some(LoopTimer.sleep(FOREVER)))))
    });
    drop(left.unwrap().take());
}

#[test]
fn a_read_that_was_dropped_takes_no_bytes_with_it() {
    run(async {
        let (mut one, mut other) = pair()?;
        let mut buffer = [0; 8];
        assert!(one.read(&mut buffer).now_or_never().is_none());
        other.write_all(b"hello").await?;
        sleep(MOMENT).await?;
        assert_eq!(cancellable(one.read(&mut buffer)).await??, 5);
        Ok(())
    })
    .unwrap();
}

// 4. Cancelling.

/// Records that it was dropped.
struct Guard(Rc<Cell<bool>>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.set(true);
    }
}

#[test]
fn a_cancelled_task_drops_what_it_awaits_from_elsewhere() {
    run(async {
        let is_dropped = Rc::new(Cell::new(false));
        let guard = Guard(Rc::clone(&is_dropped));
        let task = create_task(async move {
            cancellable(async move {
                let _guard = guard;
                pending::<()>().await;
            })
            .await
        })?;
        yield_now().await?;
        task.cancel();
        assert!(task.await.unwrap_err().is_cancelled());
        assert!(is_dropped.get());
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_cancellation_comes_before_a_result_of_the_same_tick() {
    run(async {
        let (sender, receiver) = async_channel::bounded(1);
        let task = create_task(async move { cancellable(receiver.recv()).await })?;
        yield_now().await?;
        sender.try_send(1).unwrap();
        task.cancel();
        assert!(task.await.unwrap_err().is_cancelled());
        assert!(sender.is_closed(), "the receiver is gone");
        Ok(())
    })
    .unwrap();
}

/// Cancels a task that serves a connection without `cancellable`, after a client has sent these
/// bytes. Returns the task's outcome.
fn cancel_inside_hyper(sent: &'static [u8]) -> hyper::Result<()> {
    let ended = run(async move {
        let (one, mut other) = pair()?;
        let task = create_task(async move {
            let http = hyper::server::conn::http1::Builder::new();
            let ended = http.serve_connection(HyperIo::new(one)?, service_fn(answer)).await;
            Ok(Rc::new(RefCell::new(Some(ended))))
        })?;
        other.write_all(sent).await?;
        sleep(MOMENT).await?;
        task.cancel_with("time to go");
        task.await
    });
    ended.unwrap().take().unwrap()
}

#[test]
fn hyper_takes_a_cancellation_for_a_lost_connection_and_says_why() {
    let error = cancel_inside_hyper(b"GET / HT").unwrap_err();
    assert!(!error.is_parse() && !error.is_timeout(), "{error:?}");
    assert_eq!(cancellation_in(&error).unwrap().to_string(), "cancelled: time to go");
}

/// An idle client may leave, so hyper doesn't treat this as an error. The request to cancel gets
/// lost, which is why `cancellable` exists.
#[test]
fn between_two_requests_hyper_takes_a_cancellation_for_a_good_end() {
    assert!(cancel_inside_hyper(b"").is_ok());
}

async fn answer(_: Request<Incoming>) -> std::result::Result<Response<Full<Bytes>>, hyper::Error> {
    Ok(Response::new(Full::from("hello")))
}

#[test]
fn a_sleep_of_hypers_leaves_the_cancellation_to_the_next_wait() {
    run(async {
        let task = create_task(async {
            LoopTimer.sleep(MOMENT).await;
            sleep(FOREVER).await
        })?;
        yield_now().await?;
        task.cancel();
        assert!(task.await.unwrap_err().is_cancelled());
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_task_that_hyper_started_ends_with_the_loop() {
    let is_dropped = Rc::new(Cell::new(false));
    let guard = Guard(Rc::clone(&is_dropped));
    run(async move {
        hyper::rt::Executor::execute(&LoopExecutor, async move {
            let _guard = guard;
            pending::<()>().await;
        });
        Ok(())
    })
    .unwrap();
    assert!(is_dropped.get());
}

// 5. Panics.

#[test]
fn a_handler_that_panics_ends_its_own_connection_and_is_reported() {
    run(async {
        let reports = Rc::new(RefCell::new(Vec::new()));
        let seen = Rc::clone(&reports);
        get_running_loop()?.set_exception_handler(move |context| {
            seen.borrow_mut().push(format!("{:?}", context.exception));
        });
        let pages = Router::new()
            .route("/panic", get(async || -> &'static str { panic!("on purpose") }))
            .route("/", get(async || "hello"));
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let address = listener.local_addr()?;
        let server = create_task(Serve::default().run(listener, Tower(pages)))?;
        for (path, expected) in [("/", "hello"), ("/panic", ""), ("/", "hello")] {
            let mut client = Io::from(TcpStream::connect(address).await?);
            let request = format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
            client.write_all(request.as_bytes()).await?;
            let mut answer = String::new();
            client.read_to_string(&mut answer).await?;
            assert!(answer.ends_with(expected) && answer.is_empty() == expected.is_empty());
        }
        server.cancel();
        assert!(server.await.unwrap_err().is_cancelled());
        assert_eq!(*reports.borrow(), ["Some(Panicked(\"on purpose\"))"]);
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_waker_that_panics_harms_neither_the_loop_nor_its_neighbours() {
    struct Panics;
    impl Wake for Panics {
        fn wake(self: Arc<Self>) {
            panic!("a waker");
        }
    }
    run(async {
        get_running_loop()?.set_exception_handler(|_| ());
        let (mut one, mut other) = pair()?;
        let (mut third, mut fourth) = pair()?;
        let waker = Waker::from(Arc::new(Panics));
        let mut buffer = [0; 8];
        {
            let mut reading = pin!(one.read(&mut buffer));
            assert!(reading.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
            let neighbour = create_task(async move {
                let mut buffer = [0; 8];
                Ok(cancellable(third.read(&mut buffer)).await??)
            })?;
            yield_now().await?;
            other.write_all(b"hello").await?;
            fourth.write_all(b"you").await?;
            assert_eq!(neighbour.await?, 3);
        }
        assert_eq!(cancellable(one.read(&mut buffer)).await??, 5);
        Ok(())
    })
    .unwrap();
}

// 6. The wrong place.

#[test]
fn in_the_wrong_place_a_future_says_so_and_nothing_else_breaks() {
    let elsewhere = |future: ecosystem::LoopSleep| {
        thread::spawn(move || {
            let mut future = pin!(future);
            let _ = future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        })
        .join()
        .is_err()
    };
    assert!(sleep(MOMENT).now_or_never().unwrap().is_err(), "no loop runs here");
    run(async move {
        let panicked = elsewhere(LoopTimer.sleep(MOMENT));
        assert!(panicked);
        let wrapped = ecosystem::on_this_thread(sleep(MOMENT));
        let kept = thread::spawn(move || {
            let mut wrapped = Box::pin(wrapped);
            let poll = std::panic::AssertUnwindSafe(|| {
                let _ = wrapped.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            });
            assert!(std::panic::catch_unwind(poll).is_err());
            wrapped
        });
        kept.join().unwrap().await
    })
    .unwrap();
}

#[test]
fn a_sleep_of_another_loop_does_not_end_on_this_one() {
    let left = run(async { Ok(Rc::new(Cell::new(Some(LoopTimer.sleep(FOREVER))))) });
    let left = left.unwrap().take().unwrap();
    let ended = run(async {
        left.await;
        Ok(())
    });
    let expected = "panicked: a sleep ends on the loop on which it began";
    assert_eq!(ended.unwrap_err().to_string(), expected);
}

#[test]
fn an_errand_can_be_asked_for_on_another_thread() {
    let slept = run(async {
        let nap = Errands::start(async |length| sleep(length).await.map(|()| length))?;
        let asked = thread::spawn(move || {
            let mut asking = Box::pin(nap.ask(MOMENT));
            // A loop of a different kind, which parks its thread.
            let waker = Waker::from(Arc::new(Unparks(thread::current())));
            loop {
                match asking.as_mut().poll(&mut Context::from_waker(&waker)) {
                    Poll::Ready(answer) => return answer,
                    Poll::Pending => thread::park(),
                }
            }
        });
        asyncio::to_thread(move || Ok(asked.join().unwrap())).await
    });
    assert_eq!(slept.unwrap(), Some(MOMENT));
}

struct Unparks(thread::Thread);

impl Wake for Unparks {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

#[test]
fn a_handler_runs_on_the_loops_thread() {
    run(async {
        let (one, other) = pair()?;
        let here = thread::current().id();
        create_task(async move {
            let service = service_fn(async |_: Request<Incoming>| {
                let text = format!("{:?}", thread::current().id());
                std::result::Result::<_, hyper::Error>::Ok(Response::new(Full::<Bytes>::from(text)))
            });
            let http = hyper::server::conn::http1::Builder::new();
            let _ = http.serve_connection(HyperIo::new(one)?, service).await;
            Ok(())
        })?;
        let ((mut requests, connection), request) =
            (handshake(other).await?, Request::new(Full::<Bytes>::default()));
        create_task(cancellable(async { drop(connection.await) }))?;
        let response = requests.send_request(request).await.map_err(Error::other)?;
        let body = response.collect().await.map_err(Error::other)?.to_bytes();
        assert_eq!(body, format!("{here:?}"));
        Ok(())
    })
    .unwrap();
}

type Requests = hyper::client::conn::http1::SendRequest<Full<Bytes>>;
type Connection<T> = hyper::client::conn::http1::Connection<HyperIo<T>, Full<Bytes>>;

async fn handshake<T>(io: T) -> Result<(Requests, Connection<T>)>
where
    T: futures_io::AsyncRead + futures_io::AsyncWrite + Unpin,
{
    hyper::client::conn::http1::handshake(HyperIo::new(io)?).await.map_err(Error::other)
}

// 7. Tasks: HTTP/2 starts a task per request, through the executor.

#[test]
fn http_2_answers_a_hundred_requests_on_one_connection_at_once() {
    run(async {
        let (one, other) = pair()?;
        create_task(async move {
            let service = service_fn(async |request: Request<Incoming>| {
                LoopTimer.sleep(MOMENT).await;
                Ok::<_, hyper::Error>(Response::new(request.into_body()))
            });
            let http = hyper::server::conn::http2::Builder::new(LoopExecutor);
            let _ = http.serve_connection(HyperIo::new(one)?, service).await;
            Ok(())
        })?;
        let io = HyperIo::new(other)?;
        let shaken = hyper::client::conn::http2::handshake(LoopExecutor, io).await;
        let (requests, connection) = shaken.map_err(Error::other)?;
        create_task(cancellable(async { drop(connection.await) }))?;
        let begun = Instant::now();
        let answers: FuturesUnordered<_> = (0..100)
            .map(|number: u32| {
                let mut requests = requests.clone();
                async move {
                    let text = number.to_string().repeat(1000);
                    let body = Full::new(Bytes::from(text.clone()));
                    let response = requests.send_request(Request::new(body)).await.unwrap();
                    let answer = response.collect().await.unwrap().to_bytes();
                    assert_eq!(answer, text.as_bytes());
                }
            })
            .collect();
        assert_eq!(answers.count().await, 100);
        assert!(begun.elapsed() < 60 * MOMENT, "they sleep at the same time");
        Ok(())
    })
    .unwrap();
}

// Pipes work too, although they have no address and no shutdown.

#[test]
fn pipes_are_read_and_written_like_sockets() {
    run(async {
        let (reader, writer) = io::pipe()?;
        for end in [rustix::fd::AsFd::as_fd(&reader), rustix::fd::AsFd::as_fd(&writer)] {
            rustix::io::ioctl_fionbio(end, true).map_err(io::Error::from)?;
        }
        let (mut reader, mut writer) = (Io::reader(reader)?, Io::writer(writer)?);
        // Exactly as much as a pipe can hold, so only the next write finds no room.
        assert_eq!(writer.write(&vec![7; 65_536]).await?, 65_536);
        let more = create_task(async move {
            writer.write_all(b"more").await?;
            Ok(Rc::new(RefCell::new(Some(writer))))
        })?;
        yield_now().await?;
        assert!(!more.done());
        reader.read_exact(&mut vec![0; 65_536]).await?;
        let mut writer = more.await?.take().unwrap();
        reader.read_exact(&mut [0; 4]).await?;
        let writing = create_task(async move {
            // More than a pipe can hold.
            writer.write_all(&vec![7; 300_000]).await?;
            Ok(())
        })?;
        let mut all = Vec::new();
        assert_eq!(reader.read_to_end(&mut all).await?, 300_000);
        writing.await
    })
    .unwrap();
}
