#ifndef CLOAKROOM_CLIBEVENT_SHIM_H
#define CLOAKROOM_CLIBEVENT_SHIM_H

#include <errno.h>
#include <malloc.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <string.h>
#include <linux/sockios.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <event2/event.h>
#include <event2/util.h>

/* GNU extension; glibc declares it only under _GNU_SOURCE, which the importer may not set. */
extern int accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags);

/* Returns the next connection of a listening socket, non-blocking and closed on exec, or -1. */
static inline int cloakroom_accept(int descriptor, struct sockaddr *address, socklen_t *length) {
    return accept4(descriptor, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

/* A TCP socket, non-blocking and closed on exec, or -1. */
static inline int cloakroom_stream_socket(int family) {
    return socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
}

static inline int cloakroom_set_option(int descriptor, int level, int option, int value) {
    return setsockopt(descriptor, level, option, &value, sizeof value);
}

/* The pending error of a socket (SO_ERROR), which reading it clears. */
static inline int cloakroom_take_error(int descriptor) {
    int value = 0;
    socklen_t length = sizeof value;
    return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &value, &length) == 0 ? value : errno;
}

/* Sends two buffers by one call, never raising SIGPIPE. Returns the bytes sent, or minus errno. */
static inline ssize_t cloakroom_send(int descriptor, const void *first, size_t firstLength,
                                     const void *second, size_t secondLength) {
    if (secondLength == 0) {
        ssize_t count = send(descriptor, first, firstLength, MSG_NOSIGNAL);
        return count >= 0 ? count : -errno;
    }
    struct iovec vector[2] = {{(void *)first, firstLength}, {(void *)second, secondLength}};
    struct msghdr message = {0};
    message.msg_iov = vector;
    message.msg_iovlen = 2;
    ssize_t count = sendmsg(descriptor, &message, MSG_NOSIGNAL);
    return count >= 0 ? count : -errno;
}

/* Returns the bytes received, 0 at the end of the connection, or minus errno. */
static inline ssize_t cloakroom_receive(int descriptor, void *buffer, size_t length) {
    ssize_t count = recv(descriptor, buffer, length, 0);
    return count >= 0 ? count : -errno;
}

/* As cloakroom_receive, but leaves the bytes in the kernel's buffer. */
static inline ssize_t cloakroom_peek(int descriptor, void *buffer, size_t length) {
    ssize_t count = recv(descriptor, buffer, length, MSG_PEEK);
    return count >= 0 ? count : -errno;
}

/* How many milliseconds ago the last bytes came from the peer; 0 if that is unknown. */
static inline unsigned cloakroom_since_last_bytes(int descriptor) {
    struct tcp_info info;
    socklen_t length = sizeof info;
    memset(&info, 0, sizeof info);
    return getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &length) == 0 ? info.tcpi_last_data_recv : 0;
}

/* How many sent bytes the peer has not acknowledged; 0 if that is unknown. */
static inline int cloakroom_unacknowledged(int descriptor) {
    int count = 0;
    return ioctl(descriptor, SIOCOUTQ, &count) == 0 ? count : 0;
}

static inline int cloakroom_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

/* Names the calling thread; the kernel keeps 15 bytes. */
static inline void cloakroom_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

static inline void cloakroom_ignore_sigpipe(void) { signal(SIGPIPE, SIG_IGN); }

#endif
