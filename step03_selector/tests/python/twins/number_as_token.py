"""The script of the scene number_as_token, on CPython's selector."""
import selectors
import socket

selector = selectors.EpollSelector()
ann, anns_peer = socket.socketpair()
n = ann.fileno()
selector.register(ann, selectors.EVENT_READ, "Ann")
workers_copy = ann.dup()
ann.close()
selector.unregister(ann)  # Too late: epoll doesn't find the number, and the selector ignores that.

bob, bobs_peer = socket.socketpair()
bob.setblocking(False)
print("Ann's socket was N and is closed; Bob's socket is", "N" if bob.fileno() == n else "not N")
selector.register(bob, selectors.EVENT_READ, "Bob")
anns_peer.send(b"hello, Ann")
print("Ann's peer sends 10 bytes")
for wait in range(1, 4):
    for key, _ in selector.select(0):
        try:
            outcome = f"Bytes({len(bob.recv(16))})"
        except BlockingIOError:
            outcome = "WouldBlock"
        print(f"  after wait {wait} the loop calls {key.data}, who reads: {outcome}")
