// Part: one archive of an EntryStream, the outermost or one in it.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "source/archive_entries.hpp"

namespace shardmill::source {

/// Its functions throw Error and FatalError as ScratchSpace does. One thread at a time.
class LargeFile {
 public:
  /// `promised_bytes` of the space are taken at once; 0 when the size is not known.
  explicit LargeFile(std::shared_ptr<ScratchSpace> space, std::uint64_t promised_bytes = 0);
  LargeFile(LargeFile&& other) noexcept;
  LargeFile& operator=(LargeFile&&) = delete;
  LargeFile(const LargeFile&) = delete;
  LargeFile& operator=(const LargeFile&) = delete;
  ~LargeFile();

  void add(std::span<const std::byte> bytes);

  /// The file, and how many bytes of the space it goes on taking.
  std::pair<base::File, std::uint64_t> end() &&;

 private:
  std::shared_ptr<ScratchSpace> space_;
  base::File file_;
  std::uint64_t bytes_ = 0;
  std::uint64_t taken_ = 0;
};

/// Without "./" at the beginning and in the middle.
std::string plain_path(std::string_view name);

/// True for names that would lead out of the folder where the archive is unpacked.
bool leads_out(std::string_view name);
Error leads_out_error(const std::string& place);

/// True if a part of the path starts with a dot: macOS puts a "._X.wav" that is not audio beside each
/// "X.wav".
bool is_hidden(std::string_view path);

Error encrypted_error(const std::string& place);

/// The place of an archive in a tree.
struct Nest {
  std::string folder;  // that its files would lie in, with a slash at the end, or empty
  std::string place;   // "x.tgz" or "x.tgz!y.tar.gz"
  int depth = 0;
};

/// "x.tgz!NAME", without the characters of the name that cannot be printed.
std::string inside(const Nest& nest, std::string_view name);

/// What the parts of the stream share.
class Collector {
 public:
  Collector(const EntryOptions& options) : options_(options) {}

  bool wants(const std::string& path) const { return !options_.wanted || options_.wanted(path); }
  const EntryOptions& options() const noexcept { return options_; }

  std::deque<ArchiveItem> found;
  std::uint64_t doubts = 0;  // EntryStream::doubts()

 private:
  const EntryOptions& options_;
};

/// One thread at a time.
class Part {
 public:
  Part(Nest nest, Collector& collector) : nest_(std::move(nest)), collector_(collector) {}
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;
  virtual ~Part() = default;

  /// Reads on; false at its end. Damage goes to the collector. Throws Error where the machine fails.
  virtual bool read() = 0;
  virtual std::uint64_t consumed_bytes() const = 0;
  virtual std::uint64_t plain_bytes() const = 0;
  /// How many of them a checksum has confirmed.
  virtual std::uint64_t confirmed_bytes() const = 0;

  /// An archive that was found in it and is to be read before it goes on.
  std::unique_ptr<Part> take_nested();

 protected:
  /// A file of this archive.
  void take(const std::string& name, Bytes&& bytes);
  void take(const std::string& name, LargeFile&& large);
  /// A link of this archive.
  void take_link(const std::string& name);

  /// True for a file that is wanted, or that is an archive itself.
  bool is_needed(const std::string& name) const;

  const Nest nest_;
  Collector& collector_;

 private:
  std::string path_of(const std::string& name) const;
  void open_nested(const std::string& path, const std::string& name, base::File&& file);

  std::deque<std::unique_ptr<Part>> nested_;
  std::vector<std::shared_ptr<base::File>> held_;  // large archives in this one, until it is read
};

// tar_part.cpp: a tar, plain or compressed

std::unique_ptr<Part> open_tar_part(base::File&& file, Nest nest, Collector& collector);

// container_part.cpp: a zip, a 7z and whatever else libarchive knows

std::unique_ptr<Part> open_container_part(base::File&& file, Nest nest, Collector& collector);

/// Throws Error when the file is no archive.
std::unique_ptr<Part> open_part(base::File&& file, Nest nest, Collector& collector);

}  // namespace shardmill::source
