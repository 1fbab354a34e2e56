"""A list as an array: the sieve of Eratosthenes up to one million."""


def sieve(n):
    flags = [True] * (n + 1)
    flags[0] = flags[1] = False
    i = 2
    while i * i <= n:
        if flags[i]:
            j = i * i
            while j <= n:
                flags[j] = False
                j += i
        i += 1
    count = 0
    for flag in flags:
        if flag:
            count += 1
    return count


print(sieve(1_000_000))
