//! Datagrams: peers, waits and errors. The bounds of messages are in the scene `four_datagrams`.

use std::cell::Cell;
use std::future::{Future as _, poll_fn};
use std::pin::pin;
use std::rc::Rc;

use crate::test;
use asyncio::{Error, Result, UdpSocket, create_task, run, yield_now};
use kit::{Refusal, limit_time};

async fn pair() -> Result<(UdpSocket, UdpSocket)> {
    Ok((UdpSocket::bind("127.0.0.1:0").await?, UdpSocket::bind(("127.0.0.1", 0)).await?))
}

#[test]
fn a_connected_socket_has_one_peer() {
    test(async {
        let (one, other) = pair().await?;
        let stranger = UdpSocket::bind("127.0.0.1:0").await?;
        one.connect(other.local_addr()?).await?;
        assert_eq!(one.peer_addr()?, other.local_addr()?);
        one.send(b"hello").await?;
        let mut buffer = [0; 16];
        let (count, from) = other.recv_from(&mut buffer).await?;
        assert_eq!(count, 5);
        stranger.send_to(b"not me", one.local_addr()?).await?;
        other.send_to(b"me", from).await?;
        assert_eq!(one.recv(&mut buffer).await?, 2);
        Ok(())
    });
}

#[test]
fn a_receiver_waits_and_can_be_cancelled() {
    test(async {
        let (one, other) = pair().await?;
        let address = other.local_addr()?;
        let received = Rc::new(Cell::new(0));
        let counted = Rc::clone(&received);
        let receiving = create_task(async move {
            counted.set(other.recv(&mut [0; 16]).await?);
            other.recv(&mut [0; 16]).await
        })?;
        yield_now().await?;
        one.send_to(b"hello", address).await?;
        while received.get() == 0 {
            yield_now().await?;
        }
        receiving.cancel();
        assert!(receiving.await.unwrap_err().is_cancelled());
        assert_eq!(received.get(), 5);
        Ok(())
    });
}

/// asyncio's `sock_recvfrom` forgets all receivers but the last.
#[test]
fn several_receivers_get_a_message_each_in_the_order_of_their_waits() {
    test(async {
        let (one, other) = pair().await?;
        let (address, other) = (other.local_addr()?, Rc::new(other));
        let receivers: Vec<_> = [(); 4]
            .map(|()| {
                let other = Rc::clone(&other);
                create_task(async move {
                    let mut buffer = [0; 1];
                    other.recv(&mut buffer).await?;
                    Ok(buffer[0])
                })
            })
            .into_iter()
            .collect::<std::result::Result<_, _>>()?;
        yield_now().await?;
        receivers[1].cancel();
        one.send_to(b"a", address).await?;
        assert_eq!(receivers[0].clone().await?, b'a');
        one.send_to(b"b", address).await?;
        one.send_to(b"c", address).await?;
        assert_eq!(receivers[2].clone().await?, b'b');
        assert_eq!(receivers[3].clone().await?, b'c');
        Ok(())
    });
}

#[test]
fn an_unreachable_port_is_an_error_of_a_later_call_which_names_it() {
    test(async {
        let (one, other) = pair().await?;
        let address = other.local_addr()?;
        drop(other);
        one.connect(address).await?;
        one.send(b"anybody?").await?;
        let Err(Error::Io(error)) = one.recv(&mut [0; 16]).await else { panic!("nobody is there") };
        let says = format!("recv, connected to {address}: Connection refused (os error 111)");
        assert_eq!(error.to_string(), says);
        Ok(())
    });
}

/// An error of a socket for datagrams isn't its end, though epoll reports both by the same bits.
#[test]
fn after_an_error_a_receiver_sleeps_until_a_message_arrives() {
    test(async {
        let (one, other) = pair().await?;
        let (here, there) = (one.local_addr()?, other.local_addr()?);
        drop(other);
        one.connect(there).await?;
        one.send(b"anybody?").await?;
        one.recv(&mut [0; 16]).await.unwrap_err();
        let polls = Rc::new(Cell::new(0));
        let counted = Rc::clone(&polls);
        let receiving = create_task(async move {
            let mut buffer = [0; 16];
            let mut receive = pin!(one.recv(&mut buffer));
            poll_fn(|context| {
                counted.set(counted.get() + 1);
                receive.as_mut().poll(context)
            })
            .await
        })?;
        for _ in 0..10 {
            yield_now().await?;
        }
        assert_eq!(polls.get(), 1, "there's nothing to receive");
        UdpSocket::bind(there).await?.send_to(b"now", here).await?;
        assert_eq!(receiving.await?, 3);
        Ok(())
    });
}

#[test]
fn errors_of_each_call_name_it() {
    limit_time();
    let calls =
        [(libc::SYS_sendto, "sendto 127.0.0.1:9"), (libc::SYS_recvfrom, "recvfrom at 127.")];
    for (call, says) in calls {
        let refusal = Refusal { call, argument: None, errno: libc::ENOBUFS };
        let try_both = || {
            let both = run(async move {
                let socket = UdpSocket::bind("127.0.0.1:0").await?;
                let mut buffer = [0; 16];
                if call == libc::SYS_sendto {
                    return socket.send_to(b"hello", "127.0.0.1:9".parse().unwrap()).await;
                }
                let itself = socket.local_addr()?;
                socket.send_to(b"hello", itself).await?;
                Ok(socket.recv_from(&mut buffer).await?.0)
            });
            both.unwrap_err().to_string()
        };
        let error = refusal.during(try_both).unwrap();
        assert!(error.starts_with(says), "{error}");
        assert!(error.ends_with("No buffer space available (os error 105)"), "{error}");
    }
}
