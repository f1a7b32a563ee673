//! A server that greets each of its clients by name and takes a read for a name.
//!
//! `cargo run -p asyncio --example greets`, or the same with `-- lines` at the end.

use asyncio::{
    LoopResult, Result, StreamReader, StreamWriter, TcpListener, TcpStream, create_task, run,
    start_server,
};

fn main() -> LoopResult<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // Another port is for the tests.
    let port = arguments.iter().find_map(|it| it.parse().ok()).unwrap_or(7000);
    let by_lines = arguments.iter().any(|it| it == "lines");
    run(async move { if by_lines { serve_lines(port).await } else { serve(port).await } })
}

async fn serve(port: u16) -> Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", port))?;
    println!("listening on {}", listener.local_addr()?);
    loop {
        let (client, _address) = listener.accept().await?;
        create_task(greet(client))?;
    }
}

// ANCHOR: greet
async fn greet(client: TcpStream) -> Result<()> {
    let mut buffer = [0; 1024];
    loop {
        let count = client.read(&mut buffer).await?;
        if count == 0 {
            return Ok(());
        }
        client.write_all(greeting(&buffer[..count]).as_bytes()).await?;
    }
}

fn greeting(name: &[u8]) -> String {
    format!("Hello, {}!\n", String::from_utf8_lossy(name).trim_end())
}
// ANCHOR_END: greet

// ANCHOR: greet_lines
async fn serve_lines(port: u16) -> Result<()> {
    let server = start_server(greet_lines, ("127.0.0.1", port)).await?;
    println!("listening on {}", server.local_addrs()?[0]);
    server.serve_forever().await
}

async fn greet_lines(mut reader: StreamReader, writer: StreamWriter) -> Result<()> {
    while let Some(name) = reader.next_line().await? {
        writer.write(greeting(&name).as_bytes())?;
        writer.drain().await?;
    }
    Ok(())
}
// ANCHOR_END: greet_lines
