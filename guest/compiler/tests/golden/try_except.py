def f():
    try:
        a()
    except ValueError as e:
        b(e)
    except (TypeError, KeyError):
        raise
    except:
        return 1
    else:
        c()
