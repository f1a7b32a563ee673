//! `sock_recv` and the methods like it; `test_sock_lowlevel.py` asks the same of asyncio.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::rc::Rc;

use crate::test;
use asyncio::{EventLoop, EventLoopExt as _, Result, create_task, get_running_loop, yield_now};
use kit::destination::{Destination, tcp_socket};
use kit::limit_time;

fn pair() -> Result<(UnixStream, UnixStream)> {
    let (ours, theirs) = UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    Ok((ours, theirs))
}

#[test]
fn bytes_are_received_at_once_or_when_they_come() {
    test(async {
        let event_loop = get_running_loop()?;
        let (ours, mut theirs) = pair()?;
        theirs.write_all(b"hello")?;
        assert_eq!(event_loop.sock_recv(&ours, 3).await?, b"hel");
        assert_eq!(event_loop.sock_recv(&ours, 16).await?, b"lo");
        event_loop.call_soon(move || theirs.write_all(b"later").unwrap());
        assert_eq!(event_loop.sock_recv(&ours, 16).await?, b"later");
        assert_eq!(event_loop.sock_recv(&ours, 16).await?, b"", "the end");
        assert!(!event_loop.remove_reader(&ours)?, "no reader is left");
        Ok(())
    });
}

#[test]
fn huge_content_is_sent_while_it_is_received() {
    test(async {
        let event_loop = get_running_loop()?;
        let (ours, theirs) = pair()?;
        theirs.set_nonblocking(true)?;
        let content: Vec<u8> = (0..1_000_000_u32).map(|number| number.to_le_bytes()[0]).collect();
        let (sender, sent) = (event_loop.clone(), content.clone());
        let sending = create_task(async move {
            sender.sock_sendall(&ours, &sent).await?;
            assert!(!sender.remove_writer(&ours)?, "no writer is left");
            Ok(())
        })?;
        let (mut received, mut buffer) = (Vec::new(), vec![0; 10_000]);
        while received.len() < content.len() {
            let count = event_loop.sock_recv_into(&theirs, &mut buffer).await?;
            received.extend_from_slice(&buffer[..count]);
        }
        assert!(received == content);
        sending.await
    });
}

#[test]
fn a_connection_is_made_and_accepted() {
    test(async {
        let event_loop = get_running_loop()?;
        let listener = TcpListener::bind("127.0.0.1:0")?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let accepting = event_loop.clone();
        let served = create_task(async move {
            let (socket, peer) = accepting.sock_accept(&listener).await?;
            assert!(!accepting.remove_reader(&listener)?);
            accepting.sock_sendall(&socket, b"hello").await?;
            Ok(peer)
        })?;
        yield_now().await?;
        let client = TcpStream::from(tcp_socket()?);
        client.set_nonblocking(true)?;
        event_loop.sock_connect(&client, address).await?;
        assert_eq!(client.peer_addr()?, address);
        assert_eq!(event_loop.sock_recv(&client, 16).await?, b"hello");
        assert_eq!(served.await?, Some(client.local_addr()?));
        assert!(!event_loop.remove_writer(&client)?);
        Ok(())
    });
}

#[test]
fn a_refused_connection_is_an_error_with_its_address() {
    let refusing = Destination::refusing(std::net::Ipv4Addr::LOCALHOST).unwrap();
    let address = SocketAddr::from(refusing.address());
    test(async move {
        let client = TcpStream::from(tcp_socket()?);
        client.set_nonblocking(true)?;
        let error = get_running_loop()?.sock_connect(&client, address).await.unwrap_err();
        let (says, named) = (error.to_string(), format!(" to {address}: Connection refused"));
        assert!(says.starts_with("connect fd ") && says.contains(&named), "{says}");
        Ok(())
    });
}

#[test]
fn debug_mode_refuses_a_blocking_socket() {
    limit_time();
    let event_loop = EventLoop::new().unwrap();
    event_loop.set_debug(true);
    let asked = event_loop.clone();
    event_loop
        .run_until_complete(async move {
            let (ours, _theirs) = UnixStream::pair()?;
            let address = SocketAddr::from(([127, 0, 0, 1], 9));
            let refusals = [
                asked.sock_recv(&ours, 1).await.map(drop),
                asked.sock_sendall(&ours, b"!").await,
                asked.sock_connect(&ours, address).await,
                asked.sock_accept(&ours).await.map(drop),
            ];
            for refusal in refusals {
                let error = refusal.unwrap_err();
                assert_eq!(error.to_string(), "the socket must be non-blocking");
            }
            Ok(())
        })
        .unwrap();
    event_loop.close().unwrap();
}

#[test]
fn a_cancelled_call_leaves_no_callback_and_takes_no_bytes() {
    test(async {
        let event_loop = get_running_loop()?;
        let (ours, mut theirs) = pair()?;
        let ours = Rc::new(ours);
        let (receiver, socket) = (event_loop.clone(), Rc::clone(&ours));
        let task = create_task(async move { receiver.sock_recv(&*socket, 16).await })?;
        yield_now().await?;
        task.cancel();
        assert!(task.await.unwrap_err().is_cancelled());
        assert!(!event_loop.remove_reader(&*ours)?);
        theirs.write_all(b"hello")?;
        assert_eq!(event_loop.sock_recv(&*ours, 16).await?, b"hello");
        Ok(())
    });
}

#[test]
fn a_reader_that_has_replaced_the_calls_own_stays() {
    test(async {
        let event_loop = get_running_loop()?;
        let (ours, _theirs) = pair()?;
        let ours = Rc::new(ours);
        let (receiver, socket) = (event_loop.clone(), Rc::clone(&ours));
        let task = create_task(async move { receiver.sock_recv(&*socket, 16).await })?;
        yield_now().await?;
        event_loop.add_reader(&*ours, || {})?;
        task.cancel();
        assert!(task.await.unwrap_err().is_cancelled());
        assert!(event_loop.remove_reader(&*ours)?);
        Ok(())
    });
}

#[test]
fn the_socket_of_a_stream_is_refused() {
    test(async {
        let (ours, mut theirs) = pair()?;
        let stream = asyncio::Stream::from_std(ours)?;
        let error = get_running_loop()?.sock_recv(&stream, 16).await.unwrap_err().to_string();
        let why = "the descriptor belongs to a stream or to the loop itself";
        assert!(error.ends_with(why) && error.contains(" fd "), "{error}");
        theirs.set_nonblocking(true)?;
        assert!(theirs.read(&mut [0]).is_err());
        Ok(())
    });
}

#[test]
fn an_accepted_socket_is_non_blocking_and_close_on_exec() {
    test(async {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        listener.set_nonblocking(true)?;
        let _client = TcpStream::connect(listener.local_addr()?)?;
        let (served, _) = get_running_loop()?.sock_accept(&listener).await?;
        assert_eq!(kit::flags(&served)?, "read-write, non-blocking, close-on-exec");
        Ok(())
    });
}
