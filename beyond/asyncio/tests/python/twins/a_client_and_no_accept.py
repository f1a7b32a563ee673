"""The twin of the scene a_client_and_no_accept, on CPython's asyncio."""
import asyncio
import socket


async def main():
    listener = socket.create_server(("127.0.0.1", 0))
    reader, writer = await asyncio.open_connection(*listener.getsockname())
    print("the client is connected")
    writer.write(b"an order\n")
    await writer.drain()
    print(f"drain has returned; {writer.transport.get_write_buffer_size()} bytes are unsent")
    listener.close()
    print("the listener is closed")
    try:
        print("readline:", len(await reader.readline()), "bytes")
    except ConnectionResetError:
        print("readline: ConnectionReset")


asyncio.run(main())
