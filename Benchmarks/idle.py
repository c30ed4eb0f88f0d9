"""Opens connections, sends one request on each, and keeps them open: host, port, how many."""
import socket
import sys
import time

host, port, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
kept = []
for number in range(count):
    connection = socket.create_connection((host, port))
    connection.sendall(b"GET /v1/forms HTTP/1.1\r\nHost: localhost\r\n\r\n")
    connection.recv(4096)
    kept.append(connection)
time.sleep(30)
