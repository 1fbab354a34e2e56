# What was read from a class does not keep the class alive: not its own attribute, a method, a property, or a value.
import gc
import weakref


def own_attribute():
    class A:
        pass

    A.me = A
    A.me.me
    return weakref.ref(A)


def members():
    class B:
        value = []

        def method(self):
            return self

        @property
        def prop(self):
            return self

    b = B()
    for _ in range(3):
        b.method()
        b.prop
        b.value
        B.value
    return weakref.ref(B)


for make in own_attribute, members:
    ref = make()
    gc.collect()
    print(make.__name__, ref())
