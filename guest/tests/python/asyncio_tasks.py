# What programs do with asyncio: order, exceptions, cancellation, timeouts.
import asyncio
import contextvars


async def step(name, seconds, log):
    log.append(f'{name} begins')
    await asyncio.sleep(seconds)
    log.append(f'{name} ends')
    return name.upper()


async def gathering():
    log = []
    print(await asyncio.gather(step('a', 0.3, log), step('b', 0.01, log), step('c', 0, log)))
    print(log)

    async def bad(n):
        await asyncio.sleep(0)
        raise ValueError(n)
    print(await asyncio.gather(step('d', 0, log), bad(1), bad(2), return_exceptions=True))
    try:
        await asyncio.gather(step('e', 0.01, log), bad(3))
    except ValueError as e:
        print('gather raised', e)
    print(await asyncio.gather())


async def cancelling():
    async def stubborn():
        try:
            await asyncio.sleep(10)
        except asyncio.CancelledError as e:
            print('cancelled with', e.args)
            raise
        finally:
            print('cleaned up')
    task = asyncio.create_task(stubborn(), name='stubborn')
    await asyncio.sleep(0)
    print(task.get_name(), task.done(), task.cancel('enough'), task.cancelling())
    try:
        await task
    except asyncio.CancelledError as e:
        print('caller sees', repr(e))
    print(task.cancelled(), task.done())
    try:
        task.result()
    except asyncio.CancelledError as e:
        print(repr(e))

    async def shielded():
        await asyncio.sleep(0.01)
        return 'survived'
    inner = asyncio.create_task(shielded())
    outer = asyncio.shield(inner)
    await asyncio.sleep(0)
    outer.cancel()
    try:
        await outer
    except asyncio.CancelledError:
        print('outer cancelled, inner', await inner)


async def timing_out():
    try:
        await asyncio.wait_for(asyncio.sleep(5), 0.01)
    except TimeoutError as e:
        print('wait_for', repr(e), type(e.__cause__).__name__)
    print(await asyncio.wait_for(asyncio.sleep(0, 'quick'), 1))
    try:
        async with asyncio.timeout(0.01) as limit:
            await asyncio.sleep(5)
    except TimeoutError:
        print('timeout', limit.expired())
    async with asyncio.timeout(None) as limit:
        limit.reschedule(asyncio.get_running_loop().time() + 5)
        await asyncio.sleep(0)
    print(limit.expired(), limit)


async def grouping():
    log = []
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(step(n, 0.2 * i, log)) for i, n in enumerate('xyz')]
    print([t.result() for t in tasks], log)

    async def fails(after, error):
        await asyncio.sleep(after)
        raise error
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(fails(0, KeyError('one')))
            group.create_task(fails(0, TypeError('two')))
            slow = group.create_task(asyncio.sleep(10))
    except* KeyError as g:
        print('keys', g.exceptions)
    except* TypeError as g:
        print('types', g.exceptions)
    print(slow.cancelled())


async def waiting():
    async def number(n):
        for _ in range(5 * n):
            await asyncio.sleep(0)
        if n == 2:
            raise RuntimeError('two')
        return n
    tasks = [asyncio.create_task(number(n)) for n in (3, 1, 2)]
    done, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    print([t.result() for t in done], len(pending))
    done, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    print(len(done), len(pending))
    done, pending = await asyncio.wait(tasks, timeout=1)
    print(sorted(t.result() for t in done if not t.exception()), len(pending))
    for future in asyncio.as_completed([number(n) for n in (3, 0, 1)]):
        print('completed', await future)
    async for task in asyncio.as_completed([asyncio.create_task(number(n)) for n in (1, 0)]):
        print('task', task.result())


var = contextvars.ContextVar('var', default='outside')


async def contexts():
    async def show(n):
        seen = var.get()
        var.set(n)
        await asyncio.sleep(0)
        return seen, var.get()
    var.set('main')
    print(await asyncio.gather(*(show(n) for n in range(3))), var.get())
    context = contextvars.Context()
    print(await asyncio.create_task(show('own'), context=context), context[var])
    print(await asyncio.to_thread(var.get))


async def loops():
    loop = asyncio.get_running_loop()
    order = []
    loop.call_later(0.3, order.append, 'later 2')
    loop.call_later(0.001, order.append, 'later 1')
    loop.call_soon(order.append, 'soon')
    handle = loop.call_later(0.01, order.append, 'never')
    handle.cancel()
    await asyncio.sleep(0.4)
    print(order, handle.cancelled())
    future = loop.create_future()
    future.add_done_callback(lambda f: print('callback', f.result()))
    loop.call_soon(future.set_result, 7)
    print(await future, future)
    print(asyncio.current_task().get_name(), len(asyncio.all_tasks()))
    print(await loop.run_in_executor(None, sum, [1, 2, 3]))
    problems = []
    loop.set_exception_handler(lambda loop, context: problems.append((context['message'].split(' at ')[0], repr(context['exception']))))
    loop.call_soon(lambda: 1 / 0)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    loop.set_exception_handler(None)
    print(problems[0][1])


async def generators():
    async def ticker(n):
        try:
            for i in range(n):
                await asyncio.sleep(0)
                yield i
        finally:
            await asyncio.sleep(0)
            print('ticker closed')
    async for i in ticker(3):
        print(i, end=' ')
    print([i async for i in ticker(4) if i % 2], {i: i * i async for i in ticker(2)})
    agen = ticker(5)
    print(await anext(agen), await agen.asend(None))
    await agen.aclose()
    print(await anext(agen, 'exhausted'))
    abandoned = ticker(5)
    print(await anext(abandoned))
    del abandoned


async def main():
    for part in (gathering, cancelling, timing_out, grouping, waiting, contexts, loops, generators):
        print('--', part.__name__)
        await part()


asyncio.run(main())

print('-- runner')
with asyncio.Runner() as runner:
    print(runner.run(asyncio.sleep(0, 'one')), runner.run(asyncio.sleep(0, 'two')))
    print(runner.get_loop().is_running())


async def outer():
    try:
        asyncio.run(asyncio.sleep(0))
    except RuntimeError as e:
        print(e)

import warnings
with warnings.catch_warnings():
    warnings.simplefilter('ignore')
    asyncio.run(outer())
try:
    asyncio.run(42)
except (TypeError, ValueError) as e:
    print(type(e).__name__ in ('TypeError', 'ValueError'))
try:
    asyncio.get_running_loop()
except RuntimeError as e:
    print(e)
loop = asyncio.new_event_loop()
print(loop.run_until_complete(asyncio.sleep(0, 'by hand')))
loop.close()
try:
    loop.call_soon(print)
except RuntimeError as e:
    print(e)


async def eager():
    loop = asyncio.get_running_loop()
    loop.set_task_factory(asyncio.eager_task_factory)
    order = []

    async def at_once():
        order.append('ran')
        return 1
    task = asyncio.create_task(at_once())
    order.append('created')
    print(order, task.done(), await task)

asyncio.run(eager())
