# Pools of threads, with and without waiting in the work, and event loops among threads.
import asyncio
import concurrent.futures
import contextvars
import queue
import threading
import time
from concurrent.futures import ThreadPoolExecutor

log = []


def square(n):
    time.sleep(0.002)
    return n * n


with ThreadPoolExecutor(max_workers=3) as pool:
    futures = [pool.submit(square, n) for n in range(8)]
    print([f.result() for f in futures])
    print(list(pool.map(square, range(6))), list(pool.map(pow, (2, 3), (5, 2))))
    print(sorted(f.result() for f in concurrent.futures.as_completed([pool.submit(square, n) for n in range(5)])))
    done, pending = concurrent.futures.wait([pool.submit(square, n) for n in range(4)], return_when=concurrent.futures.ALL_COMPLETED)
    print(len(done), len(pending))
    names = set(pool.map(lambda _: (time.sleep(0.003), threading.current_thread().name.rpartition('_')[2])[1], range(9)))
    print(sorted(names), len(pool._threads))
print(pool._shutdown, [t.is_alive() for t in pool._threads])

# Work that waits for other work, and for the main thread.
gate = threading.Event()
with ThreadPoolExecutor(2) as pool:
    waits = pool.submit(gate.wait)
    opens = pool.submit(gate.set)
    print(waits.result(5), opens.result(5))
    gate.clear()
    waits = pool.submit(lambda: (gate.wait(), 'opened')[1])
    print(waits.done())
    try:
        waits.result(timeout=0.01)
    except TimeoutError as e:
        print('timeout', isinstance(e, concurrent.futures.TimeoutError))
    gate.set()
    print(waits.result())
    inner = pool.submit(lambda: pool.submit(square, 7).result())
    print(inner.result())

# The first to end, the first to fail, cancelled ones.
with ThreadPoolExecutor(4) as pool:
    slow, fast = pool.submit(time.sleep, 0.05), pool.submit(square, 2)
    done, pending = concurrent.futures.wait([slow, fast], return_when=concurrent.futures.FIRST_COMPLETED)
    print(done == {fast}, pending == {slow})

    def fail():
        time.sleep(0.001)
        raise LookupError('failed')

    bad = pool.submit(fail)
    done, pending = concurrent.futures.wait([slow, bad], return_when=concurrent.futures.FIRST_EXCEPTION)
    print(bad in done, repr(bad.exception()))
    try:
        list(pool.map([].__getitem__, (0,)))
    except IndexError as e:
        print(e)
    called = []
    f = pool.submit(square, 3)
    f.add_done_callback(lambda f: called.append(f.result()))
    f.result()
pool = ThreadPoolExecutor(1)
hold = threading.Event()
first = pool.submit(hold.wait)
queued = [pool.submit(square, n) for n in range(3)]
print(queued[0].cancel(), queued[0].cancelled(), first.running(), queued[1].running())
pool.shutdown(wait=False, cancel_futures=True)
hold.set()
print(first.result(), [f.cancelled() for f in queued])
print(called)

# Initializers.
local = threading.local()


def begin(value):
    local.value = value


with ThreadPoolExecutor(2, initializer=begin, initargs=('ready',)) as pool:
    print(set(pool.map(lambda _: (time.sleep(0.001), local.value)[1], range(4))))

# A pool that nobody shuts down, and one that nobody has any more.
print(ThreadPoolExecutor(2).submit(square, 4).result())
idle = ThreadPoolExecutor(2)
print(idle.submit(square, 5).result())

# asyncio and threads.


async def main():
    loop = asyncio.get_running_loop()
    began = time.monotonic()
    print(await asyncio.gather(*[asyncio.to_thread(square, n) for n in range(4)]))
    print(await loop.run_in_executor(None, square, 9))
    ticks = 0

    async def tick():
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0.001)

    ticker = asyncio.create_task(tick())
    await asyncio.to_thread(time.sleep, 0.02)
    ticker.cancel()
    print(ticks > 2)
    event = asyncio.Event()
    threading.Timer(0.005, loop.call_soon_threadsafe, (event.set,)).start()
    await event.wait()
    var = contextvars.ContextVar('var')
    var.set('context')
    print(await asyncio.to_thread(var.get))
    try:
        await asyncio.wait_for(asyncio.to_thread(lambda: (time.sleep(0.02), log.append('done'))), 0.003)
    except TimeoutError:
        print('timed out', log)


asyncio.run(main())
print(log)

# A loop in a thread of its own.
loop = asyncio.new_event_loop()
thread = threading.Thread(target=loop.run_forever, daemon=True)
thread.start()


async def add(a, b):
    await asyncio.sleep(0.002)
    return a + b


print(asyncio.run_coroutine_threadsafe(add(1, 2), loop).result(5), loop.is_running())
futures = [asyncio.run_coroutine_threadsafe(add(n, n), loop) for n in range(4)]
print([f.result() for f in futures])
loop.call_soon_threadsafe(loop.stop)
thread.join()
print(loop.is_running(), thread.is_alive())
loop.close()

# One in each thread.
answers = queue.Queue()


def runs(n):
    answers.put(asyncio.run(add(n, 10)))


threads = [threading.Thread(target=runs, args=(n,)) for n in range(3)]
for t in threads:
    t.start()
for t in threads:
    t.join()
print(sorted(answers.get() for _ in threads))
