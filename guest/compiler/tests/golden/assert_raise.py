def f(a):
    assert a
    assert a > 1, 'text'
    raise E from a
