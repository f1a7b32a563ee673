"""The twin of the scene half_closed_connections, on CPython's asyncio."""
import asyncio
import socket


class Told(asyncio.Protocol):
    def __init__(self, keeps_open):
        self.keeps_open = keeps_open

    def connection_made(self, transport):
        print("  connection_made")

    def data_received(self, data):
        print(f"  data_received: {data.decode()}")

    def eof_received(self):
        print(f"  eof_received, keeps the connection open: {str(self.keeps_open).lower()}")
        return self.keeps_open

    def connection_lost(self, error):
        print(f"  connection_lost: {error}")


def tick():
    print("one tick")
    loop.stop()
    loop.run_forever()


for keeps_open in (True, False):
    loop = asyncio.new_event_loop()
    ours, peer = socket.socketpair()
    make = loop.connect_accepted_socket(lambda: Told(keeps_open), ours)
    transport, _ = loop.run_until_complete(make)
    peer.sendall(b"well?")
    peer.shutdown(socket.SHUT_WR)
    for _ in range(3):
        tick()
    transport.write(b"yes")
    transport.write_eof()
    answer = ""
    while data := peer.recv(100):
        answer += data.decode()
    print(f'the peer reads "{answer}" and then the end')
    closing = transport.is_closing()
    transport.close()
    tick()
    print("the transport was already closing:", str(closing).lower())
    loop.close()
