//! A client of the class's server, on the loop. A connection carries one request after another, or
//! a stream.

use std::net::SocketAddr;

use asyncio::{Error, Result, StreamReader, StreamWriter, open_connection};
use serde_json::{Value, json};

/// The address of the server.
#[derive(Debug, Clone)]
pub(crate) struct ServerAddress {
    pub(crate) address: SocketAddr,
}

impl ServerAddress {
    pub(crate) fn at(address: SocketAddr) -> Self {
        ServerAddress { address }
    }

    /// Returns a POST request as a page would send it.
    pub(crate) fn post(&self, path: &str, token: &str, body: &str) -> String {
        let (address, length) = (self.address, body.len());
        let token =
            if token.is_empty() { String::new() } else { format!("Class-Token: {token}\r\n") };
        format!(
            "POST /class/{path} HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\n{token}\
             Content-Length: {length}\r\n\r\n{body}"
        )
    }
}

pub(crate) struct Connection {
    server: ServerAddress,
    pub(crate) reader: StreamReader,
    pub(crate) writer: StreamWriter,
}

impl Connection {
    pub(crate) async fn open(server: &ServerAddress) -> Result<Self> {
        let address = server.address;
        let (reader, writer) = open_connection((address.ip().to_string(), address.port())).await?;
        Ok(Connection { server: server.clone(), reader, writer })
    }

    /// Sends a request and returns the answer's number and body.
    pub(crate) async fn post(
        &mut self,
        path: &str,
        token: &str,
        body: &Value,
    ) -> Result<(u16, String)> {
        self.writer.write(self.server.post(path, token, &body.to_string()).as_bytes())?;
        self.answer().await
    }

    /// Reads an answer.
    pub(crate) async fn answer(&mut self) -> Result<(u16, String)> {
        let head = self.reader.read_until(b"\r\n\r\n").await?;
        let head = String::from_utf8_lossy(&head).to_lowercase();
        let status = head.split(' ').nth(1).and_then(|it| it.parse().ok());
        let length = head.split("content-length: ").nth(1).and_then(|it| it.lines().next());
        let length = length.and_then(|it| it.parse().ok()).unwrap_or(0);
        let body = self.reader.read_exactly(length).await?;
        let status = status.ok_or_else(|| Error::other("an answer without a number"))?;
        Ok((status, String::from_utf8_lossy(&body).into_owned()))
    }

    /// Opens a stream, with a ticket from a separate connection.
    pub(crate) async fn listen(
        server: &ServerAddress,
        other: &mut Connection,
        path: &str,
        token: &str,
    ) -> Result<Self> {
        let (status, said) = other.post(path, token, &json!({})).await?;
        let ticket: Value = serde_json::from_str(&said).unwrap_or_default();
        let Some(ticket) = ticket["ticket"].as_str() else {
            return Err(Error::other(format!("no ticket: {status} {said}")));
        };
        let mut stream = Connection::open(server).await?;
        let host = server.address;
        let get = format!("GET /class/events?ticket={ticket} HTTP/1.1\r\nHost: {host}\r\n\r\n");
        stream.writer.write(get.as_bytes())?;
        stream.reader.read_until(b"\r\n\r\n").await?;
        Ok(stream)
    }

    /// Waits for the next event of a stream. Returns `None` at the stream's end.
    pub(crate) async fn next_event(&mut self) -> Result<Option<Value>> {
        while let Some(line) = self.reader.next_line().await? {
            if let Some(data) = line.strip_prefix(b"data: ") {
                return Ok(serde_json::from_slice(data).ok());
            }
        }
        Ok(None)
    }
}
