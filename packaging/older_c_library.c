/* Functions that programs built with a C library of today call, and that glibc 2.28 lacks. A wheel brings them along:
   where the C library has them, its own are found first. */
#include <sys/syscall.h>
#include <time.h>

/* Built as if for the old one: no header here may rename what is defined below. */
struct stat;
typedef union pthread_cond pthread_cond;
typedef union pthread_mutex pthread_mutex;
long syscall(long number, ...);
int pthread_cond_timedwait(pthread_cond *condition, pthread_mutex *mutex, const struct timespec *until);

enum { kHere = -100, kNoFollow = 0x100, kEmptyPath = 0x1000 };

static int status_at(int folder, const char *path, struct stat *status, int flags) {
  return (int)syscall(SYS_newfstatat, folder, path, status, flags);
}

int stat(const char *path, struct stat *status) { return status_at(kHere, path, status, 0); }
int lstat(const char *path, struct stat *status) { return status_at(kHere, path, status, kNoFollow); }
int fstat(int file, struct stat *status) { return (int)syscall(SYS_fstat, file, status); }
int stat64(const char *path, struct stat *status) { return stat(path, status); }
int lstat64(const char *path, struct stat *status) { return lstat(path, status); }
int fstat64(int file, struct stat *status) { return fstat(file, status); }

/* Never true here, so that reference counts are always atomic. */
char __libc_single_threaded = 0;

unsigned arc4random(void) {
  unsigned number = 0;
  while (syscall(SYS_getrandom, &number, sizeof number, 0) != sizeof number) {
  }
  return number;
}

/* As libstdc++ waits where the C library has no such function: by the clock of the day. */
int pthread_cond_clockwait(pthread_cond *condition, pthread_mutex *mutex, clockid_t clock, const struct timespec *until) {
  struct timespec now, today;
  const long billion = 1000000000;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &today);
  today.tv_sec += until->tv_sec - now.tv_sec;
  today.tv_nsec += until->tv_nsec - now.tv_nsec;
  if (today.tv_nsec < 0) {
    today.tv_nsec += billion;
    --today.tv_sec;
  } else if (today.tv_nsec >= billion) {
    today.tv_nsec -= billion;
    ++today.tv_sec;
  }
  return pthread_cond_timedwait(condition, mutex, &today);
}
