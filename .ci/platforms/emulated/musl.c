// What libstdc++.a, libgcc_s, libssl.so.3 and libcrypto.so.3 of Debian want of glibc, for musl. It is linked into the libstdc++.so.6 that .NET's runtime for musl loads.
#define _GNU_SOURCE
#include <link.h>
#include <locale.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

char __libc_single_threaded = 0;

// Of libgcc_s itself, which musl does not find there, because they have an old version only.
unsigned __cpu_model[4];
int __cpu_indicator_init(void) { return 0; }

// The unwinder asks which library an address is in, and where its table of frames is: without an answer each C++ exception ends the process.
struct object { unsigned long long flags; void *start, *end, *map, *frames; unsigned long long reserved[7]; };
struct search { ElfW(Addr) address; struct object *found; };

static int look(struct dl_phdr_info *info, size_t size, void *data) {
    struct search *search = data;
    ElfW(Addr) start = ~0ul, end = 0;
    int inside = 0;
    void *frames = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        ElfW(Addr) first = info->dlpi_addr + header->p_vaddr, last = first + header->p_memsz;
        if (header->p_type == PT_GNU_EH_FRAME) frames = (void *)first;
        if (header->p_type != PT_LOAD) continue;
        if (first < start) start = first;
        if (last > end) end = last;
        inside |= search->address >= first && search->address < last;
    }
    if (!inside || !frames) return 0;
    *search->found = (struct object){ .start = (void *)start, .end = (void *)end, .frames = frames };
    return 1;
}

int _dl_find_object(void *address, struct object *found) {
    return dl_iterate_phdr(look, &(struct search){ (ElfW(Addr))address, found }) ? 0 : -1;
}

// Destructors of thread_local objects.
struct ending { void (*run)(void *); void *object; struct ending *next; };
static pthread_key_t endings;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void run(void *first) {
    for (struct ending *ending = first, *next; ending; ending = next) {
        next = ending->next;
        ending->run(ending->object);
        free(ending);
    }
}

static void create(void) { pthread_key_create(&endings, run); }

int __cxa_thread_atexit_impl(void (*destructor)(void *), void *object, void *library) {
    pthread_once(&once, create);
    struct ending *ending = malloc(sizeof *ending);
    *ending = (struct ending){ destructor, object, pthread_getspecific(endings) };
    return pthread_setspecific(endings, ending);
}

int __pthread_key_create(pthread_key_t *key, void (*destructor)(void *)) { return pthread_key_create(key, destructor); }
unsigned arc4random(void) { unsigned value; getrandom(&value, sizeof value, 0); return value; }
size_t __strftime_l(char *to, size_t size, const char *format, const struct tm *time, locale_t locale) { return strftime(to, size, format, time); }

// What -D_FORTIFY_SOURCE makes of these functions, without its checks.
void *__memcpy_chk(void *to, const void *from, size_t count, size_t room) { return memcpy(to, from, count); }
void *__memset_chk(void *to, int value, size_t count, size_t room) { return memset(to, value, count); }
char *__strcat_chk(char *to, const char *from, size_t room) { return strcat(to, from); }
int __vfprintf_chk(FILE *to, int flag, const char *format, va_list values) { return vfprintf(to, format, values); }
int __sprintf_chk(char *to, int flag, size_t room, const char *format, ...) {
    va_list values;
    va_start(values, format);
    int written = vsprintf(to, format, values);
    va_end(values);
    return written;
}
int __fprintf_chk(FILE *to, int flag, const char *format, ...) {
    va_list values;
    va_start(values, format);
    int written = vfprintf(to, format, values);
    va_end(values);
    return written;
}
long __fdelt_chk(long file) { return file / 64; }

// OpenSSL's asynchronous jobs and its log in syslog, which nobody uses here.
void __syslog_chk(int priority, int flag, const char *format, ...) { }
int getcontext(void *context) { return -1; }
int setcontext(const void *context) { return -1; }
void makecontext(void *context, void (*start)(void), int count, ...) { }
