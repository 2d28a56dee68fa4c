// SqliteFile: lets SQLite write its database into a file that is open already.
#pragma once

#include <exception>
#include <memory>
#include <string>

#include "base/io/file.hpp"

namespace shardmill::dataset {

/// While it lives, SQLite finds the file under vfs_name(), whatever name it opens there. Only for a database
/// without journal that one connection writes.
class SqliteFile {
 public:
  /// `file` must be open for reading and writing, and must outlive this.
  explicit SqliteFile(base::File& file);
  ~SqliteFile();
  SqliteFile(const SqliteFile&) = delete;
  SqliteFile& operator=(const SqliteFile&) = delete;

  const std::string& vfs_name() const noexcept;
  /// SQLite knows only that a call failed. Throws the Error that says why, if there was one.
  void throw_failure() const;

 private:
  struct Vfs;
  std::unique_ptr<Vfs> vfs_;
};

/// The version of the library that is used.
std::string libsqlite3_version();

}  // namespace shardmill::dataset
