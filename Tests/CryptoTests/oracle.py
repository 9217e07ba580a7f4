"""What Python computes of random inputs, one line each, for CryptoTests.

    oracle.py SEED COUNT

Lines: digest NAME MESSAGE HASH / hmac NAME KEY MESSAGE CODE / scrypt N R P PASSWORD SALT HASH (all in hex).
"""

import hashlib
import hmac
import random
import sys

seed, count = int(sys.argv[1]), int(sys.argv[2])
numbers = random.Random(seed)


def some(limit):
    return numbers.randbytes(numbers.randrange(limit))


for _ in range(count):
    for name in ("sha256", "sha384", "sha512"):
        message, key = some(400), some(200)
        print("digest", name, "x" + message.hex(), hashlib.new(name, message).hexdigest())
        print("hmac", name, "x" + key.hex(), "x" + message.hex(), hmac.new(key, message, name).hexdigest())
for _ in range(count // 10):
    n, r, p = 2 ** numbers.randrange(1, 8), numbers.randrange(1, 9), numbers.randrange(1, 4)
    password, salt = some(60), some(40)
    found = hashlib.scrypt(password, salt=salt, n=n, r=r, p=p, dklen=32)
    print("scrypt", n, r, p, "x" + password.hex(), "x" + salt.hex(), found.hex())
