def f(x):
    match x:
        case 1 | 2 | 'a':
            return 1
        case None | True:
            return 2
        case a.b if x:
            return 3
        case y:
            return y
