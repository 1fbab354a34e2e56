# The module array: what it computes, and in which words it refuses.
from array import array
import array as m, copy
def t(s):
    try: print(s,'->',repr(eval(s)))
    except BaseException as e: print(s,'!!',type(e).__name__,e)
def x(s):
    a=array('i',[1,2,3,4,5]); 
    try: exec(s); print(s,'->',a)
    except BaseException as e: print(s,'!!',type(e).__name__,e)
for s in '''m.typecodes
array()
array(1)
array('i',1)
array('i',[1.5])
array('i',['a'])
array('i','abc')
array('w','héé')
array('u','hi')
array('w',array('u','hi'))
array('u',array('w','hi'))
array('i',array('w','hi'))
array('w',b'abc')
array('f',['a'])
array('f',[1e300])
array('d',[10**400])
array('b',[200])
array('b',[-200])
array('B',[256])
array('B',[-1])
array('B',[2**100])
array('B',[2**40])
array('B',['a'])
array('B',[1.0])
array('h',[2**15])
array('h',[-2**15-1])
array('h',[2**100])
array('h',['a'])
array('H',[2**16])
array('H',[-1])
array('H',[1.0])
array('i',[2**31])
array('i',[-2**31-1])
array('i',[2**63])
array('I',[2**32])
array('I',[-1])
array('I',[2**65])
array('I',['a'])
array('I',[1.0])
array('l',[2**63])
array('l',['a'])
array('L',[2**64])
array('L',[-1])
array('L',[1.5])
array('q',[2**63])
array('q',['a'])
array('Q',[2**64])
array('Q',[-1])
array('Q',[1.5])
array('i',b'abc')
array('i',b'abcd')
array('i',bytearray(b'abcd'))
array('d',x=1)
array('d',[],3)
array('i').pop()
array('i',[1]).pop(4)
array('i',[1]).pop('a')
array('i',[1]).remove(3)
array('i',[1]).index(3)
array('i',[1]).index(1,1)
array('i',[1,2,1]).index(1,1,-3)
array('i',[1]).index(1,'a')
array('i',[1]).fromlist((1,))
array('i',[1]).fromlist([1,'a'])
array('i',[1]).frombytes(b'a')
array('i',[1]).frombytes('a')
array('i',[1]).tounicode()
array('i',[1]).fromunicode('a')
array('w').fromunicode(1)
array('i').extend(5)
array('i').extend(array('h',[1]))
array('i').append('a')
array('i')+[1]
array('i')+array('h')
array('i',[1])*2
2*array('i',[1])
array('i',[1])*'a'
array('i',[1])*1.5
array('i',[1])*-1
array('i',[1])*10**30
array('i',[1])*10**18
array('i',[1])=='a'
array('i',[1])==array('d',[1.0])
array('i',[1])<array('d',[1.5])
array('i',[1,2])<array('i',[1,2,3])
array('i',[1])<[1]
array('i',[1])[5]
array('i',[1])['a']
array('i',[1])[1.5]
array('i',[1])[2**70]
array('i',[1,2,3])[::-1]
hash(array('i'))
array('i')
array('d',[1,2.5])
array('w')
array('w','a\\'b')
array('i').itemsize,array('l').itemsize,array('u').itemsize,array('w').itemsize,array('f').itemsize
array('i').typecode
array('i',[1]).byteswap()
array('i',[1]).__reduce_ex__(2)
array('i',[1]).__reduce_ex__(4)
array('w','hi').__reduce_ex__(4)
array('w','hi').__reduce_ex__(2)
array('u','hi').__reduce_ex__(3)
array('L',[1]).__reduce_ex__(3)
m._array_reconstructor(array,'i',3,b'abc')
m._array_reconstructor(array,'i',99,b'abc')
m._array_reconstructor(array,'i',9,b'\\0\\0\\0\\1')
m._array_reconstructor(array,'w',20,b'a\\0\\0\\0')
m._array_reconstructor(array,'z',9,b'')
m._array_reconstructor(int,'i',9,b'')
m._array_reconstructor(array,'i',9,'')
m._array_reconstructor(array,'i',9,b'abc')
m._array_reconstructor(array,'l',8,b'\\1\\0\\0\\0')
m._array_reconstructor(array,'f',17,b'\\1\\0\\0')
m._array_reconstructor(3,'f',17,b'\\1\\0\\0')
array('i')._x
array.__mro__, array, m.ArrayType is array
array('i').buffer_info()[1]
memoryview(array('i',[1])).format
memoryview(array('w','a')).format
memoryview(array('u','a')).format
memoryview(array('l',[1,2])).nbytes
array('i').tofile(3)
array('i').fromfile(3,4)
array('i',[3]).__reduce__()
array[int]
array('i',[1])>='a'
array('q',[True, 5])
array('B',[1,2]).__contains__(2)
array('B',[1,2]).count(2.0)
array('i',[1]).insert('a',1)
array('i',[1]).insert(0,'a')
copy.copy(array('i',[1])), copy.deepcopy(array('i',[1]))
array('i',[1]).__deepcopy__()
array('b',[float('nan')])
array('b',[1])!=array('b',[1])
array('i',range(3))
array('i',{1:2})
array('B','abc')
array(b'i')'''.splitlines(): t(s)
for s in '''a[0]='a'
a[9]=1
del a[9]
a['a']=1
a[2**70]=1
a[1:3]=[1]
a[1:3]=array('h')
a[1:3]=array('i')
a[1:3]=array('i',[7,8,9])
a[::2]=array('i',[7,8,9])
a[::2]=array('i',[7,8])
a[::2]=array('i')
a[::2]=a
a[1:2]=a
del a[::2]
del a[::-2]
del a[1:3]
a.insert(-1,9)
a.insert(100,9)
a.insert(-100,9)
a+=[1]
a+=array('h')
a+=a
a*=2
a*=0
a*='a'
a.extend(a)
a.reverse()
a.byteswap()
a.foo=1
a.typecode='i'
v=memoryview(a);a.append(1)
v=memoryview(a);v[0]=77
v=memoryview(a);a.extend([])
v=memoryview(a);a*=2
v=memoryview(a);a*=1
v=memoryview(a);a+=a
v=memoryview(a);a[0:1]=array('i',[9])
v=memoryview(a);del a[0]
v=memoryview(a);a.pop()
v=memoryview(a);a[::2]=array('i',[7,8,9])
v=memoryview(a);del a[0:0]
v=memoryview(a);a.frombytes(b'')
v=memoryview(a);a.fromlist([])
a.fromlist([1,2,'a'])
a.extend([1,2,'a'])
a.clear()
a[2]=2**40
a[2]=1.5'''.splitlines(): x(s)
