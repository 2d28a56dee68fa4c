#include "source/archive_entries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <future>

#include "archive/container.hpp"
#include "archive/tar_header.hpp"
#include "archive/tar_parser.hpp"
#include "archive/tar_walk.hpp"
#include "archive/zip_directory.hpp"
#include "base/io/memory_file.hpp"
#include "codec/codec.hpp"
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

/// Without "./" at the beginning and in the middle.
std::string plain_path(std::string_view name) {
  std::string path;
  while (!name.empty()) {
    const std::size_t end = std::min(name.find('/'), name.size());
    const std::string_view part = name.substr(0, end);
    name.remove_prefix(std::min(end + 1, name.size()));
    if (part.empty() || part == ".") continue;
    if (!path.empty()) path += '/';
    path += part;
  }
  return path;
}

/// True for files whose names, or whose folders' names, begin with a dot: the reader of folders passes them
/// by, too. Macs put such a file beside each of their own into archives ("._a.wav"), some published ones
/// included.
bool is_hidden(std::string_view path) {
  for (; !path.empty(); path.remove_prefix(std::min(path.find('/'), path.size() - 1) + 1)) {
    const std::string_view part = path.substr(0, path.find('/'));
    if (part.starts_with('.') && part != "..") return true;
  }
  return false;
}

bool is_wanted(const EntryOptions& options, const std::string& path) {
  return !is_hidden(path) && (!options.wanted || options.wanted(path));
}

/// True for archives that are to be read in their turn, unless somebody wants them as they are.
bool is_nested(const std::string& path) {
  return has_archive_name(path) && !is_hidden(path);
}

/// True for names that would lead out of the folder where the archive is unpacked.
bool leads_out(std::string_view name) {
  return name.starts_with('/') || name == ".." || name.starts_with("../") || name.ends_with("/..") ||
         name.find("/../") != std::string_view::npos;
}

Error leads_out_error(const std::string& place) {
  return Error("its name leads out of the folder in which it would be unpacked", at(place),
               "do not unpack this archive; --on-error skip reads the rest of it");
}

std::string inside(const Nest& nest, std::string_view name) {
  return fmt::format("{}!{}", nest.place, printable(name));
}

Nest nested(const Nest& nest, const std::string& path, std::string_view name) {
  return {
      .folder = path.substr(0, path.rfind('/') + 1), .place = inside(nest, name), .depth = nest.depth + 1};
}

codec::Codec codec_of(const base::File& file) {
  std::array<std::byte, codec::kDetectBytes> first{};
  return codec::detect(std::span(first).first(file.read_at(first, 0)));
}

/// What the parts of the stream share.
class Collector {
 public:
  Collector(const EntryOptions& options) : options_(options) {}

  bool wants(const std::string& path) const { return is_wanted(options_, path); }
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
  /// A file of this archive.
  void take(const Nest& nest, Collector& collector, const std::string& name, Bytes&& bytes) {
    if (leads_out(name)) return void(collector.found.emplace_back(leads_out_error(inside(nest, name))));
    const std::string path = nest.folder + plain_path(name);
    if (is_nested(path) && !collector.wants(path)) return open_nested(nest, collector, path, name, bytes);
    if (!collector.wants(path)) return;
    collector.found.emplace_back(
        ArchiveEntry{.path = path, .place = inside(nest, name), .bytes = std::move(bytes)});
  }

 private:
  void open_nested(const Nest& nest, Collector& collector, const std::string& path, const std::string& name,
                   const Bytes& bytes) {
    const std::string place = inside(nest, name);
    if (nest.depth + 1 >= kDeepest) {
      collector.found.emplace_back(Error(
          fmt::format("is an archive in an archive, {} deep, and not read", nest.depth + 1), at(place)));
      return;
    }
    try {
      nested_.push_back(open_part(base::memory_file(bytes, place), nested(nest, path, name), collector));
    } catch (const Error& error) {
      collector.found.emplace_back(error.within(at(place)));
    }
  }

  std::deque<std::unique_ptr<Part>> nested_;
};

/// The pieces of a file in their order. Those that do not depend on each other, as the blocks of bzip2, are
/// decoded ahead, several at once.
class PiecesAhead {
 public:
  explicit PiecesAhead(base::File& file)
      : pieces_(codec::open(file)), most_(codec_of(file) == codec::Codec::bzip2 ? kMostAhead : 1) {}

  /// Prepared; null at the end of the file.
  std::unique_ptr<codec::Piece> next() {
    while (ahead_.size() < most_) {
      Ahead next{.piece = pieces_->next(), .done = {}};
      if (!next.piece) break;
      if (most_ > 1) {
        next.done = std::async(std::launch::async, [piece = next.piece.get()] { piece->prepare(); });
      } else {
        next.piece->prepare();
      }
      ahead_.push_back(std::move(next));
    }
    if (ahead_.empty()) return nullptr;
    Ahead first = std::move(ahead_.front());
    ahead_.pop_front();
    if (first.done.valid()) first.done.wait();
    return std::move(first.piece);
  }

 private:
  static constexpr std::size_t kMostAhead = 8;

  /// `done` goes first: it waits for the thread that works on the piece.
  struct Ahead {
    std::unique_ptr<codec::Piece> piece;
    std::future<void> done;
  };

  std::unique_ptr<codec::PieceReader> pieces_;
  std::size_t most_;
  std::deque<Ahead> ahead_;
};

class TarPart final : public Part, private archive::TarSink {
 public:
  TarPart(base::File&& file, Nest nest, Collector& collector)
      : file_(std::move(file)),
        nest_(std::move(nest)),
        collector_(collector),
        pieces_(file_),
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
      collector_.found.emplace_back(Error(error.problem(), std::move(where), error.advice()));
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

  void on_finding(ShardFinding&& finding) override {
    const bool is_large = finding.problem == ShardProblem::oversized_member;
    if (is_large && !is_audible(finding.name)) return;
    const bool is_sparse = finding.problem == ShardProblem::sparse_file;
    if (!is_damage(finding.problem) && !is_large && !is_sparse) return;
    // What follows from damage that was told needs no words of its own.
    const bool follows = finding.problem == ShardProblem::gap || finding.problem == ShardProblem::resumed;
    if (follows || (is_damaged_ && finding.problem == ShardProblem::truncated)) return;
    is_damaged_ = is_damaged_ || is_damage(finding.problem);
    collector_.found.emplace_back(
        Error(finding.text, {.path = finding.name.empty() ? nest_.place : inside(nest_, finding.name),
                             .offset = finding.offset}));
  }

  bool is_audible(const std::string& name) const {
    const std::string path = nest_.folder + plain_path(name);
    return is_nested(path) || collector_.wants(path);
  }

  base::File file_;
  Nest nest_;
  Collector& collector_;
  PiecesAhead pieces_;
  archive::TarParser parser_;
  std::unique_ptr<codec::Piece> piece_;
  std::uint64_t consumed_ = 0;
  bool is_damaged_ = false;
};

Error encrypted_error(const std::string& place) {
  return Error("is encrypted: unpack the archive with its password, and give the folder", at(place));
}

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
      if (!entry->is_file || !(is_nested(path) || collector_.wants(path))) return true;
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
      collector_.found.emplace_back(Error(error.problem(), at(place), error.advice()));
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

/// Takes the names of a tar and none of its bytes: whatever has any is larger than its bound of 0.
class NameSink final : public archive::TarSink {
 public:
  explicit NameSink(std::vector<std::string>& names) : names_(names) {}
  void on_member(archive::TarMember&& member) override { names_.push_back(plain_path(member.name)); }
  void on_finding(ShardFinding&& finding) override {
    if (finding.problem == ShardProblem::oversized_member) names_.push_back(plain_path(finding.name));
    is_tar_ = is_tar_ && finding.problem != ShardProblem::not_a_tar;
  }
  bool is_tar() const noexcept { return is_tar_; }

 private:
  std::vector<std::string>& names_;
  bool is_tar_ = true;
};

std::vector<std::string> first_tar_names(base::File& file,
                                         const std::function<bool(const std::string&)>& enough) {
  constexpr std::uint64_t kPlainBytesEnough = std::uint64_t{256} << 20;
  constexpr std::size_t kNamesEnough = 4096;
  std::vector<std::string> names;
  NameSink sink(names);
  archive::TarParser parser(sink, 0);
  std::size_t asked = 0;
  const auto has_enough = [&] {
    while (asked < names.size()) {
      if (enough(names[asked++])) return true;
    }
    return names.size() >= kNamesEnough || parser.offset() >= kPlainBytesEnough || !sink.is_tar();
  };
  try {
    const auto reader = codec::open(file);
    while (const auto piece = reader->next()) {
      piece->prepare();
      for (auto bytes = piece->read(); !bytes.empty(); bytes = piece->read()) {
        parser.feed(bytes);
        if (has_enough()) return names;
      }
    }
  } catch (const Error&) {
    // Damage is reported when it is read in earnest.
  }
  return names;
}

std::vector<std::string> names_in_container(base::File& file,
                                            const std::function<bool(const std::string&)>& enough) {
  constexpr std::size_t kNamesEnough = 4096;
  std::vector<std::string> names;
  try {
    archive::Container container(fmt::format("/proc/self/fd/{}", file.descriptor()));
    while (const auto entry = container.next()) {
      if (!entry->is_file) continue;
      names.push_back(plain_path(entry->path));
      if (enough(names.back()) || names.size() >= kNamesEnough) break;
    }
  } catch (const Error&) {
    // Reported when it is read in earnest.
  }
  return names;
}

}  // namespace

std::unique_ptr<EntryStream> open_entries(base::File& file, const EntryOptions& options) {
  return std::make_unique<Entries>(file, options);
}

bool is_container(const base::File& file) {
  std::array<std::byte, archive::kContainerMagicBytes> first{};
  return !archive::container_format(std::span(first).first(file.read_at(first, 0))).empty();
}

bool is_container(const std::string& path) {
  return is_container(base::File::open_read(path));
}

std::vector<std::string> first_names(const std::string& path,
                                     const std::function<bool(const std::string& name)>& enough) {
  base::File file = base::File::open_read(path);
  return is_container(file) ? names_in_container(file, enough) : first_tar_names(file, enough);
}

namespace {

bool read_zip_ahead(base::File& file, const EntryOptions& options,
                    const std::function<void(ArchiveEntry&& entry)>& use) {
  for (const archive::ZipEntry& entry : archive::read_zip_directory(file)) {
    if (!entry.is_encrypted) continue;
    const Error error = encrypted_error(fmt::format("{}!{}", file.path(), printable(entry.path)));
    throw Error(fmt::format("{}: {}", error.where().path, error.problem()), at(file.path()), error.advice());
  }
  archive::Container container(fmt::format("/proc/self/fd/{}", file.descriptor()));
  while (const auto entry = container.next()) {
    const std::string path = plain_path(entry->path);
    if (!entry->is_file || leads_out(entry->path) || !is_wanted(options, path)) continue;
    use({.path = path,
         .place = fmt::format("{}!{}", file.path(), printable(entry->path)),
         .bytes = container.read(options.limit_bytes)});
  }
  return true;
}

bool read_tar_ahead(base::File& file, const EntryOptions& options,
                    const std::function<void(ArchiveEntry&& entry)>& use) {
  archive::TarWalk walk;
  try {
    walk = archive::walk_tar(file);
  } catch (const Error&) {
    return false;  // Damage is reported when it is read in earnest.
  }
  // What an archive in it holds is known later only.
  for (const auto& each : walk.files) {
    if (is_nested(plain_path(each.name))) return false;
  }
  for (const auto& each : walk.files) {
    const std::string path = plain_path(each.name);
    if (leads_out(each.name) || !is_wanted(options, path) || each.bytes > options.limit_bytes) continue;
    Bytes bytes(each.bytes);
    if (file.read_at(bytes, each.offset) != bytes.size()) return false;
    use({.path = path,
         .place = fmt::format("{}!{}", file.path(), printable(each.name)),
         .bytes = std::move(bytes)});
  }
  return true;
}

}  // namespace

bool read_ahead(base::File& file, const EntryOptions& options,
                const std::function<void(ArchiveEntry&& entry)>& use) {
  std::array<std::byte, archive::kContainerMagicBytes> first{};
  const auto format = archive::container_format(std::span(first).first(file.read_at(first, 0)));
  if (format == "zip") return read_zip_ahead(file, options, use);
  if (!format.empty() || codec_of(file) != codec::Codec::none) return false;
  return read_tar_ahead(file, options, use);
}

}  // namespace shardmill::source
