// Lets the Nth call of a kind fail, for tests (tests/cli/faults.rs). Loaded into the program with LD_PRELOAD:
//
//   FAULT=write:3   the third write fails; FAULT=write:3+ the third and all later ones
//   FAULT=power:3   power is cut before the third call that changes a file: the process ends at once, and files in
//                   its folder keep only what was synced. Names are kept: that is the worst that a disk does
//   FAULT_COUNTS=F  at its end, each process writes its number of calls of each kind to a file F.PID
//
// Calls that write to the standard error are left alone, because they say what is wrong.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { ALLOC, OPEN, READ, WRITE, SYNC, RENAME, MMAP, THREAD, SOCKET, POWER, KINDS };

static const char *const names[KINDS] = {"alloc", "open", "read", "write", "sync", "rename", "mmap", "thread", "socket", "power"};
static const int errors[KINDS] = {ENOMEM, EMFILE, EIO, ENOSPC, EIO, EIO, ENOMEM, EAGAIN, EMFILE, 0};
static atomic_long counts[KINDS];
static int failing = -1;
static long nth;
static int and_later;

__attribute__((constructor)) static void begin(void) {
    const char *fault = getenv("FAULT");
    for (int kind = 0; fault && kind < KINDS; kind++) {
        size_t length = strlen(names[kind]);
        if (!strncmp(fault, names[kind], length) && fault[length] == ':') {
            char *end;
            nth = strtol(fault + length + 1, &end, 10);
            and_later = *end == '+';
            failing = kind;
        }
    }
    // Calls before main are the loader's.
    for (int kind = 0; kind < KINDS; kind++) atomic_store(&counts[kind], 0);
}

__attribute__((destructor)) static void end(void) {
    const char *folder = getenv("FAULT_COUNTS");
    long final[KINDS];
    for (int kind = 0; kind < KINDS; kind++) final[kind] = atomic_load(&counts[kind]);
    char path[4096];
    snprintf(path, sizeof path, "%s.%d", folder ? folder : "", getpid());
    FILE *file = folder ? fopen(path, "w") : NULL;
    for (int kind = 0; file && kind < KINDS; kind++) fprintf(file, "%s %ld\n", names[kind], final[kind]);
    if (file) fclose(file);
}

static int fails(int kind) {
    long count = atomic_fetch_add(&counts[kind], 1) + 1;
    int now = kind == failing && (count == nth || (and_later && count > nth));
    if (now) errno = errors[kind];
    return now;
}

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t);

// Files that were written to, and what is on the disk of them.
struct written { ino_t inode; char *synced; size_t size; };
static struct written all_written[256];
static int written_count;
static pthread_mutex_t power_lock = PTHREAD_MUTEX_INITIALIZER;

#define REAL(name) ((__typeof__(&name))real(#name))
static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

static struct written *find_written(ino_t inode) {
    for (int i = 0; i < written_count; i++)
        if (all_written[i].inode == inode) return &all_written[i];
    if (written_count == sizeof all_written / sizeof *all_written) abort();
    all_written[written_count].inode = inode;
    return &all_written[written_count++];
}

// Takes back from every file what was not synced, and ends the process.
static void cut_power(void) {
    DIR *folder = opendir(".");
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        for (int i = 0; i < written_count; i++) {
            struct written *file = &all_written[i];
            int handle = file->inode == entry->d_ino ? REAL(open)(entry->d_name, O_WRONLY | O_TRUNC) : -1;
            if (handle >= 0 && REAL(write)(handle, file->synced, file->size) != (ssize_t)file->size) abort();
        }
    }
    _exit(137);
}

// Before each call that changes a file.
static void power(void) {
    if (failing != POWER) { fails(POWER); return; }
    pthread_mutex_lock(&power_lock);
    if (fails(POWER)) cut_power();
    pthread_mutex_unlock(&power_lock);
}

// Before a write.
static void writing(int file) {
    struct stat status;
    if (fstat(file, &status) || !S_ISREG(status.st_mode)) return;
    power();
    pthread_mutex_lock(&power_lock);
    if (failing == POWER) find_written(status.st_ino);
    pthread_mutex_unlock(&power_lock);
}

// After a file was synced.
static void synced(int file) {
    struct stat status;
    if (failing != POWER || fstat(file, &status) || !S_ISREG(status.st_mode)) return;
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    int copy = REAL(open)(path, O_RDONLY);
    char *bytes = __libc_malloc(status.st_size + 1);
    if (copy < 0 || REAL(pread64)(copy, bytes, status.st_size, 0) != status.st_size) abort();
    REAL(close)(copy);
    pthread_mutex_lock(&power_lock);
    struct written *kept = find_written(status.st_ino);
    free(kept->synced);
    kept->synced = bytes;
    kept->size = status.st_size;
    pthread_mutex_unlock(&power_lock);
}

void *malloc(size_t size) { return fails(ALLOC) ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return fails(ALLOC) ? NULL : __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return fails(ALLOC) ? NULL : __libc_realloc(old, size); }
int posix_memalign(void **out, size_t align, size_t size) {
    if (fails(ALLOC)) return ENOMEM;
    *out = __libc_memalign(align, size);
    return *out ? 0 : ENOMEM;
}

#define MODE(flags) \
    va_list list; va_start(list, flags); \
    mode_t mode = (flags) & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0; va_end(list)
int open(const char *path, int flags, ...) { MODE(flags); return fails(OPEN) ? -1 : REAL(open)(path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags); return fails(OPEN) ? -1 : REAL(open64)(path, flags, mode); }
int openat(int at, const char *path, int flags, ...) { MODE(flags); return fails(OPEN) ? -1 : REAL(openat)(at, path, flags, mode); }
int openat64(int at, const char *path, int flags, ...) { MODE(flags); return fails(OPEN) ? -1 : REAL(openat64)(at, path, flags, mode); }

ssize_t read(int file, void *to, size_t size) { return fails(READ) ? -1 : REAL(read)(file, to, size); }
ssize_t pread64(int file, void *to, size_t size, off64_t at) { return fails(READ) ? -1 : REAL(pread64)(file, to, size, at); }
ssize_t readv(int file, const struct iovec *to, int count) { return fails(READ) ? -1 : REAL(readv)(file, to, count); }

ssize_t write(int file, const void *from, size_t size) { writing(file); return file != 2 && fails(WRITE) ? -1 : REAL(write)(file, from, size); }
ssize_t pwrite64(int file, const void *from, size_t size, off64_t at) { writing(file); return fails(WRITE) ? -1 : REAL(pwrite64)(file, from, size, at); }
ssize_t writev(int file, const struct iovec *from, int count) { writing(file); return file != 2 && fails(WRITE) ? -1 : REAL(writev)(file, from, count); }

int fsync(int file) { power(); if (fails(SYNC)) return -1; int failed = REAL(fsync)(file); if (!failed) synced(file); return failed; }
int fdatasync(int file) { power(); if (fails(SYNC)) return -1; int failed = REAL(fdatasync)(file); if (!failed) synced(file); return failed; }

int rename(const char *from, const char *to) { power(); return fails(RENAME) ? -1 : REAL(rename)(from, to); }
int renameat(int a, const char *from, int b, const char *to) { power(); return fails(RENAME) ? -1 : REAL(renameat)(a, from, b, to); }
int renameat2(int a, const char *from, int b, const char *to, unsigned flags) { power(); return fails(RENAME) ? -1 : REAL(renameat2)(a, from, b, to, flags); }
int link(const char *from, const char *to) { power(); return fails(RENAME) ? -1 : REAL(link)(from, to); }

// Only files: without memory for the stack of a signal handler Rust's standard library ends the program.
void *mmap(void *at, size_t size, int access, int flags, int file, off_t offset) { return file >= 0 && fails(MMAP) ? MAP_FAILED : REAL(mmap)(at, size, access, flags, file, offset); }
void *mmap64(void *at, size_t size, int access, int flags, int file, off64_t offset) { return file >= 0 && fails(MMAP) ? MAP_FAILED : REAL(mmap64)(at, size, access, flags, file, offset); }

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *with) {
    return fails(THREAD) ? EAGAIN : REAL(pthread_create)(thread, attributes, run, with);
}

int socket(int domain, int type, int protocol) { return fails(SOCKET) ? -1 : REAL(socket)(domain, type, protocol); }
int socketpair(int domain, int type, int protocol, int pair[2]) { return fails(SOCKET) ? -1 : REAL(socketpair)(domain, type, protocol, pair); }
int connect(int file, const struct sockaddr *to, socklen_t size) { return fails(SOCKET) ? -1 : REAL(connect)(file, to, size); }
int bind(int file, const struct sockaddr *to, socklen_t size) { return fails(SOCKET) ? -1 : REAL(bind)(file, to, size); }
int accept4(int file, struct sockaddr *from, socklen_t *size, int flags) { return fails(SOCKET) ? -1 : REAL(accept4)(file, from, size, flags); }
ssize_t sendmsg(int file, const struct msghdr *message, int flags) { return fails(SOCKET) ? -1 : REAL(sendmsg)(file, message, flags); }
ssize_t recvmsg(int file, struct msghdr *message, int flags) { return fails(SOCKET) ? -1 : REAL(recvmsg)(file, message, flags); }
