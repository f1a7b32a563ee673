"""The twin of the scene a_protocol_and_its_marks, on CPython's asyncio."""
import asyncio
import socket


class Told(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport = transport
        print("  connection_made")

    def pause_writing(self):
        _, high = self.transport.get_write_buffer_limits()
        above = self.transport.get_write_buffer_size() > high
        print(f"  pause_writing, unsent bytes above the high mark: {str(above).lower()}")

    def resume_writing(self):
        low, _ = self.transport.get_write_buffer_limits()
        below = self.transport.get_write_buffer_size() <= low
        print(f"  resume_writing, unsent bytes not above the low mark: {str(below).lower()}")


def drain():
    try:
        while True:
            read.extend(theirs.recv(1 << 20))
    except BlockingIOError:
        pass


loop = asyncio.new_event_loop()
ours, theirs = socket.socketpair()
theirs.setblocking(False)
transport, _ = loop.run_until_complete(loop.connect_accepted_socket(Told, ours))
print("calls during the first write:")
transport.write(b"x" * (1 << 20))
print("calls during the second write:")
transport.write(b"y")
print("the peer reads")
read = bytearray()
while transport.get_write_buffer_size() > 0:
    drain()
    loop.stop()
    loop.run_forever()
drain()
print(f"{len(read)} bytes arrived, including the last byte: {str(read.endswith(b'y')).lower()}")
loop.close()
