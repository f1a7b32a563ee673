"""A FastAPI application with what applications have. `frameworks.py` starts it under uvicorn, on the workbook's loop."""

import asyncio
import threading
import time

from fastapi import FastAPI, Request, WebSocket, WebSocketDisconnect
from fastapi.responses import StreamingResponse
from pydantic import BaseModel

app = FastAPI()


class Item(BaseModel):
    name: str
    price: float


@app.get("/loop")
async def loop():
    return {"loop": type(asyncio.get_running_loop()).__module__}


@app.post("/items")
async def items(item: Item):
    return {"name": item.name.upper(), "price": item.price}


@app.get("/thread")
def thread():
    time.sleep(0.05)
    return {"is_main": threading.current_thread() is threading.main_thread()}


@app.get("/report")
async def report():
    time.sleep(2)  # nothing else runs meanwhile
    return {"rows": 12}


@app.get("/stream")
async def stream():
    async def lines():
        for number in range(10):
            await asyncio.sleep(0.005)
            yield f"{number}\n"

    return StreamingResponse(lines())


@app.post("/length")
async def length(request: Request):
    return {"length": len(await request.body())}


@app.get("/subprocess")
async def subprocess():
    process = await asyncio.create_subprocess_exec("echo", "hello", stdout=asyncio.subprocess.PIPE)
    out, _ = await process.communicate()
    return {"out": out.decode()}


@app.websocket("/talk")
async def talk(websocket: WebSocket):
    await websocket.accept()
    try:
        while True:
            await websocket.send_text((await websocket.receive_text()).upper())
    except WebSocketDisconnect:
        pass
