# await outside of functions, for prompts (ast.PyCF_ALLOW_TOP_LEVEL_AWAIT).
import ast, types, inspect, asyncio
F = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
g = {'asyncio': asyncio}
async def arange(n):
    for i in range(n): yield i
g['arange'] = arange
for mode in ('exec', 'single'):
    for src in ('a = [x async for x in arange(2)][1]', 'a = await asyncio.sleep(0, 1)', 'async for a in arange(2): pass', 'async with asyncio.Lock() as l: a = 1', 'a = [x async for x in (y async for y in arange(2))][1]', 'a, = [1 for x in {x async for x in arange(1)}]'):
        try:
            compile(src + '\n', '?', mode); print('compiled?')
        except SyntaxError as e: print(e)
        co = compile(src + '\n', '?', mode, flags=F)
        print(bool(co.co_flags & inspect.CO_COROUTINE))
        g['a'] = 0
        asyncio.run(types.FunctionType(co, g)()); print(g['a'])
        asyncio.run(eval(co, g)); print(g['a'])
co = compile('x = 1', '?', 'exec', flags=F)
print(bool(co.co_flags & inspect.CO_COROUTINE))
l = {}
exec(co, {}, l); print(l)
e = compile('await asyncio.sleep(0, 5)', '?', 'eval', flags=F)
print(asyncio.run(eval(e, g)))
for bad in ('def f(): await x', 'class A: await x', 'lambda: await x', 'return 1', 'yield 1'):
    try: compile(bad, '?', 'exec', flags=F); print('?', bad)
    except SyntaxError as e: print(e.msg)
