# Events, conditions, barriers, semaphores, timers and locks between threads.
import threading
import time


def run(*targets, daemon=False):
    threads = [threading.Thread(target=t, daemon=daemon) for t in targets]
    for t in threads:
        t.start()
    return threads


def join(threads):
    for t in threads:
        t.join()


# Event: those that wait were started before it is set.
event = threading.Event()
woken = []
threads = run(*[lambda i=i: (event.wait(), woken.append(i)) for i in range(3)])
print(woken, [t.is_alive() for t in threads])
event.set()
join(threads)
print(sorted(woken), event.wait(0), event.is_set())
event.clear()
print(event.wait(0.005))
threading.Timer(0.005, event.set).start()
print(event.wait(5))

# Condition.
cond = threading.Condition()
items = []
log = []


def consumer():
    with cond:
        while not items:
            cond.wait()
        log.append(items.pop())


threads = run(consumer, consumer, consumer)
for i in range(3):
    with cond:
        items.append(i)
        cond.notify()
join(threads)
print(sorted(log))
state = 0


def step(n):
    global state
    with cond:
        cond.wait_for(lambda: state == n)
        log.append(n)
        state += 1
        cond.notify_all()


log.clear()
join(run(*[lambda n=n: step(n) for n in (4, 2, 0, 3, 1)]))
print(log, state)
with cond:
    print(cond.wait(0.005), cond.wait_for(lambda: False, 0.005))
plain = threading.Condition(threading.Lock())
told = []


def hear():
    with plain:
        told.append('waits')
        plain.wait()
        told.append('heard')


threads = run(hear)
with plain:
    plain.notify()
join(threads)
print(told)
try:
    plain.notify()
except RuntimeError as e:
    print(e)

# A reentrant lock keeps its depth over a wait.
deep = threading.Condition(threading.RLock())
ready = False


def waiter():
    with deep:
        with deep:
            deep.wait_for(lambda: ready)
            told.append(deep._lock._recursion_count())


threads = run(waiter)
with deep:
    ready = True
    deep.notify_all()
join(threads)
print(told[-1])

# Barrier, with an action, used twice; a broken one.
rounds = []
barrier = threading.Barrier(3, action=lambda: rounds.append('all there'))
places = []


def meet():
    for _ in range(2):
        places.append(barrier.wait())


join(run(meet, meet, meet))
print(rounds, sorted(places), barrier.broken, barrier.n_waiting)
broken = []
barrier = threading.Barrier(2)


def alone():
    try:
        barrier.wait(0.005)
    except threading.BrokenBarrierError:
        broken.append('broken')


join(run(alone))
print(broken, barrier.broken)
barrier.reset()
threads = run(alone)
barrier.abort()
join(threads)
print(broken)

# Semaphores.
semaphore = threading.Semaphore(2)
inside = peak = 0
guard = threading.Lock()


def limited():
    global inside, peak
    with semaphore:
        with guard:
            inside += 1
            peak = max(peak, inside)
        time.sleep(0.003)
        with guard:
            inside -= 1


join(run(*[limited] * 7))
print(inside, peak, semaphore.acquire(timeout=0.01), semaphore.acquire(blocking=False), semaphore.acquire(timeout=0.003))
bounded = threading.BoundedSemaphore(1)
bounded.acquire()
threads = run(lambda: (bounded.acquire(), told.append('acquired'), bounded.release()))
bounded.release()
join(threads)
try:
    bounded.release()
except ValueError as e:
    print(told[-1], e)

# Locks: held by another one, with timeouts, in every way to ask for them.
lock = threading.Lock()
lock.acquire()
got = []


def ask():
    got.append(lock.acquire(False))
    got.append(lock.acquire(timeout=0.003))
    got.append(lock.acquire(True, 0.003))
    got.append(lock.acquire(*(True, 0.003)))
    got.append(lock.acquire(**{'timeout': 0.003}))
    with lock:
        got.append('with')
    got.append(lock.acquire())
    lock.release()
    acquire = lock.acquire
    got.append(acquire())
    lock.release()
    got.append(lock.__enter__())
    lock.__exit__(None, None, None)


threads = run(ask)
time.sleep(0.05)
lock.release()
join(threads)
print(got, lock.locked())

for make in (threading.Lock, threading.RLock):
    lock = make()
    total = 0

    def add():
        global total
        for _ in range(200):
            with lock:
                before = total
                if before % 50 == 0:
                    time.sleep(0)
                total = before + 1

    join(run(add, add, add))
    print(make.__name__, total)

rlock = threading.RLock()
rlock.acquire()
rlock.acquire()
threads = run(lambda: (rlock.acquire(), told.append('mine'), rlock.release()))
rlock.release()
print(told[-1])
rlock.release()
join(threads)
print(told[-1])

# Two locks taken in opposite orders: timeouts get both out of it.
one, two = threading.Lock(), threading.Lock()
both = threading.Barrier(2)
retries = []


def take_both(first, second, patience):
    with first:
        both.wait()
        if second.acquire(timeout=patience):
            second.release()
            retries.append('got it')
        else:
            retries.append('gave up')


join(run(lambda: take_both(one, two, 0.01), lambda: take_both(two, one, 5)))
print(sorted(retries))

# Timer.
fired = []
timer = threading.Timer(0.01, lambda *a, **k: fired.append((a, k)), [1], {'k': 2})
timer.start()
print(fired, timer.is_alive())
timer.join()
print(fired, timer.is_alive())
timer = threading.Timer(5, fired.append)
timer.start()
timer.cancel()
timer.join()
print(len(fired))
