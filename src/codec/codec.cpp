#include "codec/codec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "codec/formats.hpp"
#include "codec/gzip/header.hpp"
#include "codec/input.hpp"
#include "codec/streams.hpp"

namespace shardmill::codec {

namespace {

struct Facts {
  Codec codec;
  std::string_view name;
  std::string_view suffix;
  std::optional<LevelRange> levels;  // none if the codec cannot be written
};

constexpr std::array<Facts, kAllCodecs.size()> kFacts{{
    {Codec::none, "none", "", LevelRange{0, 0, 0}},
    {Codec::bzip2, "bzip2", ".bz2", std::nullopt},
    {Codec::gzip, "gzip", ".gz", LevelRange{1, 6, 9}},
    {Codec::xz, "xz", ".xz", std::nullopt},
    {Codec::zstd, "zstd", ".zst", LevelRange{1, 3, 22}},
    {Codec::lz4, "lz4", ".lz4", LevelRange{1, 1, 12}},
}};

const Facts& facts(Codec codec) {
  return *std::ranges::find(kFacts, codec, &Facts::codec);
}

// Enough to see past skippable frames of ordinary size.
constexpr std::size_t kPeekBytes = std::size_t{64} << 10;

constexpr std::array<std::uint8_t, 3> kBzip2Magic{'B', 'Z', 'h'};
constexpr std::size_t kSkippableHeaderBytes = 8;

bool has_magic(std::span<const std::byte> first, std::span<const std::uint8_t> magic) {
  return first.size() >= magic.size() && begins_with(first, magic);
}

std::uint64_t little_endian_32(std::span<const std::byte> bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
  return number;
}

Codec detect_behind_skippable(std::span<const std::byte> first) {
  while (first.size() >= kSkippableHeaderBytes && is_skippable_frame(first)) {
    const std::uint64_t bytes = kSkippableHeaderBytes + little_endian_32(first.subspan(4));
    if (bytes > first.size()) break;
    first = first.subspan(static_cast<std::size_t>(bytes));
  }
  return has_magic(first, kLz4Magic) ? Codec::lz4 : Codec::zstd;
}

/// Throws Error for a file of zeros with the suffix of a codec, such as x.gz. Without this check it would
/// count as an empty tar.
void check_not_overwritten(const std::string& path, std::span<const std::byte> first) {
  constexpr std::size_t kEnoughBytes = 64;
  const auto zero = [](std::byte byte) { return byte == std::byte{0}; };
  if (first.size() < kEnoughBytes || !std::ranges::all_of(first.first(kEnoughBytes), zero)) return;
  const auto named = std::ranges::find_if(
      kFacts, [&](const Facts& codec) { return !codec.suffix.empty() && path.ends_with(codec.suffix); });
  if (named == kFacts.end()) return;
  throw Error(
      fmt::format("starts with zeros, and should be compressed with {}: it was overwritten, as after a power "
                  "failure",
                  named->name),
      {.path = path, .offset = 0}, "copy or make the file again");
}

int checked_level(const EncoderOptions& options) {
  const std::optional<LevelRange> range = levels(options.codec);
  if (!range) {
    throw UsageError(fmt::format("{} is read, but not written", name(options.codec)), {},
                     "choose none, zstd, lz4 or gzip");
  }
  const int level = options.level.value_or(range->standard);
  if (level >= range->lowest && level <= range->highest) return level;
  if (range->lowest == range->highest) {
    throw UsageError(fmt::format("codec {} has no levels", name(options.codec)));
  }
  throw UsageError(fmt::format("level {} is out of range", level), {},
                   fmt::format("{} takes {} to {}", name(options.codec), range->lowest, range->highest));
}

}  // namespace

std::string_view name(Codec codec) {
  return facts(codec).name;
}

std::optional<Codec> codec_by_name(std::string_view name) {
  const auto found = std::ranges::find(kFacts, name, &Facts::name);
  return found == kFacts.end() ? std::nullopt : std::optional(found->codec);
}

std::string_view suffix(Codec codec) {
  return facts(codec).suffix;
}

std::optional<LevelRange> levels(Codec codec) {
  return facts(codec).levels;
}

Codec detect(std::span<const std::byte> first) {
  if (has_magic(first, kBzip2Magic) && first.size() > kBzip2Magic.size()) {
    const auto level = std::to_integer<char>(first[kBzip2Magic.size()]);
    return level >= '1' && level <= '9' ? Codec::bzip2 : Codec::none;
  }
  if (has_magic(first, kGzipMagic)) return Codec::gzip;
  if (has_magic(first, kXzMagic)) return Codec::xz;
  if (has_magic(first, kZstdMagic)) return Codec::zstd;
  if (has_magic(first, kLz4Magic)) return Codec::lz4;
  if (first.size() >= kSkippableHeaderBytes && is_skippable_frame(first))
    return detect_behind_skippable(first);
  return Codec::none;
}

std::unique_ptr<PieceReader> open(base::File& file, TrailingSink on_trailing, const RestartPoint& from) {
  Input input(file);
  switch (detect(input.peek(kPeekBytes))) {
    case Codec::bzip2:
      return make_bzip2_reader(std::move(input), std::move(on_trailing), from);
    case Codec::gzip:
      return make_gzip_reader(std::move(input), std::move(on_trailing), from);
    case Codec::xz:
      return make_xz_reader(std::move(input), std::move(on_trailing), from);
    case Codec::zstd:
      return make_frame_reader(std::move(input), Codec::zstd, make_zstd_decoder, std::move(on_trailing),
                               from);
    case Codec::lz4:
      return make_frame_reader(std::move(input), Codec::lz4, make_lz4_decoder, std::move(on_trailing), from);
    default:
      check_not_overwritten(input.path(), input.peek(kPeekBytes));
      check_other_forms(input.path(), input.peek(kPeekBytes));
      return make_plain_reader(std::move(input), from);
  }
}

std::unique_ptr<Encoder> make_encoder(const EncoderOptions& options, Encoder::Output output) {
  const int level = checked_level(options);
  if (options.seekable && options.codec != Codec::zstd) {
    throw UsageError(fmt::format("{} cannot be written seekable", name(options.codec)), {}, "only zstd can");
  }
  switch (options.codec) {
    case Codec::gzip:
      return make_gzip_encoder(level, std::move(output));
    case Codec::zstd:
      if (options.seekable) return make_seekable_zstd_encoder(level, std::move(output));
      return make_zstd_encoder(level, options.plain_bytes, std::move(output));
    case Codec::lz4:
      return make_lz4_encoder(level, options.plain_bytes, std::move(output));
    default:
      return make_plain_encoder(std::move(output));
  }
}

std::uint64_t encoder_memory_bytes(const EncoderOptions& options) {
  constexpr std::uint64_t kOthers = 1 << 20;
  const int level = checked_level(options);
  return options.codec == Codec::zstd ? zstd_encoder_bytes(level) : kOthers;
}

base::LibraryVersions library_versions() {
  base::LibraryVersions versions{{"libbz2", libbz2_version()},
                                 {"liblz4", liblz4_version()},
                                 {"liblzma", liblzma_version()},
                                 {"libzstd", libzstd_version()},
                                 {"zlib", zlib_library_version()}};
  if (const auto isal = isal_library_version()) versions.emplace_back("libisal", *isal);
  return versions;
}

std::vector<std::pair<std::string, std::string>> missing_libraries() {
  if (isal_library_version()) return {};
  return {{"libisal", "gzip and parity take more time"}};
}

namespace {

Error wrong_size() {
  return Error("the block has another size than its header says");
}

/// Streams that follow each other.
void unpack_streams(StreamDecoder& decoder, std::span<const std::byte> packed, std::span<std::byte> plain) {
  while (!packed.empty()) {
    decoder.begin();
    for (bool ended = false; !ended;) {
      const Progress progress = decoder.decode(packed, plain);
      if (!progress.problem.empty()) throw Error(progress.problem);
      ended = progress.ended;
      if (!ended && progress.consumed == 0 && progress.produced == 0) throw wrong_size();
      packed = packed.subspan(progress.consumed);
      plain = plain.subspan(progress.produced);
    }
  }
  if (!plain.empty()) throw wrong_size();
}

}  // namespace

void unpack_block(BlockForm form, std::span<const std::byte> packed, std::span<std::byte> plain) {
  switch (form) {
    case BlockForm::snappy:
      return unpack_snappy(packed, plain);
    case BlockForm::lz4:
      return unpack_lz4_block(packed, plain);
    case BlockForm::gzip:
      return unpack_streams(*make_gzip_library_decoder(), packed, plain);
    case BlockForm::zstd:
      return unpack_streams(*make_zstd_decoder(), packed, plain);
  }
}

std::uint64_t most_plain_bytes(BlockForm form, std::uint64_t packed_bytes) {
  constexpr std::uint64_t kSnappyRatio = 22;  // a copy of 64 bytes takes 3
  constexpr std::uint64_t kLz4Ratio = 256;    // a byte more adds 255
  constexpr std::uint64_t kGzipRatio = 1100;
  constexpr std::uint64_t kZstdRatio = 44'000;  // a block of 128 KiB takes 3 bytes and one
  constexpr std::uint64_t kSmall = 1 << 16;
  switch (form) {
    case BlockForm::snappy:
      return kSmall + kSnappyRatio * packed_bytes;
    case BlockForm::lz4:
      return kSmall + kLz4Ratio * packed_bytes;
    case BlockForm::gzip:
      return kSmall + kGzipRatio * packed_bytes;
    case BlockForm::zstd:
      break;
  }
  return kSmall + kZstdRatio * packed_bytes;
}

std::uint32_t block_crc(std::span<const std::byte> bytes) {
  return gzip_crc(0, bytes);
}

}  // namespace shardmill::codec
