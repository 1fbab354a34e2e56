def f(x):
    match x:
        case [a, b, *rest]:
            return a, b, rest
        case {'k': [v], **others}:
            return v, others
        case Point(x=0, y=y) | Line(y):
            return y
        case [_, *_, (1 | 2) as last]:
            return last
        case _:
            return None
