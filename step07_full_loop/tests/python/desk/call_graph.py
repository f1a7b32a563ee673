import asyncio


async def query():
    await asyncio.sleep(0.01)


async def handle():
    await query()


async def serve():
    async with asyncio.TaskGroup() as group:
        request = group.create_task(handle(), name="request")
        await asyncio.sleep(0)
        asyncio.print_call_graph(request)


asyncio.run(serve())
