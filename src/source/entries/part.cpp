#include "source/entries/part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "archive/tar_parser.hpp"
#include "base/io/file.hpp"
#include "base/io/volumes.hpp"
#include "source/archive_entries.hpp"
#include "source/folders/file_search.hpp"
#include "source/pieces_ahead.hpp"

namespace shardmill::source {

namespace {

constexpr int kDeepest = 3;  // an archive in an archive in an archive

Nest nested(const Nest& nest, const std::string& path, std::string_view name) {
  return {
      .folder = path.substr(0, path.rfind('/') + 1), .place = inside(nest, name), .depth = nest.depth + 1};
}

}  // namespace

LargeFile::LargeFile(std::shared_ptr<ScratchSpace> space, std::uint64_t promised_bytes)
    : space_(std::move(space)), file_(space_->file()) {
  space_->take(promised_bytes);
  taken_ = promised_bytes;
}

LargeFile::LargeFile(LargeFile&& other) noexcept
    : space_(std::move(other.space_)),
      file_(std::move(other.file_)),
      bytes_(std::exchange(other.bytes_, 0)),
      taken_(std::exchange(other.taken_, 0)) {}

LargeFile::~LargeFile() {
  if (space_) space_->give_back(taken_);
}

void LargeFile::add(std::span<const std::byte> bytes) {
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

std::pair<base::File, std::uint64_t> LargeFile::end() && {
  return {std::move(file_), std::exchange(taken_, 0)};
}

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

bool leads_out(std::string_view name) {
  return name.starts_with('/') || name == ".." || name.starts_with("../") || name.ends_with("/..") ||
         name.find("/../") != std::string_view::npos;
}

Error leads_out_error(const std::string& place) {
  return Error("its name leads out of the folder in which it would be unpacked", at(place),
               "do not unpack this archive", Remedy::skip_bad_samples);
}

bool is_hidden(std::string_view path) {
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    if (part.starts_with('.') && part != "." && part != "..") return true;
  }
  return false;
}

Error encrypted_error(const std::string& place) {
  return Error("is encrypted: unpack the archive with its password, and give the folder", at(place));
}

std::string inside(const Nest& nest, std::string_view name) {
  return fmt::format("{}!{}", nest.place, printable(name));
}

std::string Part::path_of(const std::string& name) const {
  return nest_.folder + plain_path(name);
}

std::unique_ptr<Part> Part::take_nested() {
  if (nested_.empty()) return nullptr;
  std::unique_ptr<Part> first = std::move(nested_.front());
  nested_.pop_front();
  return first;
}

void Part::take(const std::string& name, Bytes&& bytes) {
  if (leads_out(name)) return void(collector_.found.emplace_back(leads_out_error(inside(nest_, name))));
  if (is_hidden(plain_path(name))) return;
  const std::string path = path_of(name);
  if (has_archive_name(path) && !collector_.wants(path))
    return open_nested(path, name, base::memory_file(bytes, inside(nest_, name)));
  if (!collector_.wants(path)) return;
  collector_.found.emplace_back(
      ArchiveEntry{.path = path, .place = inside(nest_, name), .bytes = std::move(bytes)});
}

void Part::take(const std::string& name, LargeFile&& large) {
  const std::string path = path_of(name);
  auto [file, bytes] = std::move(large).end();
  auto shared = collector_.options().scratch->share(std::move(file), bytes);
  if (!has_archive_name(path) || collector_.wants(path)) {
    collector_.found.emplace_back(
        ArchiveEntry{.path = path, .place = inside(nest_, name), .file = std::move(shared)});
    return;
  }
  shared->seek(0);
  base::File again = shared->duplicate();
  held_.push_back(std::move(shared));
  open_nested(path, name, std::move(again));
}

void Part::take_link(const std::string& name) {
  const std::string path = path_of(name);
  if (!collector_.options().has_links || leads_out(name) || is_hidden(plain_path(name))) return;
  collector_.found.emplace_back(ArchiveEntry{.path = path, .place = inside(nest_, name), .is_link = true});
}

bool Part::is_needed(const std::string& name) const {
  const std::string path = path_of(name);
  return !is_hidden(plain_path(name)) && (has_archive_name(path) || collector_.wants(path));
}

void Part::open_nested(const std::string& path, const std::string& name, base::File&& file) {
  const std::string place = inside(nest_, name);
  if (nest_.depth + 1 >= kDeepest) {
    collector_.found.emplace_back(
        Error(fmt::format("is an archive in an archive, {} deep, and not read", nest_.depth + 1), at(place)));
    return;
  }
  try {
    nested_.push_back(open_part(std::move(file), nested(nest_, path, name), collector_));
  } catch (const Error& error) {
    collector_.found.emplace_back(error.within(at(place)));
  }
}

std::unique_ptr<Part> open_part(base::File&& file, Nest nest, Collector& collector) {
  return is_container(file) ? open_container_part(std::move(file), std::move(nest), collector)
                            : open_tar_part(std::move(file), std::move(nest), collector);
}

namespace {

class TarPart final : public Part, private archive::TarSink {
 public:
  TarPart(base::File&& file, Nest nest, Collector& collector)
      : Part(std::move(nest), collector),
        file_(std::move(file)),
        pieces_(file_, collector.options().threads),
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
      const std::string of_volumes =
          nest_.depth == 0 ? base::words_on_last_volume(file_.path()) : std::string();
      where.path = nest_.place;
      collector_.found.emplace_back(
          Error(error.problem() + of_volumes, std::move(where), error.advice(), error.remedy()));
      if (piece_->unchecked_bytes() > 0 && parser_.offset() > confirmed_) ++collector_.doubts;
      parser_.gap();
      is_damaged_ = true;
      consumed_ += piece_->compressed_bytes();
      piece_.reset();
    }
    return true;
  }
  std::uint64_t consumed_bytes() const override { return consumed_; }
  std::uint64_t plain_bytes() const override { return parser_.offset(); }
  std::uint64_t confirmed_bytes() const override { return confirmed_; }

 private:
  /// Steps end at the same places of the plain tar, however a piece hands out its bytes: the steps decide the
  /// order of files and archives, which must be the same in a run that continues.
  void feed_step() {
    constexpr std::uint64_t kStepBytes = std::uint64_t{256} << 10;
    const std::uint64_t end = (parser_.offset() / kStepBytes + 1) * kStepBytes;
    while (parser_.offset() < end) {
      if (bytes_.empty()) bytes_ = piece_->read();
      if (bytes_.empty()) {
        consumed_ += piece_->compressed_bytes();
        if (piece_->unchecked_bytes() == 0) confirmed_ = parser_.offset();
        piece_.reset();
        return;
      }
      const auto some = bytes_.first(
          static_cast<std::size_t>(std::min<std::uint64_t>(bytes_.size(), end - parser_.offset())));
      bytes_ = bytes_.subspan(some.size());
      parser_.feed(some);
    }
  }

  void on_member(archive::TarMember&& member) override { take(member.name, std::move(member.bytes)); }

  bool takes_parts(const archive::TarMember& member, std::uint64_t size) override {
    if (size <= collector_.options().limit_bytes) return false;
    constexpr std::uint64_t kMostBytes = std::uint64_t{16} << 30;  // of anything that is no attack
    const auto& scratch = collector_.options().scratch;
    if (!scratch || size > kMostBytes || leads_out(member.name) || !is_needed(member.name)) return false;
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
    if (is_whole && large_) take(large_name_, std::move(*large_));
    large_.reset();
  }

  void on_finding(ShardFinding&& finding) override {
    if (finding.problem == ShardProblem::link) return take_link(finding.name);
    const bool is_large = finding.problem == ShardProblem::oversized_member;
    if (is_large && !is_needed(finding.name)) return;
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
  PiecesAhead pieces_;
  archive::TarParser parser_;
  std::unique_ptr<codec::Piece> piece_;
  std::span<const std::byte> bytes_;  // of the piece, still to be fed
  std::uint64_t consumed_ = 0;
  std::uint64_t confirmed_ = 0;  // of the plain bytes
  bool is_damaged_ = false;
  std::optional<LargeFile> large_;  // the one that comes in parts; none also where it is refused
  std::string large_name_;
};

}  // namespace

std::unique_ptr<Part> open_tar_part(base::File&& file, Nest nest, Collector& collector) {
  return std::make_unique<TarPart>(std::move(file), std::move(nest), collector);
}

}  // namespace shardmill::source
