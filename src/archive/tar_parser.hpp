// TarParser: takes the bytes of a tar in pieces of any size, and passes on its regular files, each as a
// whole.
// walk_tar: finds the files of a plain tar by reading only the headers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "archive/tar_header.hpp"
#include "base/io/file.hpp"
#include "model/finding.hpp"
#include "shardmill/sample.hpp"

namespace shardmill::archive {

/// A regular file. Offsets count from the start of the plain tar; after damage see TarParser::gap().
struct TarMember {
  std::string name;                 // exactly as in the tar
  std::uint64_t header_offset = 0;  // of its first header, which may be a long-name header
  std::uint64_t tar_offset = 0;     // of its bytes
  Bytes bytes;
};

/// Called in the order of the tar, from within feed(), gap() and finish(). It may throw, but then the parser
/// cannot be used any more.
class TarSink {
 public:
  TarSink() = default;
  TarSink(const TarSink&) = delete;
  TarSink& operator=(const TarSink&) = delete;
  virtual ~TarSink() = default;

  virtual void on_member(TarMember&& member) = 0;
  virtual void on_finding(ShardFinding&& finding) = 0;

  /// Called after the header of every member that is not empty; `member` has no bytes yet. Returns true to
  /// get its bytes by on_part() and then on_parts_end(), even beyond the parser's limit; false to get it as a
  /// whole by on_member().
  virtual bool takes_parts(const TarMember& member, std::uint64_t size) {
    (void)member;
    (void)size;
    return false;
  }
  virtual void on_part(std::span<const std::byte> bytes) { (void)bytes; }
  /// `is_whole`: false if the tar ends or has a gap in the member.
  virtual void on_parts_end(bool is_whole) { (void)is_whole; }
};

/// Reads ustar, pax, GNU and old v7 tars. Damage becomes a finding, never an exception, and reading continues
/// at the next good header. It holds one member in memory, which grows only as bytes arrive, whatever size
/// the header claims, and at most 1 MiB of pax header. One thread at a time.
///
/// The archive ends at its first two zero blocks, as for GNU tar, bsdtar and Python's tarfile. If other bytes
/// than zeros follow, as after `cat a.tar b.tar`, a finding gives their number.
class TarParser {
 public:
  /// Members of more than `member_limit_bytes` are left out, with a finding, unless the sink takes them in
  /// parts. `start_offset` is the offset of the first byte that will be fed. To continue after an earlier
  /// parser, begin at a `header_offset`. (The path or size of a global pax header before that place is then
  /// unknown.)
  TarParser(TarSink& sink, std::uint64_t member_limit_bytes, std::uint64_t start_offset = 0);

  void feed(std::span<const std::byte> bytes);

  /// The number of next bytes that need not be fed: of a member that the sink takes in parts or that is left
  /// out, or of the padding after one.
  std::uint64_t skippable() const noexcept {
    return state_ == State::skip || state_ == State::padding ? left_ : 0;
  }
  /// Skips `bytes` bytes of input. `bytes` must not exceed skippable(). The sink does not get them.
  void skip(std::uint64_t bytes);

  /// Reports a gap of unknown length before the bytes that will be fed next. The current member is dropped,
  /// with a finding, and reading continues at the next good header, at any offset. From then on offsets count
  /// the fed bytes, as if the gap had no length: they are the same in every run, but are no longer places in
  /// the original tar. Old v7 headers are not found after a gap.
  void gap();

  /// Call this after the last byte.
  void finish();

  /// The offset of the next byte to be fed.
  std::uint64_t offset() const noexcept { return offset_; }

  /// True if a global pax header has set the path, size or form of all later members. Another parser that
  /// begins here would not know it.
  bool has_global_attributes() const noexcept { return global_.path || global_.size || global_.sparse; }

 private:
  enum class State {
    header,      // expects a header or a zero block
    member,      // bytes of a regular file
    extension,   // data of a pax or long-name header
    sparse_map,  // blocks that continue the header of a GNU sparse file
    skip,        // data of a member that is left out
    padding,
    search,  // looking for a good header
    ended,
  };

  std::size_t take(std::span<const std::byte> bytes);
  std::size_t take_block(std::span<const std::byte> bytes);
  std::size_t take_member(std::span<const std::byte> bytes);
  std::size_t take_extension(std::span<const std::byte> bytes);
  std::size_t take_skipped(std::span<const std::byte> bytes);
  std::size_t take_searched(std::span<const std::byte> bytes);
  std::size_t take_after_end(std::span<const std::byte> bytes);

  void on_block(TarBlock block);
  void on_header(TarHeader header);
  void on_zero_block();
  void on_bad_block(TarBlock block, std::string_view why);
  void begin_extension(const TarHeader& header);
  void begin_regular(std::uint64_t size);
  void refuse(ShardProblem problem, std::string text, std::uint64_t bytes_to_skip);
  void end_member();
  void end_extension();
  void end_chain();
  void end_parts(bool is_whole);
  void search_from(std::span<const std::byte> kept);
  std::optional<std::size_t> boundary_from(std::uint64_t offset) const;
  void resume(std::uint64_t found_offset);
  void report(ShardProblem problem, std::uint64_t offset, std::uint64_t bytes, std::string text);
  void report_cut_end();
  bool in_chain() const { return chain_length_ > 0; }

  TarSink& sink_;
  std::uint64_t member_limit_bytes_;
  std::uint64_t offset_;  // bytes consumed so far
  State state_ = State::header;

  // All headers that belong to one member.
  std::uint64_t chain_offset_ = 0;  // of the first one
  unsigned chain_length_ = 0;       // pax and long-name headers so far, and the header of the current member
  TarAttributes attributes_;
  std::string_view distrust_;  // why these headers cannot be trusted; empty if they are good
  TarAttributes global_;

  std::array<std::byte, kTarBlockBytes> block_{};
  std::size_t block_fill_ = 0;

  TarMember member_;
  std::uint64_t size_ = 0;  // of the current member or extension
  std::uint64_t left_ = 0;  // its bytes that were not fed yet, or are still to be skipped
  bool in_parts_ = false;   // the sink gets the skipped bytes
  char extension_type_ = 0;
  Bytes extension_;

  bool seen_header_;
  bool zero_block_seen_ = false;
  bool just_resumed_ = false;

  // The search for a header: the last bytes seen, too few to be one, and where the search began.
  Bytes carry_;
  std::uint64_t search_offset_ = 0;
  std::optional<std::uint64_t> boundary_offset_;  // of any block boundary; unknown after a gap

  TarEnd end_;
};

struct TarWalk {
  /// A regular file.
  struct Place {
    std::string name;                 // exactly as in the tar
    bool is_name_in_header = true;    // the name field of its own header has room for it
    std::uint64_t header_offset = 0;  // of its first header, which may be a long-name header
    std::uint64_t offset = 0;         // of its bytes
    std::uint64_t bytes = 0;
  };

  std::vector<Place> files;
  std::vector<std::string> links;  // hard and symbolic ones, by their names
  std::uint64_t end_offset = 0;    // of the first zero block, or the size of a tar without one
};

/// Skips the bytes of the members, so it reads little more than a block for each member. Folders are
/// left out. Throws Error, with the offset, for a damaged tar and for sparse files. Thread-safe.
TarWalk walk_tar(const base::File& tar);

}  // namespace shardmill::archive
