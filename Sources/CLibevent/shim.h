#include <event2/event.h>
#include <event2/thread.h>
#include <event2/dns.h>
#include <event2/util.h>
