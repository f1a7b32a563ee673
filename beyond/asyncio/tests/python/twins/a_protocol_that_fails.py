"""The twin of the scene a_protocol_that_fails, on CPython's asyncio."""
import asyncio
import socket


class Told(asyncio.Protocol):
    def connection_made(self, transport):
        print("  connection_made")

    def data_received(self, data):
        print(f"  data_received: {data.decode()}")
        if data == b"fail":
            raise ValueError("no such verb")

    def connection_lost(self, error):
        print(f"  connection_lost: {error}")


def tick():
    print("one tick")
    loop.stop()
    loop.run_forever()


def connect():
    ours, theirs = socket.socketpair()
    transport, _ = loop.run_until_complete(loop.connect_accepted_socket(Told, ours))
    return transport, theirs


def report(loop, context):
    print(f"  reported: {context['message']}: {context['exception']}")


def closing(transport):
    return str(transport.is_closing()).lower()


loop = asyncio.new_event_loop()
loop.set_exception_handler(report)
first, first_peer = connect()
second, second_peer = connect()
first_peer.sendall(b"fail")
tick()
print(f"connections closing: first {closing(first)}, second {closing(second)}")
tick()
print("the first peer reads the end:", str(first_peer.recv(8) == b"").lower())
second_peer.sendall(b"hello")
tick()
loop.close()
