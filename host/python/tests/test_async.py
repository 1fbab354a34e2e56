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
