#include "source/archive_entries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "archive/container.hpp"
#include "archive/tar_parser.hpp"
#include "base/io/memory_file.hpp"
#include "source/archive_index.hpp"
#include "source/names/archive_path.hpp"
#include "source/pieces_ahead.hpp"
#include "source/shard_search.hpp"

namespace shardmill::source {

namespace {

constexpr int kDeepest = 3;  // an archive in an archive in an archive

/// Where in a tree an archive stands.
struct Nest {
  std::string folder;  // that its files would lie in, with a slash at the end, or empty
  std::string place;   // "x.tgz" or "x.tgz!y.tar.gz"
  int depth = 0;
};

std::string inside(const Nest& nest, std::string_view name) {
  return fmt::format("{}!{}", nest.place, printable(name));
}

Nest nested(const Nest& nest, const std::string& path, std::string_view name) {
  return {
      .folder = path.substr(0, path.rfind('/') + 1), .place = inside(nest, name), .depth = nest.depth + 1};
}

/// What the parts of the stream share.
class Collector {
 public:
  Collector(const EntryOptions& options) : options_(options) {}

  bool wants(const std::string& path) const { return !options_.wanted || options_.wanted(path); }
  const EntryOptions& options() const noexcept { return options_; }

  std::deque<ArchiveItem> found;

 private:
  const EntryOptions& options_;
};

class Part;
std::unique_ptr<Part> open_part(base::File&& file, Nest nest, Collector& collector);

/// One archive, the outermost or one in it.
class Part {
 public:
  Part() = default;
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;
  virtual ~Part() = default;
  /// Reads on; false at its end.
  virtual bool read() = 0;
  virtual std::uint64_t consumed_bytes() const = 0;
  virtual std::uint64_t plain_bytes() const = 0;
  /// An archive that was found in it and is to be read before it goes on.
  std::unique_ptr<Part> take_nested() {
    if (nested_.empty()) return nullptr;
    std::unique_ptr<Part> first = std::move(nested_.front());
    nested_.pop_front();
    return first;
  }

 protected:
  /// A file of this archive, too large for memory.
  void take(const Nest& nest, Collector& collector, const std::string& name, base::File&& file) {
    const std::string path = nest.folder + plain_path(name);
    if (has_archive_name(path) && !collector.wants(path)) {
      file.seek(0);
      return open_nested(nest, collector, path, name, std::move(file));
    }
    collector.found.emplace_back(ArchiveEntry{
        .path = path, .place = inside(nest, name), .file = std::make_shared<base::File>(std::move(file))});
  }

  /// A file of this archive.
  void take(const Nest& nest, Collector& collector, const std::string& name, Bytes&& bytes) {
    if (leads_out(name)) return void(collector.found.emplace_back(leads_out_error(inside(nest, name))));
    if (is_hidden(plain_path(name))) return;
    const std::string path = nest.folder + plain_path(name);
    if (has_archive_name(path) && !collector.wants(path))
      return open_nested(nest, collector, path, name, base::memory_file(bytes, inside(nest, name)));
    if (!collector.wants(path)) return;
    collector.found.emplace_back(
        ArchiveEntry{.path = path, .place = inside(nest, name), .bytes = std::move(bytes)});
  }

 private:
  void open_nested(const Nest& nest, Collector& collector, const std::string& path, const std::string& name,
                   base::File&& file) {
    const std::string place = inside(nest, name);
    if (nest.depth + 1 >= kDeepest) {
      collector.found.emplace_back(Error(
          fmt::format("is an archive in an archive, {} deep, and not read", nest.depth + 1), at(place)));
      return;
    }
    try {
      nested_.push_back(open_part(std::move(file), nested(nest, path, name), collector));
    } catch (const Error& error) {
      collector.found.emplace_back(error.within(at(place)));
    }
  }

  std::deque<std::unique_ptr<Part>> nested_;
};

class TarPart final : public Part, private archive::TarSink {
 public:
  TarPart(base::File&& file, Nest nest, Collector& collector)
      : file_(std::move(file)),
        nest_(std::move(nest)),
        collector_(collector),
        pieces_(file_, collector.options().helpers),
        parser_(*this, collector.options().limit_bytes) {}

  bool read() override {
    if (!piece_) {
      piece_ = pieces_.next();
      if (!piece_) {
        parser_.finish();
        return false;
      }
    }
    try {
      const auto bytes = piece_->read();
      if (bytes.empty()) {
        consumed_ += piece_->compressed_bytes();
        piece_.reset();
      } else {
        parser_.feed(bytes);
      }
    } catch (const Error& error) {
      Where where = error.where();
      where.path = nest_.place;
      collector_.found.emplace_back(Error(error.problem(), std::move(where), error.advice(), error.remedy()));
      parser_.gap();
      is_damaged_ = true;
      consumed_ += piece_->compressed_bytes();
      piece_.reset();
    }
    return true;
  }
  std::uint64_t consumed_bytes() const override { return consumed_; }
  std::uint64_t plain_bytes() const override { return parser_.offset(); }

 private:
  void on_member(archive::TarMember&& member) override {
    take(nest_, collector_, member.name, std::move(member.bytes));
  }

  bool takes_parts(const std::string& name, std::uint64_t size) override {
    constexpr std::uint64_t kMostBytes = std::uint64_t{16} << 30;  // of anything that is no attack
    const auto& scratch = collector_.options().scratch;
    if (!scratch || size > kMostBytes || leads_out(name) || !is_audible(name)) return false;
    large_ = scratch();
    large_name_ = name;
    large_bytes_ = 0;
    return true;
  }

  void on_part(std::span<const std::byte> bytes) override {
    large_.write_at(bytes, large_bytes_);
    large_bytes_ += bytes.size();
  }

  void on_parts_end(bool is_whole) override {
    base::File file = std::move(large_);
    if (is_whole) take(nest_, collector_, large_name_, std::move(file));
  }

  void on_finding(ShardFinding&& finding) override {
    const bool is_large = finding.problem == ShardProblem::oversized_member;
    if (is_large && !is_audible(finding.name)) return;
    const bool is_sparse = finding.problem == ShardProblem::sparse_file;
    if (!is_damage(finding.problem) && !is_large && !is_sparse) return;
    // What follows from damage that was told needs no words of its own.
    const bool follows = finding.problem == ShardProblem::gap || finding.problem == ShardProblem::resumed;
    if (follows || (is_damaged_ && finding.problem == ShardProblem::truncated)) return;
    is_damaged_ = is_damaged_ || is_damage(finding.problem);
    collector_.found.emplace_back(Error(
        finding.text,
        {.path = finding.name.empty() ? nest_.place : inside(nest_, finding.name), .offset = finding.offset},
        is_large ? "unpack the archive and give the folder" : ""));
  }

  bool is_audible(const std::string& name) const {
    const std::string path = nest_.folder + plain_path(name);
    return !is_hidden(plain_path(name)) && (has_archive_name(path) || collector_.wants(path));
  }

  base::File file_;
  Nest nest_;
  Collector& collector_;
  PiecesAhead pieces_;
  archive::TarParser parser_;
  std::unique_ptr<codec::Piece> piece_;
  std::uint64_t consumed_ = 0;
  bool is_damaged_ = false;
  base::File large_;  // the one that comes in parts
  std::string large_name_;
  std::uint64_t large_bytes_ = 0;
};

class ContainerPart final : public Part {
 public:
  /// `path`: of the file, which libarchive opens itself.
  ContainerPart(base::File&& file, Nest nest, Collector& collector)
      : file_(std::move(file)),
        nest_(std::move(nest)),
        collector_(collector),
        bytes_(file_.size()),
        container_(fmt::format("/proc/self/fd/{}", file_.descriptor())) {}

  bool read() override {
    try {
      const auto entry = container_.next();
      if (!entry) return false;
      const std::string path = nest_.folder + plain_path(entry->path);
      if (!entry->is_file || is_hidden(plain_path(entry->path))) return true;
      if (!has_archive_name(path) && !collector_.wants(path)) return true;
      const std::string place = inside(nest_, entry->path);
      if (entry->is_encrypted) {
        collector_.found.emplace_back(encrypted_error(place));
        return false;
      }
      read_entry(entry->path, place);
      return true;
    } catch (const Error& error) {
      collector_.found.emplace_back(Error(error.problem(), at(nest_.place), "download it again"));
      return false;
    }
  }
  std::uint64_t consumed_bytes() const override { return std::min(container_.consumed_bytes(), bytes_); }
  std::uint64_t plain_bytes() const override { return plain_; }

 private:
  void read_entry(const std::string& name, const std::string& place) {
    Bytes bytes;
    try {
      bytes = container_.read(collector_.options().limit_bytes);
    } catch (const Error& error) {
      collector_.found.emplace_back(Error(error.problem(), at(place), error.advice(), error.remedy()));
      return;
    }
    plain_ += bytes.size();
    take(nest_, collector_, name, std::move(bytes));
  }

  base::File file_;
  Nest nest_;
  Collector& collector_;
  std::uint64_t bytes_;
  std::uint64_t plain_ = 0;
  archive::Container container_;
};

std::unique_ptr<Part> open_part(base::File&& file, Nest nest, Collector& collector) {
  if (!is_container(file)) return std::make_unique<TarPart>(std::move(file), std::move(nest), collector);
  return std::make_unique<ContainerPart>(std::move(file), std::move(nest), collector);
}

class Entries final : public EntryStream {
 public:
  Entries(base::File& file, const EntryOptions& options) : options_(options), collector_(options_) {
    parts_.push_back(open_part(file.duplicate(), {.folder = {}, .place = file.path()}, collector_));
    if (is_container(file)) bytes_ = file.size();
  }

  bool read(std::vector<ArchiveItem>& items) override {
    if (parts_.empty()) return false;
    const bool more = parts_.back()->read();
    if (auto nested = parts_.back()->take_nested()) {
      ended_.push_back(!more);
      parts_.push_back(std::move(nested));
    } else if (!more) {
      end_part();
    }
    for (ArchiveItem& item : collector_.found) items.push_back(std::move(item));
    collector_.found.clear();
    return !parts_.empty();
  }

  std::uint64_t consumed_bytes() const override {
    return parts_.empty() ? last_consumed_ : parts_.front()->consumed_bytes();
  }
  std::uint64_t plain_bytes() const override {
    return parts_.empty() ? last_plain_ : parts_.front()->plain_bytes();
  }

 private:
  /// The innermost archive ends; those around it go on, with further archives that were found in them first.
  void end_part() {
    while (!parts_.empty()) {
      if (parts_.size() == 1) {
        last_consumed_ = std::max(parts_.front()->consumed_bytes(), bytes_);
        last_plain_ = parts_.front()->plain_bytes();
      }
      parts_.pop_back();
      if (parts_.empty()) return;
      const bool has_ended = ended_.back();
      if (auto next = parts_.back()->take_nested()) {
        parts_.push_back(std::move(next));
        return;
      }
      ended_.pop_back();
      if (!has_ended) return;
    }
  }

  EntryOptions options_;
  Collector collector_;
  std::vector<std::unique_ptr<Part>> parts_;  // the outermost first
  std::vector<bool> ended_;                   // of all but the innermost: whether it was read to its end
  std::uint64_t bytes_ = 0;                   // of a container
  std::uint64_t last_consumed_ = 0;
  std::uint64_t last_plain_ = 0;
};

}  // namespace

std::unique_ptr<EntryStream> open_entries(base::File& file, const EntryOptions& options) {
  return std::make_unique<Entries>(file, options);
}

}  // namespace shardmill::source
