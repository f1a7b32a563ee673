"""The twin of the scene a_server_is_closed, on CPython's asyncio."""
import asyncio


async def echo(reader, writer):
    async for line in reader:
        writer.write(line)
        await writer.drain()
    writer.close()


async def ask(reader, writer, line):
    writer.write(line)
    await writer.drain()
    return (await reader.readline()).decode().rstrip()


async def attempt(address):
    try:
        await asyncio.open_connection(*address)
    except ConnectionRefusedError:
        return "refused"
    return "connected"


async def main():
    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    address = server.sockets[0].getsockname()
    reader, writer = await asyncio.open_connection(*address)

    def say_state():
        serving = str(server.is_serving()).lower()
        print(f"is_serving: {serving}, sockets: {len(server.sockets)}")

    print("the client reads:", await ask(reader, writer, b"hello\n"))
    say_state()
    server.close()
    say_state()
    print("a new client:", await attempt(address))
    print("the client reads:", await ask(reader, writer, b"still there?\n"))
    writer.close()
    await writer.wait_closed()
    await server.wait_closed()
    print("the client has left, and the server's wait_closed has returned")


asyncio.run(main())
