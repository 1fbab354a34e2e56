"""The classes of the interpreter's own objects, for the module `types`."""


def _function():
    cell = 1

    def inner():
        return cell
    return inner


def _generator():
    yield 1


async def _coroutine():
    pass


async def _async_generator():
    yield


class _Class:
    __slots__ = ('member',)

    def method(self):
        pass


FunctionType = LambdaType = type(_function)
CodeType = type(_function.__code__)
CellType = type(_function().__closure__[0])
MappingProxyType = type(type.__dict__)
GeneratorType = type(_generator())
_c = _coroutine()
CoroutineType = type(_c)
_c.close()
AsyncGeneratorType = type(_async_generator())
MethodType = type(_Class().method)
BuiltinFunctionType = BuiltinMethodType = type(len)
WrapperDescriptorType = type(object.__init__)
MethodWrapperType = type(object().__str__)
MethodDescriptorType = type(str.join)
ClassMethodDescriptorType = type(dict.__dict__['fromkeys'])
GetSetDescriptorType = type(FunctionType.__code__)
MemberDescriptorType = type(_Class.member)
import sys as _sys
ModuleType = type(_sys)
try:
    raise TypeError
except TypeError as _error:
    TracebackType = type(_error.__traceback__)
    FrameType = type(_error.__traceback__.tb_frame)
GenericAlias = type(list[int])
UnionType = type(int | str)
EllipsisType = type(Ellipsis)
NoneType = type(None)
NotImplementedType = type(NotImplemented)


class CapsuleType:
    """Objects of C extensions; there are none here."""

    def __new__(cls, *args, **kwargs):
        raise TypeError("cannot create 'PyCapsule' instances")


CapsuleType.__name__ = CapsuleType.__qualname__ = 'PyCapsule'
CapsuleType.__module__ = 'builtins'


SimpleNamespace = type(_sys.implementation)

__all__ = ['AsyncGeneratorType', 'BuiltinFunctionType', 'BuiltinMethodType', 'CapsuleType', 'CellType', 'ClassMethodDescriptorType', 'CodeType',
           'CoroutineType', 'EllipsisType', 'FrameType', 'FunctionType', 'GeneratorType', 'GenericAlias', 'GetSetDescriptorType', 'LambdaType',
           'MappingProxyType', 'MemberDescriptorType', 'MethodDescriptorType', 'MethodType', 'MethodWrapperType', 'ModuleType', 'NoneType',
           'NotImplementedType', 'SimpleNamespace', 'TracebackType', 'UnionType', 'WrapperDescriptorType']
