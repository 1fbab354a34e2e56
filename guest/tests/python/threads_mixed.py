# Threads that do by chance whatever waits: each run is another mixture.
import threading, random, time, queue, sys, gc
def run(seed):
    rng = random.Random(seed)
    locks = [threading.RLock() if rng.random() < .5 else threading.Lock() for _ in range(4)]
    q = queue.Queue(rng.randint(0, 3)); sem = threading.Semaphore(2); total = [0]; cond = threading.Condition()
    def gen(r, n):
        for i in range(n):
            act(r, 1); yield i
    class P:
        def __init__(self, r): act(r, 0); self.r = r
        def __enter__(self): act(self.r, 0); return self
        def __exit__(self, *e): act(self.r, 0); return e[0] is KeyError
        def __call__(self, *a, **k): return act(self.r, 0)
    def act(r, d):
        k = r.randint(0, 13)
        if k == 0: time.sleep(r.random() * .001)
        elif k == 1:
            with r.choice(locks[:1]): time.sleep(0); total[0] += 1
        elif k == 2:
            l = r.choice(locks)
            if l.acquire(timeout=r.choice([0, .0005])): l.release()
        elif k == 3 and d < 3:
            for _ in gen(r, r.randint(0, 3)): act(r, d + 1)
        elif k == 4 and d < 3: [act(r, d + 1) for _ in range(3)]
        elif k == 5 and d < 2:
            with P(r) as p: act(r, d + 1); raise KeyError
        elif k == 6 and d < 2: P(r)(*[1], **{'a': 2})
        elif k == 7:
            with sem: time.sleep(.0001)
        elif k == 8: sorted(range(3), key=lambda v: (time.sleep(.0001), v)[1])
        elif k == 9:
            with cond: cond.notify_all()
        elif k == 10:
            with cond: cond.wait(.0005)
        elif k == 11 and d < 1:
            t = threading.Thread(target=act, args=(r, d + 1)); t.start(); t.join()
        elif k == 12:
            try: act(r, d + 1); 1 / 0
            except ZeroDivisionError as e: act(r, d + 1); assert e.__traceback__
            finally: act(r, d + 1)
        elif k == 13: gc.collect(); sys._getframe(1).f_locals
        return d
    def worker(s):
        r = random.Random(s)
        for _ in range(12): act(r, 0)
        q.put(s)
    ts = [threading.Thread(target=worker, args=(seed * 100 + i,)) for i in range(6)]
    for t in ts: t.start()
    got = sorted(q.get() for _ in ts)
    for t in ts: t.join()
    assert got == [seed * 100 + i for i in range(6)], got
    assert threading.active_count() == 1

ROUNDS = 25
for s in range(ROUNDS): run(s)
print('ok')
