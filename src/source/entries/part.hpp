// Part: one archive of an EntryStream, the outermost or one in it.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/io/file.hpp"
#include "source/archive_entries.hpp"
#include "source/entries/large_file.hpp"

namespace shardmill::source {

/// Where in a tree an archive stands.
struct Nest {
  std::string folder;  // that its files would lie in, with a slash at the end, or empty
  std::string place;   // "x.tgz" or "x.tgz!y.tar.gz"
  int depth = 0;
};

/// "x.tgz!NAME", with what cannot be printed of the name left out.
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

  /// True for a file that somebody wants, or that is an archive itself.
  bool is_needed(const std::string& name) const;

  const Nest nest_;
  Collector& collector_;

 private:
  std::string path_of(const std::string& name) const;
  void open_nested(const std::string& path, const std::string& name, base::File&& file);

  std::deque<std::unique_ptr<Part>> nested_;
  std::vector<std::shared_ptr<base::File>> held_;  // large archives in this one, until it is read
};

/// Throws Error when the file is no archive.
std::unique_ptr<Part> open_part(base::File&& file, Nest nest, Collector& collector);

}  // namespace shardmill::source
