// Sends requests at a fixed rate, whether or not the earlier ones have been answered, and measures each from the moment at which
// it was due: a server that stops for a while delays all requests of that while, and a generator that waits for it would not see it.
//
// Usage: openloop PORT RATE SECONDS (create N | reveal FILE) [CONNECTIONS]
//   create N     POST /aliases with N values that were never seen
//   reveal FILE  GET /aliases/{alias} for the aliases of FILE in turn
// Prints: result RATE SENT FAILED P50 P99 P999 MAX REFUSED P99 SENT50 SENT99, times in microseconds: those of 2xx, and of what was refused
// with 503 and a Retry-After. The last two are of 2xx again, from the moment at which the request was written: what is due waits here when
// all connections are busy. Failed are other statuses than 2xx and what was not answered two seconds after the end.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum { most_connections = 16384, buffer_size = 65536, alias_size = 80 };

struct connection {
    int fd;
    int busy;
    uint64_t due, written;
    size_t filled;
    char *buffer;
};

static struct connection all[most_connections];
static int idle[most_connections], idle_count, opened, connections = 512;
static uint32_t *latencies, *from_written, *refusals;
static size_t answered, served, failed, refused, capacity;
static char (*aliases)[alias_size];
static size_t alias_count;
static int values_each;

static uint64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static void give_up(const char *what) {
    perror(what);
    exit(1);
}

static void open_connection(struct connection *c, int port, int epoll) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    c->fd = socket(AF_INET, SOCK_STREAM, 0);
    if (c->fd < 0 || connect(c->fd, (struct sockaddr *)&address, sizeof address) < 0) give_up("connect");
    int on = 1;
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    fcntl(c->fd, F_SETFL, O_NONBLOCK);
    c->buffer = malloc(buffer_size);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
    epoll_ctl(epoll, EPOLL_CTL_ADD, c->fd, &event);
}

static size_t write_request(char *text, size_t number) {
    static char body[buffer_size / 2];
    static const char credential[] = "Authorization: Basic ZGV2OmRldi1zZWNyZXQ=\r\n";
    if (aliases)
        return (size_t)sprintf(text, "GET /aliases/%s HTTP/1.1\r\nHost: localhost\r\n%s\r\n", aliases[number % alias_count], credential);
    int size = sprintf(body, "{\"data\":[");
    for (int n = 0; n < values_each; n++)
        size += sprintf(body + size, "%s{\"value\":\"%d %zu %d\",\"format\":\"UUID\"}", n ? "," : "", getpid(), number, n);
    size += sprintf(body + size, "]}");
    return (size_t)sprintf(text, "POST /aliases HTTP/1.1\r\nHost: localhost\r\n%sContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
                           credential, size, body);
}

static void send_request(struct connection *c, size_t number, uint64_t due) {
    char text[buffer_size];
    size_t size = write_request(text, number);
    c->busy = 1, c->due = due, c->written = now(), c->filled = 0;
    if (write(c->fd, text, size) != (ssize_t)size) give_up("write");
}

// Whether the response in the buffer is whole.
static int is_whole(struct connection *c) {
    c->buffer[c->filled] = 0;
    char *end = strstr(c->buffer, "\r\n\r\n"), *length = strcasestr(c->buffer, "content-length:");
    return end && length && length < end && c->filled >= (size_t)(end + 4 - c->buffer) + strtoul(length + 15, NULL, 10);
}

static void receive(struct connection *c) {
    ssize_t count = read(c->fd, c->buffer + c->filled, buffer_size - 1 - c->filled);
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0 && c->busy) give_up("read");
    if (count <= 0) {
        // Closed while idle: it stays out of use.
        close(c->fd);
        for (int n = 0; n < idle_count; n++)
            if (idle[n] == (int)(c - all)) idle[n] = idle[--idle_count];
        return;
    }
    c->filled += (size_t)count;
    if (!is_whole(c)) return;
    uint64_t at = now();
    uint32_t latency = (uint32_t)(at - c->due);
    int is_served = c->buffer[9] == '2';
    if (!is_served) failed++;
    if (answered++ < capacity) {
        if (is_served)
            from_written[served] = (uint32_t)(at - c->written), latencies[served++] = latency;
        else if (strncmp(c->buffer + 9, "503", 3) == 0 && strcasestr(c->buffer, "\r\nretry-after:"))
            refusals[refused++] = latency;
    }
    c->busy = 0;
    idle[idle_count++] = (int)(c - all);
}

static int ascending(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void read_aliases(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) give_up(path);
    aliases = malloc(1000000 * alias_size);
    while (alias_count < 1000000 && fscanf(file, "%79s", aliases[alias_count]) == 1) alias_count++;
    fclose(file);
    if (alias_count == 0) give_up("no aliases");
}

int main(int count, char **arguments) {
    if (count != 6 && count != 7)
        return fprintf(stderr, "usage: openloop PORT RATE SECONDS (create N | reveal FILE) [CONNECTIONS]\n"), 2;
    if (count == 7) connections = atoi(arguments[6]);
    if (connections < 1 || connections > most_connections) return fprintf(stderr, "1 to %d connections\n", most_connections), 2;
    int port = atoi(arguments[1]), epoll = epoll_create1(0);
    double rate = atof(arguments[2]), seconds = atof(arguments[3]);
    if (strcmp(arguments[4], "reveal") == 0) read_aliases(arguments[5]); else values_each = atoi(arguments[5]);
    size_t total = (size_t)(rate * seconds), sent = 0;
    capacity = total;
    latencies = malloc((total + 1) * sizeof *latencies), refusals = malloc((total + 1) * sizeof *refusals);
    from_written = malloc((total + 1) * sizeof *from_written);
    uint64_t start = now(), end = start + (uint64_t)(seconds * 1e6) + 2000000;
    struct epoll_event events[64];
    while (answered < total && now() < end) {
        uint64_t due = start + (uint64_t)((double)sent / rate * 1e6);
        while (sent < total && due <= now()) {
            // Opened when it is needed: the server closes connections that are not used.
            if (idle_count == 0 && opened < connections) {
                open_connection(&all[opened], port, epoll);
                idle[idle_count++] = opened++;
            }
            if (idle_count == 0) break;
            send_request(&all[idle[--idle_count]], sent, due);
            sent++;
            due = start + (uint64_t)((double)sent / rate * 1e6);
        }
        // The granularity of epoll is a millisecond: poll while a request is due sooner.
        int ready = epoll_wait(epoll, events, 64, due > now() + 1500 || idle_count == 0 || sent == total ? 1 : 0);
        for (int n = 0; n < ready; n++) receive(events[n].data.ptr);
    }
    failed += total - answered;
    qsort(latencies, served, sizeof *latencies, ascending);
    qsort(from_written, served, sizeof *from_written, ascending);
    qsort(refusals, refused, sizeof *refusals, ascending);
    if (served == 0) return fprintf(stderr, "nothing was served\n"), 1;
    printf("result %.0f %zu %zu %u %u %u %u %zu %u %u %u\n", rate, sent, failed, latencies[served / 2], latencies[served * 99 / 100],
           latencies[served * 999 / 1000], latencies[served - 1], refused, refused ? refusals[refused * 99 / 100] : 0, from_written[served / 2],
           from_written[served * 99 / 100]);
    return 0;
}
