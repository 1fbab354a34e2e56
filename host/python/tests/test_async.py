"""Sessions for programs with an event loop."""

import asyncio
import threading
import time

import pytest

import coldframe


def test_runs_do_not_hold_the_loop_up():
    async def main():
        sandbox = coldframe.Sandbox(time=0.4, fuel=10**15)
        async with await sandbox.async_session() as session:
            ticks = 0
            run = asyncio.ensure_future(session.run("while True: pass"))
            while not run.done():
                await asyncio.sleep(0.01)
                ticks += 1
            return ticks, (await run).error.kind

    ticks, kind = asyncio.run(main())
    assert ticks > 5 and kind == "time"


def test_many_at_once_and_in_order():
    async def main():
        sandbox = coldframe.Sandbox()
        async with await sandbox.async_session({"log": []}) as session:
            await asyncio.gather(*(session.run(f"log.append({n})") for n in range(10)))
            return await session.get("log"), await session.get("nothing", 1)

    assert asyncio.run(main()) == (list(range(10)), 1)


def test_tools_run_on_the_callers_loop_or_beside_it():
    async def main():
        here = threading.current_thread()
        loop = asyncio.get_running_loop()

        async def on_loop():
            return asyncio.get_running_loop() is loop and threading.current_thread() is here

        def beside():
            time.sleep(0.05)
            return threading.current_thread() is not here

        tools = [on_loop, beside]
        async with await coldframe.Sandbox(tools=tools).async_session() as session:
            outcome = await session.run("[await on_loop(), beside()]", top_level_await=True)
            return outcome.unwrap()

    assert asyncio.run(main()) == [True, True]


def test_cancelling_ends_the_run():
    async def main():
        async with await coldframe.Sandbox(fuel=10**15).async_session() as session:
            run = asyncio.ensure_future(session.run("while True: pass"))
            await asyncio.sleep(0.2)
            run.cancel()
            with pytest.raises(asyncio.CancelledError):
                await run
            started = time.monotonic()
            value = (await session.run("1 + 1")).value
            return value, time.monotonic() - started

    value, seconds = asyncio.run(main())
    assert value == 2 and seconds < 10


def test_abandoned_tools_are_cancelled():
    ended = []

    async def forever():
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            ended.append(True)
            raise

    async def main():
        async with await coldframe.Sandbox(tools=[forever]).async_session() as session:
            source = "import asyncio\ntry: await asyncio.wait_for(forever(), 0.05)\nexcept TimeoutError: r = 'late'\nr"
            value = (await session.run(source, top_level_await=True)).unwrap()
            await asyncio.sleep(0.1)
            return value

    assert asyncio.run(main()) == "late" and ended == [True]


def test_errors_and_the_rest():
    async def main():
        async with await coldframe.Sandbox().async_session() as session:
            with pytest.raises(coldframe.CrossingError):
                await session.set(f=print)
            await session.put_file("a", b"1")
            saved = await session.save()
            fork = await session.fork()
            async with fork:
                assert [f.path for f in await fork.list_files()] == ["a"]
            await session.reset()
            assert await session.list_files() == []
            assert (await session.log())["statistics"]["runs"] == 0
            seen = []
            await session.run("print('x')", on_output=lambda *a: seen.append(a))
            assert seen == [("stdout", "x\n")]
        async with await coldframe.Sandbox().async_restore(saved) as session:
            assert await session.take_file("a") == b"1"
        with pytest.raises(TypeError):
            coldframe.AsyncSession()

    asyncio.run(main())


def test_a_tool_cannot_wait_for_the_session_that_waits_for_it():
    """It would wait forever."""

    async def main():
        loop = asyncio.get_running_loop()

        async def own():
            return (await session.run("1")).value

        def own_from_a_thread():
            return asyncio.run_coroutine_threadsafe(own(), loop).result()

        async def through_another():
            async with await coldframe.Sandbox(tools=[own]).async_session() as other:
                return (await other.run("await own()", top_level_await=True)).unwrap()

        async def close():
            await session.close()

        tools = [own, own_from_a_thread, through_another, close]
        async with await coldframe.Sandbox(tools=tools).async_session() as session:
            for source in ("await own()", "own_from_a_thread()", "await through_another()", "await close()"):
                outcome = await asyncio.wait_for(session.run(source, top_level_await=True), 20)
                assert "SessionInUseError" in outcome.error.message, source
            assert (await session.run("2")).value == 2

    asyncio.run(main())


def test_what_a_tool_leaves_behind_may_use_the_session_later():
    async def main():
        async def later():
            while running:
                await asyncio.sleep(0.01)
            return (await session.run("5")).value

        async def begin():
            tasks.append(asyncio.ensure_future(later()))

        tasks, running = [], True
        async with await coldframe.Sandbox(tools=[begin]).async_session() as session:
            (await session.run("await begin()", top_level_await=True)).unwrap()
            running = False
            return await asyncio.wait_for(tasks[0], 20)

    assert asyncio.run(main()) == 5


def test_context_variables_reach_tools():
    import contextvars

    variable = contextvars.ContextVar("variable", default=0)

    async def awaited():
        return variable.get()

    def called():
        return variable.get()

    async def main():
        variable.set(7)
        async with await coldframe.Sandbox(tools=[awaited, called]).async_session() as session:
            return (await session.run("await awaited(), called()", top_level_await=True)).value

    assert asyncio.run(main()) == (7, 7)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, StopIteration])
def test_what_callbacks_raise_is_raised_by_the_run(error):
    def raising(*_):
        raise error

    async def tool():
        raise error

    async def main():
        async with await coldframe.Sandbox(tools=[tool]).async_session() as session:
            with pytest.raises(RuntimeError if error is StopIteration else error):
                await session.run("print(1, flush=True)", on_output=raising)
            if error is not StopIteration:
                with pytest.raises(error):
                    await session.run("await tool()", top_level_await=True)
            return (await session.run("1")).value

    assert asyncio.run(main()) == 1


def test_a_session_survives_its_loop():
    """As in a notebook, where each cell may run in a loop of its own."""

    async def tool():
        return 3

    async def make():
        return await coldframe.Sandbox(tools=[tool]).async_session()

    session = asyncio.run(make())
    assert asyncio.run(session.run("await tool()", top_level_await=True)).value == 3
    assert asyncio.run(session.run("await tool()", top_level_await=True)).value == 3
    asyncio.run(session.close())


def test_blocking_sessions_in_a_running_loop():
    async def fetch(n):
        await asyncio.sleep(0.01)
        return n

    async def cell():
        with coldframe.Session(tools=[fetch]) as session:
            return session.run("await fetch(4)", top_level_await=True).value

    assert asyncio.run(cell()) == 4
