"""A FastAPI app. uvicorn runs it on your loop; in a virtual environment that has both:

    PYTHON=.venv/bin/python cargo run -- run-mine python -- -m uvicorn \\
        --app-dir beyond/python/examples api:app --loop workbook:new_event_loop
"""
import asyncio
import time

from fastapi import FastAPI

app = FastAPI()


@app.get("/")
async def root():
    loop = asyncio.get_running_loop()
    return {"served by": f"{type(loop).__module__}.{type(loop).__name__}"}


@app.get("/nap")
async def nap():
    await asyncio.sleep(1)
    return {"slept": 1}


@app.get("/report")
async def report():
    rows = compute()
    return {"rows": rows}


def compute():
    time.sleep(0.5)  # as if it computed: nothing else runs meanwhile
    return 12
