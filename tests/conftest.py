"""What holds for all tests."""

import signal

from hypothesis import settings

# How long an example takes says how busy the machine is.
settings.register_profile("psa", deadline=None)
settings.load_profile("psa")

# A shell ignores Ctrl-C for what it runs in the background, and so would every program that a test starts and stops.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
