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

/// A file that is too large for memory, on its way into the scratch space.
class LargeFile {
 public:
  /// Throws Error and FatalError as ScratchSpace does.
  /// `bytes`: as many as are promised.
  explicit LargeFile(std::shared_ptr<ScratchSpace> space, std::uint64_t bytes = 0)
      : space_(std::move(space)), file_(space_->file()) {
    space_->take(bytes);
    taken_ = bytes;
  }
  LargeFile(LargeFile&& other) noexcept
      : space_(std::move(other.space_)),
        file_(std::move(other.file_)),
        bytes_(std::exchange(other.bytes_, 0)),
        taken_(std::exchange(other.taken_, 0)) {}
  LargeFile& operator=(LargeFile&&) = delete;
  LargeFile(const LargeFile&) = delete;
  LargeFile& operator=(const LargeFile&) = delete;
  ~LargeFile() {
    if (space_) space_->give_back(taken_);
  }

  void add(std::span<const std::byte> bytes) {
    // Asking costs a system call.
    constexpr std::uint64_t kStepBytes = std::uint64_t{64} << 20;
    if (bytes_ + bytes.size() > taken_) {
      const std::uint64_t more = std::max<std::uint64_t>(kStepBytes, bytes.size());
      space_->take(more);
      taken_ += more;
    }
    file_.write_at(bytes, bytes_);
    bytes_ += bytes.size();
  }

  /// The file, and how many bytes of the space it goes on taking.
  std::pair<base::File, std::uint64_t> end() && { return {std::move(file_), std::exchange(taken_, 0)}; }

 private:
  std::shared_ptr<ScratchSpace> space_;
  base::File file_;
  std::uint64_t bytes_ = 0;
  std::uint64_t taken_ = 0;
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
  void take(const Nest& nest, Collector& collector, const std::string& name, LargeFile&& large) {
    const std::string path = nest.folder + plain_path(name);
    auto [file, bytes] = std::move(large).end();
    auto shared = collector.options().scratch->share(std::move(file), bytes);
    if (!has_archive_name(path) || collector.wants(path)) {
      collector.found.emplace_back(
          ArchiveEntry{.path = path, .place = inside(nest, name), .file = std::move(shared)});
      return;
    }
    shared->seek(0);
    base::File again = shared->duplicate();
    held_.push_back(std::move(shared));
    open_nested(nest, collector, path, name, std::move(again));
  }

  /// A link of this archive.
  void take_link(const Nest& nest, Collector& collector, const std::string& name) {
    const std::string path = nest.folder + plain_path(name);
    if (!collector.options().has_links || leads_out(name) || is_hidden(plain_path(name))) return;
    collector.found.emplace_back(ArchiveEntry{.path = path, .place = inside(nest, name), .is_link = true});
  }

  static bool is_audible(const Nest& nest, const Collector& collector, const std::string& name) {
    const std::string path = nest.folder + plain_path(name);
    return !is_hidden(plain_path(name)) && (has_archive_name(path) || collector.wants(path));
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
  std::vector<std::shared_ptr<base::File>> held_;  // large archives in this one, until it is read
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
      feed_step();
    } catch (const Error& error) {
      bytes_ = {};
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
  /// Steps end at the same places of the plain tar, however a piece hands out its bytes: what is found in one
  /// step decides in which order files and archives come, and a run that goes on counts on it.
  void feed_step() {
    constexpr std::uint64_t kStepBytes = std::uint64_t{256} << 10;
    const std::uint64_t end = (parser_.offset() / kStepBytes + 1) * kStepBytes;
    while (parser_.offset() < end) {
      if (bytes_.empty()) bytes_ = piece_->read();
      if (bytes_.empty()) {
        consumed_ += piece_->compressed_bytes();
        piece_.reset();
        return;
      }
      const auto some = bytes_.first(
          static_cast<std::size_t>(std::min<std::uint64_t>(bytes_.size(), end - parser_.offset())));
      bytes_ = bytes_.subspan(some.size());
      parser_.feed(some);
    }
  }

  void on_member(archive::TarMember&& member) override {
    take(nest_, collector_, member.name, std::move(member.bytes));
  }

  bool takes_parts(const archive::TarMember& member, std::uint64_t size) override {
    if (size <= collector_.options().limit_bytes) return false;
    constexpr std::uint64_t kMostBytes = std::uint64_t{16} << 30;  // of anything that is no attack
    const auto& scratch = collector_.options().scratch;
    if (!scratch || size > kMostBytes || leads_out(member.name) ||
        !is_audible(nest_, collector_, member.name))
      return false;
    large_name_ = member.name;
    start_large(size);
    return true;
  }

  /// Where there is no room for it, its parts are dropped.
  void start_large(std::uint64_t size) {
    try {
      large_.emplace(collector_.options().scratch, size);
    } catch (const Error& error) {
      collector_.found.emplace_back(Error(error.problem(), at(inside(nest_, large_name_)), error.advice()));
    }
  }

  void on_part(std::span<const std::byte> bytes) override {
    if (large_) large_->add(bytes);
  }

  void on_parts_end(bool is_whole) override {
    if (is_whole && large_) take(nest_, collector_, large_name_, std::move(*large_));
    large_.reset();
  }

  void on_finding(ShardFinding&& finding) override {
    if (finding.problem == ShardProblem::link) return take_link(nest_, collector_, finding.name);
    const bool is_large = finding.problem == ShardProblem::oversized_member;
    if (is_large && !is_audible(nest_, collector_, finding.name)) return;
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

  base::File file_;
  Nest nest_;
  Collector& collector_;
  PiecesAhead pieces_;
  archive::TarParser parser_;
  std::unique_ptr<codec::Piece> piece_;
  std::span<const std::byte> bytes_;  // of the piece, still to be fed
  std::uint64_t consumed_ = 0;
  bool is_damaged_ = false;
  std::optional<LargeFile> large_;  // the one that comes in parts; none also where it is refused
  std::string large_name_;
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
      if (entry->is_link) take_link(nest_, collector_, entry->path);
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
    const std::uint64_t limit = collector_.options().limit_bytes;
    const auto& scratch = collector_.options().scratch;
    Bytes bytes;
    std::optional<LargeFile> large;
    try {
      container_.read([&](std::span<const std::byte> part) {
        plain_ += part.size();
        if (!large && bytes.size() + part.size() <= limit) {
          bytes.insert(bytes.end(), part.begin(), part.end());
          return;
        }
        if (!scratch || leads_out(name) || !is_audible(nest_, collector_, name))
          throw Error(fmt::format("unpacks to more than {} bytes", limit));
        if (!large) {
          large.emplace(scratch);
          large->add(bytes);
          bytes = {};
        }
        large->add(part);
      });
    } catch (const Error& error) {
      collector_.found.emplace_back(Error(error.problem(), at(place), error.advice(), error.remedy()));
      return;
    }
    if (large) return take(nest_, collector_, name, std::move(*large));
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
