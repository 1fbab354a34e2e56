# Queues and locks of asyncio.
import asyncio


async def pipeline():
    queue = asyncio.Queue(maxsize=2)
    out = []

    async def producer():
        for i in range(5):
            await queue.put(i)
            out.append(f'put {i}')

    async def consumer(name):
        while True:
            item = await queue.get()
            await asyncio.sleep(0)
            out.append(f'{name} got {item}')
            queue.task_done()
    workers = [asyncio.create_task(consumer(n)) for n in 'ab']
    await producer()
    await queue.join()
    for w in workers:
        w.cancel()
    print(await asyncio.gather(*workers, return_exceptions=True))
    print(out)


async def orders():
    p = asyncio.PriorityQueue()
    for pair in [(3, 'c'), (1, 'a'), (2, 'b')]:
        p.put_nowait(pair)
    print([p.get_nowait() for _ in range(3)])
    s = asyncio.LifoQueue()
    for i in range(3):
        await s.put(i)
    print([await s.get() for _ in range(3)], s.empty(), s.qsize())
    q = asyncio.Queue(1)
    q.put_nowait(1)
    for f in (lambda: q.put_nowait(2), lambda: (q.get_nowait(), q.get_nowait())):
        try:
            f()
        except (asyncio.QueueFull, asyncio.QueueEmpty) as e:
            print(type(e).__name__)
    try:
        for _ in range(3):
            q.task_done()
    except ValueError as e:
        print(e)
    q = asyncio.Queue()
    getter = asyncio.create_task(q.get())
    await asyncio.sleep(0)
    q.shutdown()
    try:
        await getter
    except asyncio.QueueShutDown as e:
        print('shut down', e.args)


async def locks():
    lock = asyncio.Lock()
    order = []

    async def critical(n):
        async with lock:
            order.append(('in', n))
            await asyncio.sleep(0)
            order.append(('out', n))
    await asyncio.gather(*(critical(i) for i in range(3)))
    print(order, lock.locked())
    event = asyncio.Event()

    async def waiter(n):
        await event.wait()
        return n
    waiters = [asyncio.create_task(waiter(i)) for i in range(2)]
    await asyncio.sleep(0)
    event.set()
    print(await asyncio.gather(*waiters), event.is_set())
    gate = asyncio.Semaphore(2)
    running = most = 0

    async def limited():
        nonlocal running, most
        async with gate:
            running += 1
            most = max(most, running)
            await asyncio.sleep(0)
            running -= 1
    await asyncio.gather(*(limited() for _ in range(6)))
    print('at most', most)
    condition = asyncio.Condition()
    items = []

    async def taker():
        async with condition:
            await condition.wait_for(lambda: items)
            return items.pop()
    task = asyncio.create_task(taker())
    await asyncio.sleep(0)
    async with condition:
        items.append('item')
        condition.notify()
    print(await task)
    barrier = asyncio.Barrier(3)

    async def party():
        position = await barrier.wait()
        return position
    print(sorted(await asyncio.gather(*(party() for _ in range(3)))))
    bounded = asyncio.BoundedSemaphore(1)
    try:
        bounded.release()
    except ValueError as e:
        print(e)
    try:
        lock.release()
    except RuntimeError as e:
        print(e)


async def futures():
    loop = asyncio.get_running_loop()
    f = loop.create_future()
    for action in (f.result, f.exception):
        try:
            action()
        except asyncio.InvalidStateError as e:
            print(e)
    f.set_exception(KeyError('k'))
    try:
        f.set_result(1)
    except asyncio.InvalidStateError as e:
        print(e)
    try:
        await f
    except KeyError as e:
        print(repr(e), f.exception() is e)
    f = loop.create_future()
    print(f.cancel(), f.cancel(), f.cancelled(), f)
    task = loop.create_task(asyncio.sleep(0, 'x'))
    for bad in (lambda: task.set_result(1), lambda: task.set_exception(ValueError())):
        try:
            bad()
        except RuntimeError as e:
            print(e)
    print(await task)

    class Awaitable:
        def __await__(self):
            yield from asyncio.sleep(0).__await__()
            return 'awaited'
    print(await Awaitable(), await asyncio.ensure_future(Awaitable()))
    for wrong in (3, [], None):
        try:
            await wrong
        except TypeError:
            print('cannot await', wrong)

    async def recursive(n):
        return 0 if n == 0 else 1 + await recursive(n - 1)
    print(await recursive(100))


async def main():
    for part in (pipeline, orders, locks, futures):
        print('--', part.__name__)
        await part()

asyncio.run(main(), debug=False)
