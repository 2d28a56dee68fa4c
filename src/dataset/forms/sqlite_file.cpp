#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "base/error.hpp"
#include "dataset/forms/energon_database.hpp"

namespace shardmill::dataset {

struct SqliteFile::Vfs {
  base::File* file = nullptr;
  std::string name;
  std::exception_ptr failure{};
  sqlite3_vfs functions{};

  /// No exception may pass through SQLite.
  template <typename Work>
  int checked(int code, Work work) noexcept {
    try {
      return work();
    } catch (...) {
      failure = std::current_exception();
      return code;
    }
  }
};

namespace {

/// What SQLite takes for an open file. It is given room for this, and finds the functions in the base.
template <typename Vfs>
struct OpenDatabase {
  sqlite3_file base;
  Vfs* vfs;
};

/// The functions that SQLite calls, for the private Vfs.
template <typename Vfs>
struct SqliteCalls {
  static Vfs& of(sqlite3_file* open) { return *reinterpret_cast<OpenDatabase<Vfs>*>(open)->vfs; }

  static int read(sqlite3_file* open, void* out, int bytes, sqlite3_int64 offset) {
    Vfs& vfs = of(open);
    return vfs.checked(SQLITE_IOERR_READ, [&] {
      const std::span<std::byte> wanted(static_cast<std::byte*>(out), static_cast<std::size_t>(bytes));
      const std::size_t got = vfs.file->read_at(wanted, static_cast<std::uint64_t>(offset));
      std::fill(wanted.begin() + static_cast<std::ptrdiff_t>(got), wanted.end(), std::byte{});
      return got == wanted.size() ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
    });
  }

  static int write(sqlite3_file* open, const void* data, int bytes, sqlite3_int64 offset) {
    Vfs& vfs = of(open);
    return vfs.checked(SQLITE_IOERR_WRITE, [&] {
      vfs.file->write_at({static_cast<const std::byte*>(data), static_cast<std::size_t>(bytes)},
                         static_cast<std::uint64_t>(offset));
      return SQLITE_OK;
    });
  }

  static int truncate(sqlite3_file* open, sqlite3_int64 size) {
    Vfs& vfs = of(open);
    return vfs.checked(SQLITE_IOERR_TRUNCATE, [&] {
      vfs.file->truncate(static_cast<std::uint64_t>(size));
      return SQLITE_OK;
    });
  }

  static int size(sqlite3_file* open, sqlite3_int64* bytes) {
    Vfs& vfs = of(open);
    return vfs.checked(SQLITE_IOERR_FSTAT, [&] {
      *bytes = static_cast<sqlite3_int64>(vfs.file->size());
      return SQLITE_OK;
    });
  }

  // The owner of the file syncs and closes it, and no other process uses it.
  static int close(sqlite3_file*) { return SQLITE_OK; }
  static int sync(sqlite3_file*, int) { return SQLITE_OK; }
  static int lock(sqlite3_file*, int) { return SQLITE_OK; }
  static int is_reserved(sqlite3_file*, int* answer) {
    *answer = 0;
    return SQLITE_OK;
  }
  static int control(sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; }
  static int sector_bytes(sqlite3_file*) { return 4096; }
  static int characteristics(sqlite3_file*) { return 0; }

  static const sqlite3_io_methods& methods() {
    static const sqlite3_io_methods all = [] {
      sqlite3_io_methods made{};
      made.iVersion = 1;
      made.xClose = close;
      made.xRead = read;
      made.xWrite = write;
      made.xTruncate = truncate;
      made.xSync = sync;
      made.xFileSize = size;
      made.xLock = lock;
      made.xUnlock = lock;
      made.xCheckReservedLock = is_reserved;
      made.xFileControl = control;
      made.xSectorSize = sector_bytes;
      made.xDeviceCharacteristics = characteristics;
      return made;
    }();
    return all;
  }

  static int open(sqlite3_vfs* functions, const char*, sqlite3_file* out, int flags, int* out_flags) {
    out->pMethods = nullptr;  // then SQLite does not close it
    if ((flags & SQLITE_OPEN_MAIN_DB) == 0) return SQLITE_CANTOPEN;
    auto* const opened = reinterpret_cast<OpenDatabase<Vfs>*>(out);
    opened->vfs = static_cast<Vfs*>(functions->pAppData);
    opened->base.pMethods = &methods();
    if (out_flags != nullptr) *out_flags = flags;
    return SQLITE_OK;
  }

  static int remove(sqlite3_vfs*, const char*, int) { return SQLITE_OK; }
  static int is_there(sqlite3_vfs*, const char*, int, int* answer) {  // a journal never is
    *answer = 0;
    return SQLITE_OK;
  }
  static int full_name(sqlite3_vfs*, const char* name, int room, char* out) {
    const std::size_t bytes = std::strlen(name) + 1;
    if (bytes > static_cast<std::size_t>(room)) return SQLITE_CANTOPEN;
    std::memcpy(out, name, bytes);
    return SQLITE_OK;
  }
  // Nothing that is written may depend on chance or on the time.
  static int random_bytes(sqlite3_vfs*, int bytes, char* out) {
    std::memset(out, 0, static_cast<std::size_t>(bytes));
    return bytes;
  }
  static int sleep(sqlite3_vfs*, int) { return 0; }
  static int time(sqlite3_vfs*, double* days) {
    *days = 0;
    return SQLITE_OK;
  }
  static int last_error(sqlite3_vfs*, int, char*) { return 0; }
};

}  // namespace

SqliteFile::SqliteFile(base::File& file) : vfs_(std::make_unique<Vfs>()) {
  using Calls = SqliteCalls<Vfs>;
  vfs_->file = &file;
  vfs_->name = fmt::format("shardmill-{}", static_cast<const void*>(vfs_.get()));
  sqlite3_vfs& functions = vfs_->functions;
  functions.iVersion = 1;
  functions.szOsFile = sizeof(OpenDatabase<Vfs>);
  functions.mxPathname = 64;
  functions.zName = vfs_->name.c_str();
  functions.pAppData = vfs_.get();
  functions.xOpen = Calls::open;
  functions.xDelete = Calls::remove;
  functions.xAccess = Calls::is_there;
  functions.xFullPathname = Calls::full_name;
  functions.xRandomness = Calls::random_bytes;
  functions.xSleep = Calls::sleep;
  functions.xCurrentTime = Calls::time;
  functions.xGetLastError = Calls::last_error;
  if (const int code = sqlite3_vfs_register(&functions, 0); code != SQLITE_OK)
    throw Error(fmt::format("SQLite cannot be used: {}", sqlite3_errstr(code)), at(file.path()));
}

SqliteFile::~SqliteFile() {
  sqlite3_vfs_unregister(&vfs_->functions);
}

const std::string& SqliteFile::vfs_name() const noexcept {
  return vfs_->name;
}

void SqliteFile::throw_failure() const {
  if (vfs_->failure) std::rethrow_exception(vfs_->failure);
}

std::string libsqlite3_version() {
  return sqlite3_libversion();
}

}  // namespace shardmill::dataset
