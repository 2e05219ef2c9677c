// Preloaded into .NET: sockets and C library of another system, on Linux with glibc (x64 and arm64). Built with one of
// -DMACOS      what macOS and iOS do: no IPv4 option on an IPv6 socket, no local address of the IPv4 datagrams of such a socket, a larger
//              buffer than the limit is refused, and neither shutdown nor close ends a receive on a UDP socket. Nor is there sendmmsg, so
//              that the portable engine is chosen.
// -DOLD_LINUX  glibc 2.27, and a kernel, sandbox or emulator without the socket options that are optional.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>

// dlsym itself is replaced below, so it is found by its version.
static void *real(void *library, const char *name) {
    static void *(*find)(void *, const char *);
    if (!find) find = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
    if (!find) find = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.17");
    if (!find) find = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
    return find(library, name);
}

__attribute__((unused)) static int number_of(int socket, int option) {
    int value = 0;
    socklen_t length = sizeof value;
    return getsockopt(socket, SOL_SOCKET, option, &value, &length) == 0 ? value : 0;
}

static int refusal_of(int socket, int level, int name, const void *value) {
#if defined(MACOS)
    if (level == SOL_SOCKET && name == SO_RCVBUF && *(const int *)value > 8 * 1024 * 1024) return ENOBUFS;
    return level == IPPROTO_IP && number_of(socket, SO_DOMAIN) == AF_INET6 ? EINVAL : 0;
#else
    // SO_RXQ_OVFL, SO_RCVBUFFORCE; IP_RECVERR, IP_BIND_ADDRESS_NO_PORT, IP_MULTICAST_ALL;
    // IPV6_RECVERR, IPV6_MULTICAST_ALL.
    (void)socket, (void)value;
    int refused = level == SOL_SOCKET ? name == 40 || name == 33
        : level == IPPROTO_IP ? name == 11 || name == 24 || name == 49
        : level == IPPROTO_IPV6 && (name == 25 || name == 29);
    return refused ? ENOPROTOOPT : 0;
#endif
}

int setsockopt(int socket, int level, int name, const void *value, socklen_t length) {
    static int (*set)(int, int, int, const void *, socklen_t);
    int error = refusal_of(socket, level, name, value);
    if (error) {
        errno = error;
        return -1;
    }
    if (!set) set = real(RTLD_NEXT, "setsockopt");
    return set(socket, level, name, value, length);
}

long syscall(long number, ...) {
    static long (*call)(long, ...);
    va_list given;
    long a[6];
    va_start(given, number);
    for (int i = 0; i < 6; i++) a[i] = va_arg(given, long);
    va_end(given);
#if defined(MACOS)
    if (number == SYS_sendmmsg) {
        errno = ENOSYS;
        return -1;
    }
#endif
    if (!call) call = real(RTLD_NEXT, "syscall");
    return call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

#if defined(MACOS)
int shutdown(int socket, int how) {
    static int (*end)(int, int);
    if (number_of(socket, SO_TYPE) == SOCK_DGRAM) {
        errno = ENOTCONN;
        return -1;
    }
    if (!end) end = real(RTLD_NEXT, "shutdown");
    return end(socket, how);
}

// Replaces SystemNative_PlatformSupportsDualModeIPv4PacketInfo of .NET.
static int no(void) { return 0; }
#endif

#if defined(OLD_LINUX)
static const char *const newer[] = {
#include "newer.h"
    0};
#endif

// .NET asks for each imported function by its name.
void *dlsym(void *library, const char *name) {
    if (!strcmp(name, "setsockopt")) return setsockopt;
    if (!strcmp(name, "syscall")) return syscall;
#if defined(MACOS)
    if (!strcmp(name, "shutdown")) return shutdown;
    if (!strcmp(name, "SystemNative_PlatformSupportsDualModeIPv4PacketInfo")) return no;
#endif
#if defined(OLD_LINUX)
    for (const char *const *one = newer; *one; one++)
        if (!strcmp(name, *one)) return 0;
#endif
    return real(library, name);
}
