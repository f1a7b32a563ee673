import asyncio
import gc


async def remind(after):
    await after
    print("remember the milk")


async def main():
    kept = set()
    for keeps in False, True:
        after = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(remind(after))
        if keeps:
            kept.add(task)
            task.add_done_callback(kept.discard)
        await asyncio.sleep(0)
        del task, after
        gc.collect()
        print("kept:", keeps, "tasks:", len(asyncio.all_tasks()) - 1)


asyncio.run(main())
