// Files: every call is checked, interrupted and short transfers are continued, and errors name the path.
// Files without a name: in memory, and for scratch data in a folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardmill::base {

class RemoteObject;

/// An open file of this machine, or for reading an object on a server. Movable; not thread-safe except
/// read_at and write_at.
class File {
 public:
  File() = default;
  File(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}
  File(File&& other) noexcept;
  File& operator=(File&& other) noexcept;
  explicit File(std::shared_ptr<const RemoteObject> remote);
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File();  // closes, but cannot report: call close() first if a failed close matters (after writing)

  /// Throws Error when the path is missing, unreadable or not a regular file: a pipe may keep its reader
  /// waiting for ever, and a device may never end. A path may be an address (base/remote/url.hpp). The first
  /// of several volumes (base/io/volumes.hpp) is read as all of them, one after the other.
  static File open_read(const std::string& path);
  /// The same, but a volume is a file of its own.
  static File open_single(const std::string& path);
  /// For reading once from beginning to end: also accepts a pipe or a device.
  static File open_stream(const std::string& path);
  /// Creates or truncates a file. Neither this nor open_update() follows a link at the end of the path.
  static File create(const std::string& path);
  /// Opens the file for reading and writing; creates it if it is missing.
  static File open_update(const std::string& path);
  /// A duplicate of standard input or output, named "-" in messages.
  static File standard_input();
  static File standard_output();

  /// The same open file with the same position, for another reader that uses read_at().
  File duplicate() const;

  bool is_open() const noexcept { return descriptor_ >= 0 || remote_ != nullptr; }
  /// Of several volumes, the first; -1 for an object on a server.
  int descriptor() const noexcept { return descriptor_; }
  const std::string& path() const noexcept { return path_; }
  /// Null for a file of this machine.
  const std::shared_ptr<const RemoteObject>& remote() const noexcept { return remote_; }
  bool is_regular() const;
  std::uint64_t size() const;
  /// The volumes of this file in their order; empty if it has only one.
  const std::vector<File>& volumes() const noexcept;

  /// Reads up to out.size() bytes from the current position; fewer only at the end of the file.
  std::size_t read(std::span<std::byte> out);
  std::size_t read_at(std::span<std::byte> out, std::uint64_t offset) const;
  void write(std::span<const std::byte> bytes);
  void write_at(std::span<const std::byte> bytes, std::uint64_t offset) const;
  /// Sets the position of the next read().
  void seek(std::uint64_t offset);
  void truncate(std::uint64_t size) const;
  void sync() const;
  /// Asks the system to begin writing this range to disk, so that a later sync() has little left to do.
  void start_writeback(std::uint64_t offset, std::uint64_t bytes) const noexcept;
  /// Closes, and throws Error when that fails. The file is closed afterwards in any case.
  void close();

 private:
  int descriptor_ = -1;
  std::string path_;
  std::shared_ptr<const std::vector<File>> volumes_{};  // null: only one
  std::shared_ptr<const RemoteObject> remote_{};
  std::uint64_t position_ = 0;  // of several volumes, or of an object on a server
};

/// A file that appears under `path` only when commit() has synced and renamed it. Until then it has a hidden
/// name in the same folder. The destructor removes that hidden file; after a crash the next run does. Never
/// follows a link.
class AtomicFile {
 public:
  /// Throws Error when another process is writing the same file, or when `path` exists and is not a regular
  /// file.
  explicit AtomicFile(std::string path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  File& file() noexcept { return file_; }
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  std::uint64_t size() const noexcept { return size_; }
  /// Syncs, renames, syncs the folder, closes.
  void commit();

 private:
  std::string path_;
  std::string part_;
  File file_;
  std::uint64_t size_ = 0;
  std::uint64_t started_writeback_ = 0;
};

/// True for the hidden name that an AtomicFile has before commit().
bool is_part_of_atomic_file(const std::filesystem::path& path);

/// Syncs a folder, so that the names in it survive a crash.
void sync_folder(const std::filesystem::path& folder);
/// Renames within one filesystem; the caller must sync the folder.
void rename_file(const std::string& from, const std::string& to);
/// Creates the folder and its missing parents.
void make_folders(const std::filesystem::path& folder);
/// Returns true if it removed a file, false if there was none.
bool remove_file(const std::string& path);
/// The whole file; throws Error when it is larger than `limit_bytes`.
std::string read_text(const std::string& path, std::uint64_t limit_bytes = std::uint64_t{1} << 30);

std::span<const std::byte> as_bytes(std::string_view text) noexcept;

/// A file in memory that holds `bytes`, positioned at its start. Errors call it `name`. Throws Error.
File memory_file(std::span<const std::byte> bytes, const std::string& name);

/// An empty file without a name in `folder`, for scratch data. The system removes it when it is closed, and
/// when the program ends in any way. Throws Error.
File scratch_file(const std::string& folder);

/// The folder for scratch files that belong to no dataset: TMPDIR, or /var/tmp.
std::string scratch_folder();

}  // namespace shardmill::base
