/*
 * A disk between a program and its files, for LD_PRELOAD: records each change of the files below one folder in a trace, in
 * the order in which they happen, and makes the disk slow or read-only. With a trace, fsync is only recorded: what a power cut leaves is
 * computed from the trace (disk-model.ts), and an acknowledgement that does not wait for fsync is seen as one.
 *
 *   DISK_DIR      the folder
 *   DISK_TRACE    file to append records to; several processes may share it
 *   DISK_CONTROL  file of two 32-bit numbers, which may change at any time: microseconds that each write, truncation and
 *                 fsync takes, and the error number with which they fail, as does the creation of a file; 0 is none
 *
 * A record: u32 bytes of the data, u16 bytes of the path, u8 operation, u8 0, u64 offset or size, path below DISK_DIR, data.
 * Operations: C created, W written, T truncated, S synced, U unlinked, R renamed (data: the new path), D folder synced.
 * What is mapped into memory (SQLite's index of its log) is not recorded: SQLite makes it again.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define FDS_MAX 65536
/* An acknowledgement that is sent before its fsync returns reaches the client within this time. */
#define SYNC_MICROSECONDS 2000

/* Open files below the folder, by descriptor; the path "" is the folder itself. */
static struct {
  char *path;
  dev_t device;
  ino_t inode;
} files[FDS_MAX];
static char folder[PATH_MAX];
static size_t folder_bytes;
static int trace = -1;
static volatile uint32_t *control;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;


static void start(void) {
  const char *dir = getenv("DISK_DIR");
  if (!dir || !realpath(dir, folder)) return;
  folder_bytes = strlen(folder);
  const char *path = getenv("DISK_TRACE");
  if (path) trace = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  path = getenv("DISK_CONTROL");
  int fd = path ? syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0) : -1;
  if (fd >= 0) {
    void *mapped = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
    if (mapped != MAP_FAILED) control = mapped;
    syscall(SYS_close, fd);
  }
}

/* The path below the folder; NULL: elsewhere. */
static const char *below(const char *path) {
  pthread_once(&once, start);
  if (!folder_bytes || !path || strncmp(path, folder, folder_bytes) != 0) return NULL;
  if (path[folder_bytes] == '\0') return "";
  return path[folder_bytes] == '/' ? path + folder_bytes + 1 : NULL;
}

/* NULL: not below the folder. Node closes files without close(): the number may be that of another file by now. */
static const char *path_of(int fd) {
  if (fd < 0 || fd >= FDS_MAX || !files[fd].path) return NULL;
  struct stat now;
  if (fstat(fd, &now) != 0 || now.st_dev != files[fd].device || now.st_ino != files[fd].inode) return NULL;
  return files[fd].path;
}

static void record(char operation, const char *path, uint64_t number, const void *data, uint32_t bytes) {
  if (trace < 0) return;
  uint16_t path_bytes = strlen(path);
  unsigned char head[16] = {0};
  memcpy(head, &bytes, 4);
  memcpy(head + 4, &path_bytes, 2);
  head[6] = operation;
  memcpy(head + 8, &number, 8);
  struct iovec parts[3] = {{head, sizeof head}, {(void *)path, path_bytes}, {(void *)data, bytes}};
  if (syscall(SYS_writev, trace, parts, 3) != (ssize_t)(sizeof head + path_bytes + bytes)) abort();
}

/* False, with errno: the disk does not take it. */
static int is_taken(void) {
  if (!control) return 1;
  uint32_t microseconds = control[0], error = control[1];
  if (microseconds) usleep(microseconds);
  if (error) errno = error;
  return !error;
}

static int opened(int fd, const char *path, int flags, int existed) {
  const char *relative = fd < 0 ? NULL : below(path);
  struct stat now;
  if (!relative || fd >= FDS_MAX || fstat(fd, &now) != 0) return fd;
  int saved = errno;
  pthread_mutex_lock(&lock);
  free(files[fd].path);
  files[fd].path = strdup(relative);
  files[fd].device = now.st_dev;
  files[fd].inode = now.st_ino;
  if (!existed) record('C', relative, 0, NULL, 0);
  else if (flags & O_TRUNC) record('T', relative, 0, NULL, 0);
  pthread_mutex_unlock(&lock);
  errno = saved;
  return fd;
}

static int open_at(int at, const char *path, int flags, va_list arguments) {
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
  struct stat before;
  int existed = !(flags & O_CREAT) || !below(path) || stat(path, &before) == 0;
  if (!existed && control && control[1]) {
    errno = control[1];
    return -1;
  }
  return opened(syscall(SYS_openat, at, path, flags, mode), path, flags, existed);
}

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    va_list arguments; \
    va_start(arguments, flags); \
    int fd = open_at(AT_FDCWD, path, flags, arguments); \
    va_end(arguments); \
    return fd; \
  }
#define OPENAT(name) \
  int name(int at, const char *path, int flags, ...) { \
    va_list arguments; \
    va_start(arguments, flags); \
    int fd = open_at(at, path, flags, arguments); \
    va_end(arguments); \
    return fd; \
  }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

static ssize_t written(int fd, const void *data, size_t bytes, off_t offset) {
  if (!is_taken()) return -1;
  pthread_mutex_lock(&lock);
  off_t at = offset < 0 ? lseek(fd, 0, SEEK_CUR) : offset;
  ssize_t done = offset < 0 ? syscall(SYS_write, fd, data, bytes) : syscall(SYS_pwrite64, fd, data, bytes, offset);
  int saved = errno;
  if (done > 0) record('W', files[fd].path, at, data, done);
  pthread_mutex_unlock(&lock);
  errno = saved;
  return done;
}

ssize_t write(int fd, const void *data, size_t bytes) {
  return path_of(fd) ? written(fd, data, bytes, -1) : syscall(SYS_write, fd, data, bytes);
}
ssize_t pwrite(int fd, const void *data, size_t bytes, off_t offset) {
  return path_of(fd) ? written(fd, data, bytes, offset) : syscall(SYS_pwrite64, fd, data, bytes, offset);
}
ssize_t pwrite64(int fd, const void *data, size_t bytes, off64_t offset) { return pwrite(fd, data, bytes, offset); }

static int truncated(int fd, off_t size) {
  if (!path_of(fd)) return syscall(SYS_ftruncate, fd, size);
  if (!is_taken()) return -1;
  pthread_mutex_lock(&lock);
  int result = syscall(SYS_ftruncate, fd, size);
  int saved = errno;
  if (result == 0) record('T', files[fd].path, size, NULL, 0);
  pthread_mutex_unlock(&lock);
  errno = saved;
  return result;
}
int ftruncate(int fd, off_t size) { return truncated(fd, size); }
int ftruncate64(int fd, off64_t size) { return truncated(fd, size); }

/* Nothing of this process is written while it runs: what is recorded after it is not durable. */
static int synced(int fd, long call) {
  if (!path_of(fd)) return syscall(call, fd);
  if (!is_taken()) return -1;
  if (trace < 0) return syscall(call, fd);
  pthread_mutex_lock(&lock);
  usleep(SYNC_MICROSECONDS);
  record(files[fd].path[0] == '\0' ? 'D' : 'S', files[fd].path, 0, NULL, 0);
  pthread_mutex_unlock(&lock);
  return 0;
}
int fsync(int fd) { return synced(fd, SYS_fsync); }
int fdatasync(int fd) { return synced(fd, SYS_fdatasync); }

int unlink(const char *path) {
  const char *relative = below(path);
  if (!relative) return syscall(SYS_unlink, path);
  pthread_mutex_lock(&lock);
  int result = syscall(SYS_unlink, path);
  int saved = errno;
  if (result == 0) record('U', relative, 0, NULL, 0);
  pthread_mutex_unlock(&lock);
  errno = saved;
  return result;
}

int rename(const char *from, const char *to) {
  const char *source = below(from), *target = below(to);
  if (!source || !target) return syscall(SYS_rename, from, to);
  pthread_mutex_lock(&lock);
  int result = syscall(SYS_rename, from, to);
  int saved = errno;
  if (result == 0) record('R', source, 0, target, strlen(target));
  pthread_mutex_unlock(&lock);
  errno = saved;
  return result;
}
