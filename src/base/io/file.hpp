// Files: every call checked, EINTR and short transfers handled, errors that name the path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace shardmill::base {

/// An open file descriptor. Movable; not thread-safe except read_at and write_at.
class File {
 public:
  File() = default;
  File(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}
  File(File&& other) noexcept;
  File& operator=(File&& other) noexcept;
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File();  // closes; call close() first where a failed close matters (after writing)

  /// Throws Error when the path is missing, unreadable or anything but a regular file: a pipe may keep its
  /// reader waiting for ever, and a device may never end.
  static File open_read(const std::string& path);
  /// The same for what is read once, from beginning to end: also a pipe or a device.
  static File open_stream(const std::string& path);
  /// Creates or truncates. Like open_update(), does not follow a link at the end of the path.
  static File create(const std::string& path);
  /// Creates or keeps what is there; read and write.
  static File open_update(const std::string& path);
  /// A duplicate of standard input or output, named "-" in messages.
  static File standard_input();
  static File standard_output();

  /// The same open file, with the same position: for a reader of its own that uses read_at().
  File duplicate() const;

  bool is_open() const noexcept { return descriptor_ >= 0; }
  int descriptor() const noexcept { return descriptor_; }
  const std::string& path() const noexcept { return path_; }
  bool is_regular() const;
  std::uint64_t size() const;

  /// Reads up to out.size() bytes from the current position, less only at the end of the file.
  std::size_t read(std::span<std::byte> out);
  std::size_t read_at(std::span<std::byte> out, std::uint64_t offset) const;
  void write(std::span<const std::byte> bytes);
  void write_at(std::span<const std::byte> bytes, std::uint64_t offset) const;
  /// The place of the next read().
  void seek(std::uint64_t offset);
  void truncate(std::uint64_t size) const;
  void sync() const;
  /// Asks the system to begin writing this range to disk, so that a later sync() finds little left to do.
  void start_writeback(std::uint64_t offset, std::uint64_t bytes) const noexcept;
  /// Closes and reports a failed close. The file is closed afterwards in any case.
  void close();

 private:
  int descriptor_ = -1;
  std::string path_;
};

/// A file that appears under `path` only when commit() has synced it and renamed it there. Until then it has
/// a hidden name of its own beside it: removed when the object goes, and by the next run where a crash left
/// it behind. Never follows a link.
class AtomicFile {
 public:
  /// Throws Error when another process is writing the same file, and when `path` is there, but is not a
  /// regular file.
  explicit AtomicFile(std::string path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  File& file() noexcept { return file_; }
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  std::uint64_t size() const noexcept { return size_; }
  /// Sync, rename, sync of the folder, close.
  void commit();

 private:
  std::string path_;
  std::string part_;
  File file_;
  std::uint64_t size_ = 0;
  std::uint64_t started_writeback_ = 0;
};

/// True for the hidden name that an AtomicFile has before its commit().
bool is_part_of_atomic_file(const std::filesystem::path& path);

/// Makes the names in a folder durable.
void sync_folder(const std::filesystem::path& folder);
/// Renames within a filesystem; the caller syncs the folder.
void rename_file(const std::string& from, const std::string& to);
/// Creates the folder and its parents where missing.
void make_folders(const std::filesystem::path& folder);
/// True when a file was removed, false when there was none.
bool remove_file(const std::string& path);
/// The whole file; throws when it is larger than `limit_bytes`.
std::string read_text(const std::string& path, std::uint64_t limit_bytes = std::uint64_t{1} << 30);

std::span<const std::byte> as_bytes(std::string_view text) noexcept;

}  // namespace shardmill::base
