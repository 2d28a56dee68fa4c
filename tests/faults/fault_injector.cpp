// Preloaded into a program, makes its I/O fail: tests/faults/faults_test.py says when and how.
//
// Counted are calls on files below the current folder or FAULT_FOLDER, and on descriptors opened there, so
// what the loader and the libraries open for themselves plays no part.
//   FAULT_FOLDER=DIR    absolute paths below it count, besides all relative ones
//   FAULT_AT=N          the N-th call fails; with FAULT_STAYS=1 all later ones too
//   FAULT_ERRNO=NUMBER  what it fails with
//   FAULT_SHORT=K       every K-th read or write moves only a part, by turns with EINTR
//   FAULT_THREADS=N     no more than N threads can be started
//   FAULT_FREE_BYTES=N  so much room is free on every filesystem
//   FAULT_REPORT=FILE   at exit, the names of the calls counted, one a line
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int kDescriptors = 4096;
constexpr long kReported = 100000;

std::array<std::atomic<bool>, kDescriptors> ours{};
std::atomic<long> calls{0};
std::atomic<long> transfers{0};
std::atomic<long> threads{0};
std::array<const char*, kReported> names{};

template <typename Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}
#define REAL(name) real<decltype(::name)>(#name)

long number(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? 0 : std::atol(text);
}

bool is_ours(const char* path) {
  const char* folder = std::getenv("FAULT_FOLDER");
  return folder != nullptr && (path[0] != '/' || std::strncmp(path, folder, std::strlen(folder)) == 0);
}

bool is_ours(int descriptor) {
  return descriptor >= 0 && descriptor < kDescriptors && ours[static_cast<std::size_t>(descriptor)];
}

void mark(int descriptor, bool value) {
  if (descriptor >= 0 && descriptor < kDescriptors) ours[static_cast<std::size_t>(descriptor)] = value;
}

/// Counts a call; true, with errno set, when it is to fail.
bool fails(const char* name) {
  const long call = ++calls;
  if (call < kReported) names[static_cast<std::size_t>(call)] = name;
  const long at = number("FAULT_AT");
  if (at == 0 || call < at || (call > at && number("FAULT_STAYS") == 0)) return false;
  errno = static_cast<int>(number("FAULT_ERRNO"));
  return true;
}

template <typename Where>
bool fails(const char* name, Where where) {
  return is_ours(where) && fails(name);
}

/// The bytes to move of `wanted`; -1, with errno set, for an interrupted call.
ssize_t allowed(int descriptor, std::size_t wanted) {
  const long every = number("FAULT_SHORT");
  if (every == 0 || !is_ours(descriptor)) return static_cast<ssize_t>(wanted);
  const long transfer = ++transfers;
  if (transfer % every != 0) return static_cast<ssize_t>(wanted);
  if (transfer / every % 2 == 0) {
    errno = EINTR;
    return -1;
  }
  return static_cast<ssize_t>(wanted > 1 ? 1 + (wanted - 1) / 3 : wanted);
}

__attribute__((destructor)) void report() {
  const char* path = std::getenv("FAULT_REPORT");
  if (path == nullptr) return;
  std::FILE* out = std::fopen(path, "w");
  if (out == nullptr) return;
  for (long i = 1; i <= calls && i < kReported; ++i) {
    std::fprintf(out, "%s\n", names[static_cast<std::size_t>(i)]);
  }
  std::fclose(out);
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  const bool counted = is_ours(path);
  if (counted && fails("open")) return -1;
  const int descriptor = REAL(open)(path, flags, mode);
  mark(descriptor, counted);
  return descriptor;
}

int openat(int folder, const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  const bool counted = folder == AT_FDCWD ? is_ours(path) : is_ours(folder);
  if (counted && fails("openat")) return -1;
  const int descriptor = REAL(openat)(folder, path, flags, mode);
  mark(descriptor, counted);
  return descriptor;
}

// The descriptor is gone even when closing it fails.
int close(int descriptor) {
  const bool failing = fails("close", descriptor);
  const int error = errno;
  mark(descriptor, false);
  const int result = REAL(close)(descriptor);
  if (!failing) return result;
  errno = error;
  return -1;
}

ssize_t read(int descriptor, void* out, std::size_t size) {
  if (fails("read", descriptor)) return -1;
  const ssize_t part = allowed(descriptor, size);
  return part < 0 ? -1 : REAL(read)(descriptor, out, static_cast<std::size_t>(part));
}

ssize_t pread(int descriptor, void* out, std::size_t size, off_t offset) {
  if (fails("pread", descriptor)) return -1;
  const ssize_t part = allowed(descriptor, size);
  return part < 0 ? -1 : REAL(pread)(descriptor, out, static_cast<std::size_t>(part), offset);
}

ssize_t write(int descriptor, const void* bytes, std::size_t size) {
  if (fails("write", descriptor)) return -1;
  const ssize_t part = allowed(descriptor, size);
  return part < 0 ? -1 : REAL(write)(descriptor, bytes, static_cast<std::size_t>(part));
}

ssize_t pwrite(int descriptor, const void* bytes, std::size_t size, off_t offset) {
  if (fails("pwrite", descriptor)) return -1;
  const ssize_t part = allowed(descriptor, size);
  return part < 0 ? -1 : REAL(pwrite)(descriptor, bytes, static_cast<std::size_t>(part), offset);
}

int fsync(int descriptor) {
  return fails("fsync", descriptor) ? -1 : REAL(fsync)(descriptor);
}

int syncfs(int descriptor) noexcept {
  return fails("syncfs", descriptor) ? -1 : REAL(syncfs)(descriptor);
}

int ftruncate(int descriptor, off_t size) noexcept {
  return fails("ftruncate", descriptor) ? -1 : REAL(ftruncate)(descriptor, size);
}

int fstat(int descriptor, struct stat* out) noexcept {
  return fails("fstat", descriptor) ? -1 : REAL(fstat)(descriptor, out);
}

int stat(const char* path, struct stat* out) noexcept {
  return fails("stat", path) ? -1 : real<int(const char*, struct stat*)>("stat")(path, out);
}

int lstat(const char* path, struct stat* out) noexcept {
  return fails("lstat", path) ? -1 : REAL(lstat)(path, out);
}

int rename(const char* from, const char* to) noexcept {
  return fails("rename", from) ? -1 : REAL(rename)(from, to);
}

int unlink(const char* path) noexcept {
  return fails("unlink", path) ? -1 : REAL(unlink)(path);
}

int unlinkat(int folder, const char* path, int flags) noexcept {
  const bool counted = folder == AT_FDCWD ? is_ours(path) : is_ours(folder);
  return counted && fails("unlinkat") ? -1 : REAL(unlinkat)(folder, path, flags);
}

int remove(const char* path) noexcept {
  return fails("remove", path) ? -1 : REAL(remove)(path);
}

int rmdir(const char* path) noexcept {
  return fails("rmdir", path) ? -1 : REAL(rmdir)(path);
}

int mkdir(const char* path, mode_t mode) noexcept {
  return fails("mkdir", path) ? -1 : REAL(mkdir)(path, mode);
}

DIR* opendir(const char* path) {
  const bool counted = is_ours(path);
  if (counted && fails("opendir")) return nullptr;
  DIR* folder = REAL(opendir)(path);
  if (folder != nullptr) mark(::dirfd(folder), counted);
  return folder;
}

struct dirent* readdir(DIR* folder) {
  return fails("readdir", ::dirfd(folder)) ? nullptr : REAL(readdir)(folder);
}

int closedir(DIR* folder) {
  mark(::dirfd(folder), false);
  return REAL(closedir)(folder);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                   void* argument) noexcept {
  if (std::getenv("FAULT_THREADS") != nullptr && ++threads > number("FAULT_THREADS")) return EAGAIN;
  return REAL(pthread_create)(thread, attributes, run, argument);
}

int fstatvfs(int descriptor, struct statvfs* room) noexcept {
  const int result = REAL(fstatvfs)(descriptor, room);
  if (result == 0 && std::getenv("FAULT_FREE_BYTES") != nullptr)
    room->f_bavail = static_cast<fsblkcnt_t>(number("FAULT_FREE_BYTES")) / room->f_frsize;
  return result;
}

}  // extern "C"
