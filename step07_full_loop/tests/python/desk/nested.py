import asyncio


async def fetch():
    return 42


async def cell():
    coroutine = fetch()
    try:
        asyncio.run(coroutine)
    except RuntimeError as error:
        print("asyncio.run:", error)
        coroutine.close()
    print("await:", await fetch())


asyncio.run(cell())
