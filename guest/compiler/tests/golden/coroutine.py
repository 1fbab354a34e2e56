async def f(a):
    async with a as b:
        await b
    async for c in a:
        yield c
async def g(a):
    return [x async for x in a if await x]
