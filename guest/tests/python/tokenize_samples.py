import tokenize, io
S=["a","a\n","# c","# c\n","x = 1 # c\n\n# d\nif x:\n    y # e\n\n    # f\n    z\nw\n","if a:\n  b\n  c","f'a{{b}}c{x!r:>{w}x}d'\n","'''a\nb''' + 1\n","x = (1,\n  # c\n  2)\n","a\\\n + b\n","é = 'ü'\n","@d\nclass A: pass\n","x\r\ny\r\n","async def f(): await x\n","","\n\n","   \n","def f():\n\tif x:\n\t\ty\n\tz\n","f'''\n{a}\n'''\n","x = 'abc\n","(a\n","a $ b\n","if a:\n    b\n  c\n","rf'\\{x}' f'{x=}'\n","0x1f 1_0 1e5 1j .5\n","a->b:=c...d!=e//f**=g\n"]
for s in S:
    print(repr(s))
    try:
        for t in tokenize.generate_tokens(io.StringIO(s).readline): print(' ', tokenize.tok_name[t.type], tuple(t)[1:])
    except Exception as e: print(' ',type(e).__name__,e)
print(tokenize.untokenize(tokenize.generate_tokens(io.StringIO(S[4]).readline))==S[4])
