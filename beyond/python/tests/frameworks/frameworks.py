"""FastAPI under uvicorn, aiohttp with TLS, and websockets, on the workbook's loop. `main.rs` installs them."""

import asyncio
import os
import re
import signal
import subprocess
import sys
import tempfile
from test.test_asyncio import utils

import aiohttp
import websockets
import workbook
from aiohttp import web


async def uvicorn(trace):
    command = ["-m", "uvicorn", "app:app", "--loop", "workbook:new_event_loop", "--port", "0", "--no-access-log"]
    process = await asyncio.create_subprocess_exec(sys.executable, *command, stderr=asyncio.subprocess.PIPE,
                                                   env=os.environ | {"WORKBOOK_TRACE": trace})
    log = ""
    while not (found := re.search(r"running on (http://\S+)", log)):
        line = await process.stderr.readline()
        assert line, log
        log += line.decode()
    return process, found[1]


async def fastapi(trace):
    process, url = await uvicorn(trace)
    async with aiohttp.ClientSession(url) as client:
        async def got(path):
            async with client.get(path) as answer:
                assert answer.status == 200, answer
                return await answer.json()

        assert await got("/loop") == {"loop": "workbook.event_loop"}
        assert await got("/subprocess") == {"out": "hello\n"}
        assert await got("/report") == {"rows": 12}
        answers = await asyncio.gather(*(got("/thread") for _ in range(10)))
        assert answers == [{"is_main": False}] * 10, answers
        async with client.post("/items", json={"name": "pen", "price": 1.5}) as answer:
            assert await answer.json() == {"name": "PEN", "price": 1.5}
        async with client.post("/items", json={"name": "pen"}) as answer:
            assert answer.status == 422, answer
        async with client.get("/stream") as answer:
            assert await answer.text() == "".join(f"{number}\n" for number in range(10))
        async with client.post("/length", data=bytes(10_000_000)) as answer:
            assert await answer.json() == {"length": 10_000_000}
        async with client.ws_connect("/talk") as talk:
            await talk.send_str("hello")
            assert await talk.receive_str() == "HELLO"

    async def one(number):
        async with websockets.connect(url.replace("http", "ws") + "/talk") as talk:
            await talk.send(f"client {number}")
            return await talk.recv()

    answers = await asyncio.gather(*map(one, range(50)))
    assert answers == [f"CLIENT {number}" for number in range(50)], answers
    process.send_signal(signal.SIGTERM)
    _, log = await process.communicate()
    assert process.returncode in (0, -signal.SIGTERM), process.returncode
    assert b"Application shutdown complete" in log, log
    # The trace of an ended server is complete and names the callback that has held up all others.
    command = [sys.executable, "-m", "workbook.ticks", trace, "--slow", "200"]
    slow = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    found = [float(took) for took in re.findall(r"RequestResponseCycle.run_asgi\(\) has held the loop for ([\d.]+) ms", slow)]
    assert any(took >= 2000 for took in found), slow


async def aiohttp_with_tls():
    async def hello(request):
        return web.Response(text=f"hello {request.match_info['name']}")

    application = web.Application()
    application.add_routes([web.get("/{name}", hello)])
    runner = web.AppRunner(application)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=utils.simple_server_sslcontext())
    await site.start()
    port = runner.addresses[0][1]
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=utils.simple_client_sslcontext())) as client:
        async def one(name):
            async with client.get(f"https://127.0.0.1:{port}/{name}") as answer:
                return await answer.text()

        assert await asyncio.gather(*map(one, "abcdefgh")) == [f"hello {name}" for name in "abcdefgh"]
        try:
            async with asyncio.timeout(0.05):
                await asyncio.sleep(10)
        except TimeoutError:
            pass
        else:
            raise AssertionError("no timeout")
    await runner.cleanup()


async def main():
    with tempfile.TemporaryDirectory() as dir:
        await asyncio.wait_for(fastapi(os.path.join(dir, "trace.json")), 120)
    await asyncio.wait_for(aiohttp_with_tls(), 60)
    print("all right, on", type(asyncio.get_running_loop()).__module__)


with asyncio.Runner(loop_factory=workbook.EventLoop) as runner:
    runner.run(main())
