# Threads, executors and what is local to them. They run one after another here, so nothing below depends on more.
import concurrent.futures
import contextvars
import queue
import sched
import threading
import time

log = []


def work(n):
    log.append((n, threading.current_thread().name))


threads = [threading.Thread(target=work, args=(i,), name=f'worker {i}') for i in range(3)]
for t in threads:
    t.start()
for t in threads:
    t.join()
print(log, [t.is_alive() for t in threads], threading.current_thread().name)
print(threading.main_thread() is threading.current_thread(), threading.active_count())

local = threading.local()
local.x = 'main'


def see():
    print(hasattr(local, 'x'))
    local.x = 'thread'


t = threading.Thread(target=see)
t.start()
t.join()
print(local.x, local.__dict__)

caught = []
threading.excepthook = lambda args: caught.append((args.exc_type.__name__, str(args.exc_value), args.thread.name))
t = threading.Thread(target=lambda: 1 / 0, name='divider')
t.start()
t.join()
print(caught)
threading.excepthook = threading.__excepthook__

with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
    futures = [pool.submit(pow, 2, n) for n in range(4)]
    print([f.result() for f in futures])
    print(list(pool.map(str.upper, ['a', 'b'])))
    bad = pool.submit(int, 'x')
    print(repr(bad.exception()))
    done, not_done = concurrent.futures.wait(futures)
    print(len(done), len(not_done))
    print(sorted(f.result() for f in concurrent.futures.as_completed(futures)))
try:
    pool.submit(print)
except RuntimeError as e:
    print(e)

q = queue.Queue()
for i in range(3):
    q.put(i)


def drain():
    while True:
        try:
            item = q.get_nowait()
        except queue.Empty:
            return
        log.append(item)
        q.task_done()


log.clear()
t = threading.Thread(target=drain, daemon=True)
t.start()
q.join()
t.join()
print(log, t.daemon)

lock = threading.Lock()
with lock:
    print(lock.locked(), lock.acquire(blocking=False), lock.acquire(timeout=0.01))
rlock = threading.RLock()
with rlock, rlock:
    print('twice')
for wrong in (lock.release, rlock.release, lambda: lock.acquire(False, 1), lambda: lock.acquire(True, -2)):
    try:
        wrong()
    except (RuntimeError, ValueError) as e:
        print(type(e).__name__, e)
event = threading.Event()
threading.Timer(0.01, event.set).start()
print(event.wait(1))

var = contextvars.ContextVar('var', default=0)
var.set(1)
context = contextvars.copy_context()


def change():
    token = var.set(var.get() + 10)
    return token.old_value, var.get()


print(context.run(change), var.get(), context[var], list(context.items()) == [(var, 11)])
try:
    context.run(context.run, print)
except RuntimeError as e:
    print('cannot enter' in str(e))
token = var.set(2)
var.reset(token)
print(var.get())
try:
    var.reset(token)
except RuntimeError as e:
    print('already been used once' in str(e))

order = []
s = sched.scheduler(time.monotonic, time.sleep)
s.enter(0.02, 1, order.append, ('b',))
s.enter(0.01, 2, order.append, ('a',))
s.run()
print(order, s.empty())
