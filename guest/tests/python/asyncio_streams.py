# StreamReader, fed by the program.
import asyncio


async def main():
    r = asyncio.StreamReader()
    r.feed_data(b'one\ntwo\nthree')
    print(r, await r.readline(), await r.read(2), await r.readexactly(2))
    loop = asyncio.get_running_loop()
    loop.call_later(0.01, r.feed_data, b'!\nrest')
    loop.call_later(0.3, r.feed_eof)
    print(await r.readline(), r.at_eof())
    print(await r.read(), r.at_eof(), await r.read(), await r.readline())
    for call in (r.readexactly(3), r.readuntil(b'x')):
        try:
            await call
        except asyncio.IncompleteReadError as e:
            print(e, e.partial, e.expected)
    r = asyncio.StreamReader(limit=4)
    r.feed_data(b'123456789\nab')
    for call in (r.readuntil(b'\n'), r.readline()):
        try:
            await call
        except (asyncio.LimitOverrunError, ValueError) as e:
            print(type(e).__name__, e)
    print(r, await r.read(1))
    r = asyncio.StreamReader()
    r.feed_data(b'a;b,c')
    print(await r.readuntil((b',', b';')), await r.readuntil((b',', b';')))
    r.feed_eof()
    print([line async for line in r])
    r = asyncio.StreamReader()
    r.set_exception(OSError('broken'))
    try:
        await r.read()
    except OSError as e:
        print(e, r.exception() is e)
    r = asyncio.StreamReader()
    waiting = asyncio.create_task(r.read(1))
    await asyncio.sleep(0)
    try:
        await r.readline()
    except RuntimeError as e:
        print(e)
    r.feed_data(b'z')
    print(await waiting)
    try:
        await r.readexactly(-1)
    except ValueError as e:
        print(e)

asyncio.run(main())
