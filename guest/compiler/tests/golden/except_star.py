def f():
    try:
        a()
    except* ValueError as e:
        b(e)
    except* TypeError:
        c()
