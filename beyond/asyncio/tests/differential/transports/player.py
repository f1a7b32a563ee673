"""Plays random programs on CPython's transports; player.rs does the same on ours, line by line."""
import asyncio
import logging
import socket

from programs import play_all

METHODS = (
    "connection_made",
    "data_received",
    "eof_received",
    "pause_writing",
    "resume_writing",
    "connection_lost",
)
WRITES = ("Write", "WriteLines")
QUIET, READ_ON, CLOSE, ABORT = 6, 16, 10, 4
PATTERN = bytes(range(251)) * 5000


def pattern(offset, size):
    return PATTERN[offset % 251 : offset % 251 + size]


def shown(flag):
    return str(flag).lower()


class Side(asyncio.Protocol):
    def __init__(self, number, stage):
        self.number, self.stage = number, stage
        self.received = 0
        self.calls = dict.fromkeys(METHODS, 0)

    def called(self, method, arguments=""):
        call = self.calls[method]
        self.calls[method] += 1
        self.stage.say(f"{self.number}.{method} {arguments}")
        for action in self.stage.reactions.get((method, self.number, call), ()):
            verb, side, number = action
            if verb == "Fail":
                raise ValueError("as it should")
            if verb == "FailIo":
                raise OSError(5, "as it should")
            if verb == "Keep":
                return True
            if self.stage.may_react(method, action):
                self.stage.act(*action)
        return False

    def connection_made(self, transport):
        self.called("connection_made")

    def data_received(self, data):
        in_order = data == pattern(self.received, len(data))
        self.received += len(data)
        self.called("data_received", f"{len(data)} {shown(in_order)}")

    def eof_received(self):
        return self.called("eof_received")

    def connection_lost(self, error):
        self.stage.lost[self.number] = True
        if isinstance(error, OSError):
            error = error.errno
        self.called("connection_lost", str(error))

    def pause_writing(self):
        self.called("pause_writing")

    def resume_writing(self):
        self.called("resume_writing")


class Stage:
    def __init__(self, ticks, reactions, loop):
        self.ticks, self.reactions, self.loop = ticks, reactions, loop
        self.transports = []
        self.written = [0, 0]
        self.unsent = [0, 0]
        self.lost = [False, False]
        self.tick = 0
        self.lines = []
        self.ended = loop.create_future()
        loop.set_exception_handler(self.report)

    def say(self, line):
        self.lines.append(f"{self.tick}: {line}")

    def report(self, loop, context):
        message, exception = context["message"], context.get("exception")
        if message.startswith("Exception in callback"):
            message = "Exception in callback"
        if isinstance(exception, OSError):
            exception = f"Input/output error (os error {exception.errno})"
        self.say(f"report: {message}: {exception}")

    def act(self, verb, side, number):
        if side >= len(self.transports) or self.lost[side]:
            return
        transport = self.transports[side]
        outcome = "done"
        is_skipped = verb in WRITES and self.is_partly_sent(side, transport)
        try:
            if is_skipped:
                pass
            elif verb == "Write":
                self.write(side, number, transport.write)
            elif verb == "WriteLines":
                # 3.12's own one forgets to pause the protocol, and fails on a closing transport.
                join_and_write = asyncio.WriteTransport.writelines
                self.write(
                    side,
                    number,
                    lambda data: join_and_write(transport, [data[: number // 3], data[number // 3 :]]),
                )
            elif verb == "WriteEof":
                transport.write_eof()
            elif verb == "Limits":
                transport.set_write_buffer_limits(number, number // 3)
            elif verb == "Close":
                transport.close()
            elif verb == "Abort":
                transport.abort()
            elif verb == "Pause":
                transport.pause_reading()
            elif verb == "Resume":
                transport.resume_reading()
        except RuntimeError as error:
            # Only 3.12 and later name the function.
            outcome = str(error).replace("writelines()", "write()")
        closing, reading = transport.is_closing(), transport.is_reading()
        low, high = transport.get_write_buffer_limits()
        size = transport.get_write_buffer_size()
        if verb in WRITES and not is_skipped:
            self.unsent[side] = size
        self.say(
            f"{side}.{verb}:{number} {outcome}, closing {shown(closing)}, reading {shown(reading)}, "
            f"unsent {size} of {low} {high}"
        )

    def write(self, side, size, write):
        offset = self.written[side]
        self.written[side] += size
        try:
            write(pattern(offset, size))
        except RuntimeError:
            self.written[side] = offset
            raise

    def is_partly_sent(self, side, transport):
        size = transport.get_write_buffer_size()
        return size > 0 and size != self.unsent[side]

    def may_react(self, method, action):
        verb, side, _ = action
        is_closing = side < len(self.transports) and self.transports[side].is_closing()
        ends = verb in ("Close", "Abort")
        return not (method == "resume_writing" and (ends or verb in WRITES and is_closing))

    def next_tick(self):
        now = self.tick
        self.tick += 1
        after = now - len(self.ticks)
        verbs = {QUIET: "Resume", QUIET + READ_ON: "Close", QUIET + READ_ON + CLOSE: "Abort"}
        for side in (0, 1):
            if after in verbs:
                self.act(verbs[after], side, 0)
        for action in self.ticks[now] if now < len(self.ticks) else ():
            self.act(*action)
        if after == QUIET + READ_ON + CLOSE + ABORT:
            self.ended.set_result(None)
        else:
            self.loop.call_soon(self.next_tick)

    async def direct(self):
        for number, one in enumerate(socket.socketpair()):
            side = Side(number, self)
            transport, _ = await self.loop.connect_accepted_socket(lambda: side, one)
            self.transports.append(transport)
        self.loop.call_soon(self.next_tick)
        await self.ended


class Warnings(logging.Handler):
    stage = None

    def emit(self, record):
        self.stage.say(f"report: {record.getMessage()}: ")


def parsed(action):
    verb, side, number = action.split(":")
    return verb, int(side), int(number)


def play(lines):
    ticks, reactions = [], {}
    for line in lines:
        head, *actions = line.split()
        actions = [parsed(action) for action in actions]
        if head == "tick":
            ticks.append(actions)
        else:
            method, side, call = head.split(":")
            reactions.setdefault((method, int(side), int(call)), []).extend(actions)
    loop = asyncio.new_event_loop()
    stage = Warnings.stage = Stage(ticks, reactions, loop)
    loop.run_until_complete(stage.direct())
    loop.close()
    return stage.lines


logging.getLogger("asyncio").addHandler(Warnings())
logging.getLogger("asyncio").propagate = False
play_all(play)
