// EntryStream: the files in an archive as it was downloaded, from front to back, archives in it included and
// hidden files left out; and the facts about an archive without unpacking all of it: its kind, its first
// names, and its texts.
// ScratchSpace: files without names for members of an archive or a shard that are too large for memory, and a
// bound on them.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "shardmill/sample.hpp"
#include "source/pieces_ahead.hpp"

namespace shardmill::source {

/// Any thread may use it.
class ScratchSpace : public std::enable_shared_from_this<ScratchSpace> {
 public:
  /// More than this many times its size no archive of audio unpacks to, small ones left aside.
  static constexpr std::uint64_t kMostTimes = 100;
  static constexpr std::uint64_t kAlwaysBytes = std::uint64_t{256} << 20;

  /// For an archive of `archive_bytes`. The files lie below TMPDIR or /var/tmp.
  explicit ScratchSpace(std::uint64_t archive_bytes);
  ScratchSpace(const ScratchSpace&) = delete;
  ScratchSpace& operator=(const ScratchSpace&) = delete;

  /// An empty file. Throws Error when there can be none.
  base::File file() const;
  /// Asks for room for `bytes` more, before they are written. Throws Error when the archive would take
  /// more than audio does, and FatalError when the filesystem would be almost full.
  void take(std::uint64_t bytes);
  void give_back(std::uint64_t bytes) noexcept { taken_bytes_ -= bytes; }
  /// The file, whose bytes are given back with it.
  std::shared_ptr<base::File> share(base::File&& file, std::uint64_t bytes);

  std::uint64_t taken_bytes() const noexcept { return taken_bytes_; }
  /// Throws FatalError when `bytes` more would make the filesystem almost full.
  void check_free_space(std::uint64_t bytes) const;

 private:
  std::string folder_;
  std::uint64_t most_bytes_;
  std::atomic<std::uint64_t> taken_bytes_ = 0;
};

/// A file in an archive.
struct ArchiveEntry {
  std::string path;   // as it would lie on disk were all unpacked where it is
  std::string place;  // for errors: "data_aishell.tgz!wav/S0002.tar.gz!train/S0002/X.wav"
  Bytes bytes{};
  std::shared_ptr<base::File> file{};  // instead of these, of a large one: a scratch file
  bool is_link = false;
};

/// A file, or damage; the rest after damage is read if it can be.
using ArchiveItem = std::variant<ArchiveEntry, Error>;

struct EntryOptions {
  /// Files that are not wanted come without their bytes being kept, or not at all. None: all are wanted.
  std::function<bool(std::string_view path)> wanted{};
  std::uint64_t limit_bytes = std::uint64_t{256} << 20;  // of a file in memory
  /// Where files that are larger go. None: such a file is damage.
  std::shared_ptr<ScratchSpace> scratch{};
  /// Links come too, without content, by their names.
  bool has_links = false;
  /// Decode the next pieces while this one is read, if the codec allows that. Null: they are decoded in turn.
  OtherThreads* threads = nullptr;
};

/// One thread at a time.
class EntryStream {
 public:
  EntryStream() = default;
  EntryStream(const EntryStream&) = delete;
  EntryStream& operator=(const EntryStream&) = delete;
  virtual ~EntryStream() = default;

  /// Reads a bounded amount and adds the files in it to `items`; false at the end. Throws Error if the
  /// machine fails.
  virtual bool read(std::vector<ArchiveItem>& items) = 0;
  /// How much of the file was read so far.
  virtual std::uint64_t consumed_bytes() const = 0;
  /// Unpacked, so far.
  virtual std::uint64_t plain_bytes() const = 0;
  /// Checksums have confirmed all that was given out when plain_bytes() was this or less.
  virtual std::uint64_t confirmed_bytes() const = 0;
  /// How often damage has made the files before it doubtful.
  virtual std::uint64_t doubts() const = 0;
};

/// `file` must outlive it. Throws Error when it is no archive.
std::unique_ptr<EntryStream> open_entries(base::File& file, const EntryOptions& options);

/// True for a zip, a 7z or a rar by its first bytes.
bool is_container(const base::File& file);
bool is_container(const std::string& path);

/// Throws Error for an archive or a shard that is cut short, as far as that shows without decoding it: of all
/// but gzip.
void check_end(const std::string& path);

/// The names of the first files in an archive, archives in it included, until `enough` returns true, from a
/// bounded part of the archive. Empty where it is no archive. Throws Error when it cannot be read.
std::vector<std::string> first_names(const std::string& path,
                                     const std::function<bool(const std::string& name)>& enough);

/// Reads those files that are `wanted` where that is cheap, without unpacking the others: from a zip, by its
/// directory, and from a plain tar, by steps from header to header. False, with nothing read, for all others.
/// Throws Error for a zip that is damaged or encrypted.
bool read_ahead(base::File& file, const EntryOptions& options,
                const std::function<void(ArchiveEntry&& entry)>& use);

}  // namespace shardmill::source
