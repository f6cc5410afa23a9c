"""A small Discord on 127.0.0.1: REST and gateway, against which the real client and the whole bot run."""
