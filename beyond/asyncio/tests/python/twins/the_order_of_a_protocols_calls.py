"""The twin of the scene the_order_of_a_protocols_calls, on CPython's asyncio."""
import asyncio
import socket


class Told(asyncio.Protocol):
    def connection_made(self, transport):
        print("  connection_made")

    def data_received(self, data):
        print(f"  data_received: {data.decode()}")

    def eof_received(self):
        print("  eof_received, keeps the connection open: false")
        return False

    def connection_lost(self, error):
        print(f"  connection_lost: {error}")


def tick():
    print("one tick")
    loop.stop()
    loop.run_forever()


loop = asyncio.new_event_loop()
ours, theirs = socket.socketpair()
theirs.sendall(b"one, ")
theirs.sendall(b"two")
task = loop.create_task(loop.connect_accepted_socket(Told, ours))
for _ in range(3):
    tick()
theirs.shutdown(socket.SHUT_WR)
tick()
tick()
loop.close()
