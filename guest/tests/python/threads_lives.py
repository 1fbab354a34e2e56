# The life of a thread: joins, daemons, exceptions, what is local to it, threads that start threads.
import contextvars
import sys
import threading
import time

log = []

# join with a timeout, is_alive, enumerate.
gate = threading.Event()
t = threading.Thread(target=gate.wait, name='waits')
print(t.is_alive(), t.ident)
t.start()
t.join(0.003)
print(t.is_alive(), sorted(x.name for x in threading.enumerate()), threading.active_count())
gate.set()
t.join()
t.join()
print(t.is_alive(), threading.active_count())
for wrong in (t.start, threading.Thread().join, threading.current_thread().join):
    try:
        wrong()
    except RuntimeError as e:
        print(e)

# A daemon that looks at an event now and then.
stop = threading.Event()
turns = 0


def ticker():
    global turns
    while not stop.is_set():
        turns += 1
        time.sleep(0.001)


t = threading.Thread(target=ticker, daemon=True)
t.start()
time.sleep(0.03)
stop.set()
t.join()
print(turns > 2, t.daemon)

# Sleeping threads wake in the order of their times.
order = []


def sleeper(seconds):
    time.sleep(seconds)
    order.append(seconds)


threads = [threading.Thread(target=sleeper, args=(s,)) for s in (0.06, 0.02, 0.04)]
for t in threads:
    t.start()
for t in threads:
    t.join()
print(order)

# Exceptions end a thread, not those that wait for it.
caught = []
threading.excepthook = lambda args: caught.append((args.exc_type.__name__, str(args.exc_value), args.thread.name))


def fails():
    try:
        time.sleep(0.002)
        raise KeyError('lost')
    finally:
        log.append('finally')


t = threading.Thread(target=fails, name='fails')
t.start()
try:
    t.join()
finally:
    print(caught, log)


def exits():
    time.sleep(0.001)
    sys.exit(3)


t = threading.Thread(target=exits)
t.start()
t.join()
print(len(caught))
threading.excepthook = threading.__excepthook__


# An exception that is being handled is the thread's own.
def handles(name):
    try:
        raise ValueError(name)
    except ValueError:
        time.sleep(0.002)
        log.append(str(sys.exception()))
        try:
            raise TypeError
        except TypeError as e:
            log.append(str(e.__context__))
    log.append(sys.exception())


log.clear()
threads = [threading.Thread(target=handles, args=(n,)) for n in 'ab']
try:
    raise OSError('main')
except OSError:
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    print(sys.exception())
print(sorted(map(str, log)))

# Local values and context variables.
local = threading.local()
local.name = 'main'
var = contextvars.ContextVar('var', default='none')
var.set('main')


class Counting(threading.local):
    def __init__(self):
        self.count = 0


counting = Counting()


def keeps(name):
    before = hasattr(local, 'name')
    local.name = name
    var.set(name)
    counting.count += 1
    time.sleep(0.002)
    counting.count += 1
    log.append((name, before, local.name, var.get(), counting.count, threading.current_thread().name))


log.clear()
threads = [threading.Thread(target=keeps, args=(n,), name=n.upper()) for n in 'xyz']
for t in threads:
    t.start()
for t in threads:
    t.join()
print(sorted(log), local.name, var.get(), counting.count)


# Threads that start threads and wait for them.
def tree(depth, path):
    if depth == 0:
        time.sleep(0.001)
        log.append(path)
        return
    children = [threading.Thread(target=tree, args=(depth - 1, path + c)) for c in 'lr']
    for c in children:
        c.start()
    for c in children:
        c.join()
    log.append(path)


log.clear()
t = threading.Thread(target=tree, args=(3, ''))
t.start()
t.join()
print(sorted(log))


# A subclass with `run`, methods as targets, callable objects.
class Adder(threading.Thread):
    def __init__(self, numbers):
        super().__init__()
        self.numbers = numbers
        self.total = None

    def run(self):
        time.sleep(0.001)
        self.total = sum(self.numbers)


adders = [Adder(range(n)) for n in (3, 10)]
for t in adders:
    t.start()
for t in adders:
    t.join()
print([t.total for t in adders])


class Account:
    def __init__(self):
        self.lock = threading.Lock()
        self.balance = 0

    def deposit(self, amount, times):
        for _ in range(times):
            with self.lock:
                value = self.balance
                time.sleep(0)
                self.balance = value + amount

    def __call__(self, amount):
        self.deposit(amount, 3)


account = Account()
threads = [threading.Thread(target=account.deposit, args=(5,), kwargs={'times': 4}) for _ in range(3)]
threads += [threading.Thread(target=account, args=(1,))]
for t in threads:
    t.start()
for t in threads:
    t.join()
print(account.balance)

# Those that spin let the others go on, and so does the main thread.
flag = False


def spins():
    while not flag:
        pass
    log.append('spun')


log.clear()
t = threading.Thread(target=spins)
t.start()
flag = True
t.join()
print(log)
done = False


def sets():
    global done
    time.sleep(0.002)
    done = True


t = threading.Thread(target=sets)
t.start()
while not done:
    pass
t.join()
print(done)


# What runs when the program ends: threads that are no daemons.
def late():
    time.sleep(0.02)
    print('late', threading.main_thread().name)


threading.Thread(target=late).start()
threading.Thread(target=threading.Event().wait, daemon=True).start()
print('end of the program')
