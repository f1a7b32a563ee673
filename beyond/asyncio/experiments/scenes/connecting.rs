//! The facts that a connected client knows, and those that it doesn't.

use std::cell::Cell;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::rc::Rc;

use asyncio::{Error, Result, get_running_loop, open_connection, run, yield_now};
use kit::destination::Destination;
use scene::{Transcript, say, scene};
use step02_epoll::{Connected, connect};

scene!(
    a_client_and_no_accept,
    "A server listens but doesn't accept. Can a client connect to the server and send bytes?"
);
/// At the end, the listener is closed.
fn a_client_and_no_accept(t: Transcript) -> anyhow::Result<()> {
    run(async move {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let (mut reader, writer) = open_connection(listener.local_addr()?).await?;
        say!(t, "the client is connected");
        writer.write(b"an order\n")?;
        writer.drain().await?;
        say!(t, "drain has returned; {} bytes are unsent", writer.get_write_buffer_size());
        drop(listener);
        say!(t, "the listener is closed");
        say!(t, "readline: {}", outcome(&reader.readline().await));
        Ok(())
    })?;
    Ok(())
}

fn outcome(read: &Result<Vec<u8>>) -> String {
    match read {
        Ok(line) => format!("{} bytes", line.len()),
        Err(Error::Io(error)) => format!("{:?}", error.kind()),
        Err(error) => error.to_string(),
    }
}

scene!(
    watching_a_connect,
    "A socket that's connecting is watched for writing. What do you know once it's writable?"
);
/// One address has a listener, one has none, and one has a listener whose queue is full.
fn watching_a_connect(t: Transcript) -> anyhow::Result<()> {
    let ip = Ipv4Addr::LOCALHOST;
    let destinations = [
        ("a listener", Destination::listening(ip)?),
        ("no listener", Destination::refusing(ip)?),
        ("a full queue", Destination::full(ip)?),
    ];
    run(async move {
        for (name, destination) in destinations {
            say!(t, "{name}: {}", attempt(&destination).await?);
        }
        Ok(())
    })?;
    Ok(())
}

async fn attempt(destination: &Destination) -> Result<String> {
    let connecting = connect(destination.address())?;
    let is_writable = Rc::new(Cell::new(false));
    let note = Rc::clone(&is_writable);
    let event_loop = get_running_loop()?;
    event_loop.add_writer(&connecting, move || note.set(true))?;
    destination.wait_for_the_outcome(&connecting)?;
    for _ in 0..3 {
        yield_now().await?;
    }
    event_loop.remove_writer(&connecting)?;
    Ok(format!("writable = {}, {}", is_writable.get(), verdict(connecting.finish())))
}

fn verdict(finished: io::Result<Connected>) -> String {
    match finished {
        Ok(Connected::Yes(_)) => "connected".to_owned(),
        Ok(Connected::NotYet(_)) => "not yet connected".to_owned(),
        Err(error) => format!("{:?}", error.kind()),
    }
}
