#include <algorithm>
#include <array>
#include <exception>
#include <optional>
#include <utility>

#include "base/io/binary_fields.hpp"
#include "codec/formats.hpp"
#include "codec/gzip/chain.hpp"
#include "codec/gzip/header.hpp"
#include "codec/streams.hpp"

namespace shardmill::codec {

namespace {

constexpr std::size_t kSpanBytes = std::size_t{1} << 20;
// A member of at most this size is delivered only after its checksum was checked. The blocks of bgzip are not
// larger.
constexpr std::uint64_t kWithheldBytes = std::uint64_t{64} << 10;

/// The account of the members that were read, in order. One thread at a time.
class Account {
 public:
  Account() = default;
  explicit Account(base::BinaryReader& in)
      : crc_(static_cast<std::uint32_t>(in.number())),
        bytes_(in.number()),
        streams_(in.number()),
        good_end_(in.number()) {}
  void save(base::BinaryWriter& out) const {
    out.put(crc_);
    out.put(bytes_);
    out.put(streams_);
    out.put(good_end_);
  }

  /// Takes a fill into the account. If a member in it does not match its trailer, returns that damage, with
  /// the number of bytes up to there.
  struct Wrong {
    std::uint64_t bytes;
    GzipDamage damage;
  };
  std::optional<Wrong> pass(const GzipFill& fill) {
    add(fill.first_crc, fill.first.size());
    std::uint64_t bytes = fill.first.size();
    for (const GzipStretch& stretch : fill.output.stretches) {
      if (stretch.begins_member) ++streams_;
      add(stretch.crc, stretch.bytes);
      bytes += stretch.bytes;
      if (!stretch.ends_member) continue;
      if (stretch.stored_crc != crc_) {
        return Wrong{
            bytes,
            {.problem = "damaged gzip data: incorrect data check", .offset = stretch.trailer_offset + 4}};
      }
      if (stretch.has_size && stretch.stored_size != static_cast<std::uint32_t>(bytes_)) {
        return Wrong{
            bytes,
            {.problem = "damaged gzip data: incorrect length check", .offset = stretch.trailer_offset + 8}};
      }
      good_end_ = stretch.trailer_offset + kGzipTrailerBytes;
      crc_ = 0;
      bytes_ = 0;
    }
    return std::nullopt;
  }

  std::uint64_t streams() const noexcept { return streams_; }
  /// The plain bytes of the current member, or of the wrong one.
  std::uint64_t member_bytes() const noexcept { return bytes_; }
  /// The end of the last good member; 0 if there was none.
  std::uint64_t good_end() const noexcept { return good_end_; }

 private:
  void add(std::uint32_t crc, std::uint64_t bytes) {
    if (bytes == 0) return;
    crc_ = joined_gzip_crc(crc_, crc, bytes);
    bytes_ += bytes;
  }

  std::uint32_t crc_ = 0;  // of the member so far
  std::uint64_t bytes_ = 0;
  std::uint64_t streams_ = 0;
  std::uint64_t good_end_ = 0;
};

/// The state that the pieces of a file share.
struct Shared {
  Shared(const Input& input, TrailingSink sink, const GzipSizes& sizes)
      : file(input.file()), path(input.path()), on_trailing(std::move(sink)), chain(sizes) {}
  Shared(const Input& input, TrailingSink sink, const GzipSizes& sizes, base::BinaryReader& in,
         std::uint64_t index)
      : file(input.file()),
        path(input.path()),
        on_trailing(std::move(sink)),
        account(in),
        chain(in, index, sizes) {
    const auto bytes = in.bytes();
    withheld.assign(bytes.begin(), bytes.end());
  }

  bool can_be_read_again() const { return file.is_regular(); }

  const base::File& file;
  const std::string path;
  const TrailingSink on_trailing;
  bool failed = false;  // the last piece delivers the members that are still whole; nothing else is delivered
  Account account;
  GzipChain chain;
  std::vector<std::byte> withheld;  // the bytes so far of a member that may turn out to be small
};

class GzipPiece final : public Piece {
 public:
  GzipPiece(std::shared_ptr<Shared> shared, std::unique_ptr<GzipSlice> slice)
      : shared_(std::move(shared)),
        slot_(std::make_shared<GzipSlot>(std::move(slice))),
        index_(slot_->index()),
        is_last_(slot_->is_last()),
        compressed_bytes_(slot_->own_bytes()) {}

  void prepare() noexcept override {
    try {
      shared_->chain.prepare(slot_);
    } catch (...) {  // out of memory: read() will do the work
    }
  }

  std::span<const std::byte> read() override {
    if (salvage_) return salvage_->read();
    while (slot_ && !shared_->failed) {
      if (fill_) {
        if (const auto bytes = take_bytes(); !bytes.empty()) return bytes;
        end_fill();
      } else if ((fill_ = slot_->take())) {
        begin_fill();
      } else if (slot_->is_complete()) {
        slot_.reset();
        const std::uint64_t bytes = shared_->account.member_bytes();
        unchecked_bytes_ = bytes <= kWithheldBytes ? 0 : bytes;
      } else {
        shared_->chain.refill(*slot_);
      }
    }
    slot_.reset();
    fill_.reset();
    if (!shared_->failed || !goes_on_after_damage()) return {};
    unchecked_bytes_ = 0;  // after damage, only whole members are delivered
    salvage_ = std::make_unique<GzipSalvage>(shared_->file, shared_->account.good_end() + 1);
    return salvage_->read();
  }

  bool goes_on_after_damage() const override { return is_last_ && !salvage_ && shared_->can_be_read_again(); }

  RestartPoint restart_point() const override {
    if (!shared_->can_be_read_again()) return {};
    base::BinaryWriter out;
    out.put(index_);
    out.put(shared_->failed ? 1 : 0);
    shared_->account.save(out);
    if (shared_->failed) return out.take();
    RestartPoint point = out.take();
    const std::vector<std::byte> start = shared_->chain.start(*slot_);
    point.insert(point.end(), start.begin(), start.end());
    base::BinaryWriter withheld;
    withheld.put(std::span<const std::byte>(shared_->withheld));
    point.insert(point.end(), withheld.bytes().begin(), withheld.bytes().end());
    return point;
  }

  std::uint64_t compressed_bytes() const override { return compressed_bytes_; }
  std::size_t memory_bytes() const override { return sizeof(GzipSlice::Buffer) + sizeof(GzipBuffer); }
  std::uint64_t unchecked_bytes() const override { return unchecked_bytes_; }

 private:
  void begin_fill() {
    fill_->resolve();
    parts_ = {std::span<const std::byte>(), std::as_bytes(fill_->first), std::as_bytes(fill_->second)};
    damage_ = fill_->output.damage;
    const auto wrong = shared_->account.pass(*fill_);
    if (wrong) {
      cut_parts(wrong->bytes);
      damage_ = wrong->damage;
    }
    withhold(!wrong);
  }

  /// Keeps `bytes` bytes of the fill for delivery; returns the others.
  std::vector<std::byte> cut_parts(std::uint64_t bytes) {
    std::vector<std::byte> rest;
    for (auto& part : parts_) {
      const auto kept = static_cast<std::size_t>(std::min<std::uint64_t>(part.size(), bytes));
      rest.insert(rest.end(), part.begin() + static_cast<std::ptrdiff_t>(kept), part.end());
      part = part.first(kept);
      bytes -= kept;
    }
    return rest;
  }

  /// Keeps the bytes of a small member back until its checksum was checked, and drops them if it is damaged.
  /// `checksums_fit`: the checksums in this fill.
  void withhold(bool checksums_fit) {
    const std::uint64_t bytes = parts_[1].size() + parts_[2].size();
    const std::uint64_t open_bytes = shared_->account.member_bytes();  // of the last member, so far
    const bool began_before = open_bytes > bytes;
    // If the file only ends too early, the bytes before are not in doubt.
    const bool is_cut = damage_ && checksums_fit && damage_->problem.starts_with("truncated");
    const bool is_small = open_bytes <= kWithheldBytes && !is_cut;
    doubtful_bytes_ = is_small ? 0 : open_bytes;
    released_.clear();
    if (!began_before || !is_small) released_.swap(shared_->withheld);
    parts_[0] = released_;
    if (!is_small) return;
    const auto held = cut_parts(parts_[0].size() + bytes - std::min(open_bytes, bytes));
    if (damage_) return shared_->withheld.clear();
    shared_->withheld.insert(shared_->withheld.end(), held.begin(), held.end());
  }

  std::span<const std::byte> take_bytes() {
    for (auto& part : parts_) {
      if (part.empty()) continue;
      const auto bytes = part.first(std::min(part.size(), kSpanBytes));
      part = part.subspan(bytes.size());
      return bytes;
    }
    return {};
  }

  void end_fill() {
    const auto fill = std::exchange(fill_, nullptr);
    if (fill->failure) fail(fill->failure);
    if (damage_) {
      unchecked_bytes_ = doubtful_bytes(damage_->problem, doubtful_bytes_);
      fail(std::make_exception_ptr(Error(with_doubt(damage_->problem, doubtful_bytes_),
                                         {.path = shared_->path, .offset = damage_->offset},
                                         damage_->advice)));
    }
    const auto& garbage_offset = fill->output.garbage_offset;
    if (!garbage_offset) return;
    if (!shared_->on_trailing) {
      fail(std::make_exception_ptr(trailing_damage(shared_->path, *garbage_offset)));
    }
    shared_->on_trailing(trailing_ignored(shared_->path, *garbage_offset));
  }

  [[noreturn]] void fail(const std::exception_ptr& failure) {
    shared_->failed = true;
    slot_.reset();
    std::rethrow_exception(failure);
  }

  std::shared_ptr<Shared> shared_;
  std::shared_ptr<GzipSlot> slot_;  // null when read to its end
  std::uint64_t index_;
  bool is_last_;
  std::uint64_t compressed_bytes_;
  std::shared_ptr<GzipFill> fill_;
  std::vector<std::byte> released_;  // kept back before, and checked
  std::array<std::span<const std::byte>, 3>
      parts_;                         // to be delivered: from the released bytes, and from the fill
  std::uint64_t doubtful_bytes_ = 0;  // delivered from a damaged member
  std::uint64_t unchecked_bytes_ = 0;
  std::optional<GzipDamage> damage_;
  std::unique_ptr<GzipSalvage> salvage_;  // once there was damage, in the last piece
};

class GzipReader final : public PieceReader {
 public:
  GzipReader(std::shared_ptr<Shared> shared, Input input, std::uint64_t first_index, const GzipSizes& sizes)
      : shared_(std::move(shared)), slices_(std::move(input), first_index, sizes) {}

  std::unique_ptr<Piece> next() override {
    auto slice = slices_.next();
    if (!slice) return nullptr;
    return std::make_unique<GzipPiece>(shared_, std::move(slice));
  }

  std::uint64_t streams() const override { return shared_->account.streams(); }

 private:
  std::shared_ptr<Shared> shared_;
  GzipSlices slices_;
};

}  // namespace

std::unique_ptr<PieceReader> make_gzip_reader(Input input, TrailingSink on_trailing, const RestartPoint& from,
                                              const GzipSizes& sizes) {
  if (from.empty()) {
    auto shared = std::make_shared<Shared>(input, std::move(on_trailing), sizes);
    return std::make_unique<GzipReader>(std::move(shared), std::move(input), 0, sizes);
  }
  base::BinaryReader in(from);  // written by restart_point()
  const std::uint64_t index = in.number();
  const bool failed = in.number() != 0;
  std::shared_ptr<Shared> shared;
  if (failed) {
    shared = std::make_shared<Shared>(input, std::move(on_trailing), sizes);
    shared->account = Account(in);
  } else {
    shared = std::make_shared<Shared>(input, std::move(on_trailing), sizes, in, index);
  }
  shared->failed = failed;
  return std::make_unique<GzipReader>(std::move(shared), std::move(input), index, sizes);
}

}  // namespace shardmill::codec
