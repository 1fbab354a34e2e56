"""The operations of this interpreter. They are not CPython's: the machine has registers, and its own instruction set."""

import _dis_core

__all__ = ['cmp_op', 'stack_effect', 'hascompare', 'opname', 'opmap', 'HAVE_ARGUMENT', 'EXTENDED_ARG',
           'hasarg', 'hasconst', 'hasname', 'hasjump', 'hasjrel', 'hasjabs', 'hasfree', 'haslocal', 'hasexc']

cmp_op = ('<', '<=', '==', '!=', '>', '>=')
opname = _dis_core.operations()
opmap = {name: number for number, name in enumerate(opname)}
# Every instruction has room for its operands; there are no prefixes.
HAVE_ARGUMENT = 0
EXTENDED_ARG = -1
hasarg = list(range(len(opname)))
hasconst = [opmap['LOAD_CONST']]
hasname = [number for name, number in opmap.items()
           if name.endswith(('_GLOBAL', '_ATTR', '_NAME')) or name == 'LOAD_METHOD']
hasjrel = [number for name, number in opmap.items() if name.startswith('JUMP') or name == 'FOR_ITER']
hasjabs = []
hasjump = hasjrel
hascompare = []
hasfree = [number for name, number in opmap.items() if name.endswith('_FREE')]
haslocal = []
hasexc = []


def stack_effect(opcode, oparg=None, /, *, jump=None):
    raise ValueError('the machine has registers, not a stack')
