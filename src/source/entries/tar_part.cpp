#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "archive/tar_parser.hpp"
#include "base/io/volumes.hpp"
#include "source/entries/part.hpp"
#include "source/pieces_ahead.hpp"

namespace shardmill::source {

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
