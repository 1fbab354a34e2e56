class A(B, metaclass=M):
    """Documentation."""
    x = 1
    y = x
    def __init__(self, x):
        super().__init__(x)
        self.x = x
        self.__secret = 1
    def other(self):
        return super(A, self).other, __class__
