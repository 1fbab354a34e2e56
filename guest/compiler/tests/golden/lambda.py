f = lambda a, b=1, *, c=2: a + b
