# options: want_value
x = 1
x + 1
