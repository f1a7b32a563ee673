"""Plays random conversations on CPython's asyncio; player.rs does the same on our loop, line by line."""
import asyncio
import socket

from programs import play_all
from support.virtual_clock import VirtualLoop


class Loop(VirtualLoop):
    """Its clock doesn't jump while the kernel has something. Once asyncio has paused a transport, it
    takes an event to see the end; our reader asks the socket itself."""

    def jump(self, timeout=None):
        return self.ask_the_kernel(0) or super().jump(timeout)


class Stage:
    def __init__(self):
        self.lines = []
        self.timers = 0

    def say(self, line):
        self.lines.append(line)

    def delay(self, milliseconds):
        self.timers += 1
        mixed = self.timers * 0x9E37_79B9_7F4A_7C15 % (1 << 64)
        mixed = (mixed ^ (mixed >> 29)) * 0xBF58_476D_1CE4_E5B9 % (1 << 64)
        return milliseconds / 1e3 + (mixed >> 45) / 1e9


async def converse(stage, limit, of_peer, of_task, cancel):
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    reader, writer = await asyncio.open_connection(sock=ours, limit=limit)
    peer = asyncio.create_task(be_the_peer(stage, of_peer, theirs))
    task = asyncio.create_task(read_and_write(stage, of_task, reader, writer))
    for delay in cancel:
        await asyncio.sleep(stage.delay(delay))
        stage.say(f"cancel: {str(task.cancel()).lower()}")
    await asyncio.sleep(10)
    for _ in range(20):
        if not task.done():
            stage.say("it still waits")
            task.cancel()
            await asyncio.sleep(10)
    await peer
    take(stage, theirs)
    theirs.close()


async def be_the_peer(stage, actions, sock):
    for delay, name, argument in actions:
        await asyncio.sleep(stage.delay(delay))
        if name == "Send":
            try:
                sock.send(argument.replace("/", "\n").encode())
            except OSError:
                pass
        elif name == "Take":
            take(stage, sock)
        else:
            try:
                sock.shutdown(socket.SHUT_WR)
            except OSError:
                pass
        # The loop sees what has happened before its clock jumps.
        for _ in range(3):
            await asyncio.sleep(0)


def take(stage, sock):
    count, has_ended = 0, "the end"
    try:
        while data := sock.recv(1 << 20):
            count += len(data)
    except BlockingIOError:
        has_ended = "open"
    except OSError:
        has_ended = "reset"
    stage.say(f"the peer takes {count} bytes: {has_ended}")


async def read_and_write(stage, actions, reader, writer):
    for delay, name, argument in actions:
        try:
            await asyncio.sleep(stage.delay(delay))
        except asyncio.CancelledError:
            stage.say("cancelled in a sleep")
        try:
            said = await act(name, argument, reader, writer)
        except asyncio.IncompleteReadError as error:
            said = f"{error}: {shown(error.partial)}"
        except asyncio.LimitOverrunError as error:
            said = f"{error}: {error.consumed}"
        except ValueError as error:
            # readline hides how long the line was.
            context = error.__context__
            consumed = f": {context.consumed}" if context is not None else ""
            said = f"{error}{consumed}"
        except asyncio.CancelledError:
            said = "cancelled"
        except Exception as error:
            # 3.11 knows no writelines of its own.
            said = str(error).replace("writelines()", "write()")
        stage.say(f"{name}:{argument} {said}")
        if name in ("ReadToEnd", "WaitClosed") and said == "cancelled":
            # asyncio has lost what it had read, or can't wait any more; ours has it still, and can.
            break
    # Here its reader and its writer are dropped.
    writer.close()


async def act(name, argument, reader, writer):
    if name == "Readline":
        return shown(await reader.readline())
    if name == "Read":
        return shown(await reader.read(int(argument)))
    if name == "ReadToEnd":
        return shown(await reader.read())
    if name == "ReadExactly":
        return shown(await reader.readexactly(int(argument)))
    if name == "ReadUntil":
        return shown(await reader.readuntil(argument.encode()))
    if name == "AtEof":
        return str(reader.at_eof()).lower()
    if name == "Write":
        writer.write(b"!" * int(argument))
    elif name == "WriteLines":
        writer.writelines([b"!!"] * int(argument))
    elif name == "Drain":
        await writer.drain()
    elif name == "WriteEof":
        writer.write_eof()
    elif name == "Close":
        writer.close()
    else:
        await writer.wait_closed()
    return f"closing: {str(writer.is_closing()).lower()}"


def shown(data):
    return "<" + data.decode().replace("\n", "/") + ">"


def play(lines):
    limit, peer, task, cancel = (line.split(" ") for line in lines)
    actions = [
        [(int(delay), name, argument)
         for delay, name, argument in (action.split(":") for action in line[1:])]
        for line in (peer, task)]
    stage = Stage()
    loop = Loop(now=0.0)
    loop.run_until_complete(
        converse(stage, int(limit[1]), *actions, [int(delay) for delay in cancel[1:]]))
    loop.close()
    return stage.lines


play_all(play)
