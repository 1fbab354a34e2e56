"""Floating point: the Mandelbrot set, 160 x 120 points."""


def mandelbrot(width, height, limit):
    inside = 0
    for row in range(height):
        y0 = 2.4 * row / height - 1.2
        for column in range(width):
            x0 = 3.2 * column / width - 2.2
            x = y = 0.0
            count = 0
            while x * x + y * y <= 4.0 and count < limit:
                x, y = x * x - y * y + x0, 2.0 * x * y + y0
                count += 1
            if count == limit:
                inside += 1
    return inside


print(mandelbrot(160, 120, 120))
