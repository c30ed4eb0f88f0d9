"""Sends one request on each of many connections and reads what comes, for so many seconds: host, port, how many, seconds."""
import selectors
import socket
import sys
import time

host, port, count, seconds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
body = b'{"fields":{"reference":"r"}}'
request = (
    b"POST /v1/forms/slow/send/megabyte HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
)
selector = selectors.DefaultSelector()
received = {}
for number in range(count):
    connection = socket.create_connection((host, port))
    connection.sendall(request)
    connection.setblocking(False)
    received[connection] = b""
    selector.register(connection, selectors.EVENT_READ)
total, begun, end = 0, set(), time.monotonic() + seconds
while time.monotonic() < end:
    for key, _ in selector.select(0.1):
        piece = key.fileobj.recv(65536)
        total += len(piece)
        if key.fileobj not in begun:
            if not piece.startswith(b"HTTP/1.1 200"):
                sys.exit("an answer begins with %r" % piece[:80])
            begun.add(key.fileobj)
        if not piece:
            selector.unregister(key.fileobj)
print("%d answers under way, %.1f MB received" % (len(begun), total / 1e6))
