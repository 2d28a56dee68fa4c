// EnergonDatabase: the database in which Megatron-Energon's file stores look up samples and their parts by
// name.
// SqliteFile: lets SQLite write its database into a file that is open already.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "base/reporter.hpp"
#include "manifest/layout.hpp"
#include "shard/plain_walk.hpp"

namespace shardmill::dataset {

inline constexpr std::string_view kEnergonDatabase = ".nv-meta/index.sqlite";
inline constexpr std::string_view kEnergonUuid = ".nv-meta/index.uuid";

/// Writes both files below a folder. The bytes follow from the shards alone: the rows have the order of the
/// tars, and the fields that name SQLite's version are fixed.
class EnergonDatabase {
 public:
  explicit EnergonDatabase(const std::string& folder);
  ~EnergonDatabase();
  EnergonDatabase(const EnergonDatabase&) = delete;
  EnergonDatabase& operator=(const EnergonDatabase&) = delete;

  /// Adds the next shard. `path` is where it is now; `name` and `sha256` (empty: not known) go into the UUID.
  /// Does nothing once there is an obstacle.
  void add(const ShardLayout& layout, const std::string& path, const std::string& name,
           const std::string& sha256);

  /// Adds what the manifest says of the audio in the shard that was added last, for Energon's media metadata.
  void add_media(const std::string& shard_manifest, base::Reporter& reporter);

  /// Why these shards cannot have such a database: Energon knows a sample by its key.
  const std::optional<Error>& obstacle() const noexcept { return obstacle_; }

  /// Only without an obstacle. Both files are whole and synced when this returns.
  std::vector<manifest::Checksum> commit();

 private:
  class Rows;

  /// False when a sample before has this key.
  bool add_sample(const ShardLayout& layout, std::size_t sample, std::string_view key);

  std::string folder_;
  std::unique_ptr<Rows> rows_;
  std::int64_t shards_ = 0;
  base::Sha256 contents_;  // all rows and the shards
  std::optional<Error> obstacle_;
};

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
