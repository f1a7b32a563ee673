//! Runs many clients at once, half of them hostile. All the others have to get their answers from
//! the loop's server.

mod server;

use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use asyncio::{Result, Semaphore, TcpStream, create_task, gather, run, sleep, wait_for};
use rustix::net::sockopt::{set_socket_linger, set_socket_recv_buffer_size};

use server::Server;

const CLIENTS: usize = 2000;
const AT_A_TIME: usize = 300;
const PATIENCE: Duration = Duration::from_secs(30);

/// The way in which a hostile client ends its connection.
enum End {
    /// The client reads everything that arrives, to the end.
    Reads,
    /// The client closes its connection without reading.
    Leaves,
    /// The client closes its connection with a reset.
    Resets,
}

/// A hostile client's bytes, the number of repetitions, the pauses in milliseconds, and the way in
/// which the client ends its connection.
type Way = (&'static [u8], usize, u64, End);

const WAYS: [Way; 10] = [
    // The client sends nothing.
    (b"", 0, 0, End::Resets),
    // The client sends bytes that aren't HTTP.
    (&[0xff; 1000], 1, 0, End::Reads),
    // The client leaves in the middle of a head.
    (b"GET / HTTP/1.1\r\nhost: he", 1, 0, End::Leaves),
    // The client does the same but sends each byte separately.
    (b"G", 14, 5, End::Leaves),
    // The client leaves while its handler is sleeping.
    (b"GET /sleep/1000 HTTP/1.1\r\nhost: here\r\n\r\n", 1, 5, End::Resets),
    // The client's handler panics.
    (b"GET /panic HTTP/1.1\r\nhost: here\r\n\r\n", 1, 0, End::Reads),
    // The client asks for a large body and doesn't read it.
    (b"GET /big HTTP/1.1\r\nhost: here\r\n\r\n", 1, 50, End::Resets),
    // The client sends a head that never ends.
    (b"GET / HTTP/1.1\r\nhost: here\r\nx: ", 30_000, 0, End::Leaves),
    // The client promises a body and sends only a part of it.
    (b"POST /echo HTTP/1.1\r\nhost: here\r\ncontent-length: 1000000\r\n\r\nx", 1, 5, End::Resets),
    // The client sends a chunk with an impossible length.
    (
        b"POST /stream HTTP/1.1\r\nhost: here\r\ntransfer-encoding: chunked\r\n\r\n\
          fffffffffffffffff\r\n",
        1,
        0,
        End::Reads,
    ),
];

#[test]
fn every_well_behaved_client_gets_its_answer() {
    let server = Server::start("loop");
    let address = server.address;
    let ended = run(async move {
        let places = Rc::new(Semaphore::new(AT_A_TIME));
        let mut tasks = Vec::new();
        for number in 0..CLIENTS {
            let places = Rc::clone(&places);
            tasks.push(create_task(async move {
                let _place = places.hold().await?;
                if number % 2 == 0 {
                    return wait_for(behave(address), PATIENCE).await;
                }
                // Whatever happens to a hostile client, the test goes on.
                let _ = misbehave(address, &WAYS[number / 2 % WAYS.len()]).await;
                Ok(())
            })?);
        }
        gather(tasks)?.await?;
        Ok(())
    });
    assert_eq!(ended.map_err(|error| error.to_string()), Ok(()));
}

async fn behave(address: SocketAddr) -> Result<()> {
    let stream = TcpStream::connect(address).await?;
    stream.write_all(b"GET / HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n").await?;
    let answer = read_all(&stream).await?;
    assert!(answer.ends_with(b"hello from a handler\n"), "{}", String::from_utf8_lossy(&answer));
    Ok(())
}

async fn read_all(stream: &TcpStream) -> Result<Vec<u8>> {
    let (mut all, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        match stream.read(&mut buffer).await? {
            0 => return Ok(all),
            count => all.extend_from_slice(&buffer[..count]),
        }
    }
}

async fn misbehave(address: SocketAddr, (text, times, pause, end): &Way) -> Result<()> {
    let stream = TcpStream::connect(address).await?;
    set_socket_recv_buffer_size(&stream, 4096).map_err(std::io::Error::from)?;
    for _ in 0..*times {
        stream.write_all(text).await?;
        sleep(Duration::from_millis(*pause)).await?;
    }
    match end {
        End::Reads => drop(read_all(&stream).await?),
        End::Leaves => {}
        End::Resets => {
            set_socket_linger(&stream, Some(Duration::ZERO)).map_err(std::io::Error::from)?;
        }
    }
    Ok(())
}
