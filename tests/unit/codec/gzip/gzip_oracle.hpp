// Gzip files of every kind that zlib can write, and what zlib makes of any.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "codec/formats.hpp"
#include "codec/streams.hpp"

namespace shardmill::codec::testing {

/// Of a member without optional fields.
inline constexpr std::uint64_t kGzipHeaderBits = 80;

struct ZlibVerdict {
  std::string plain;
  std::string sound;    // the same without a damaged member of at most 64 KiB
  std::string problem;  // empty when there is none
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> garbage_offset;
};

inline ZlibVerdict zlib_verdict(std::string_view file) {
  ZlibVerdict verdict;
  MultiStreamDecoder decoder(make_gzip_library_decoder());
  auto rest = std::as_bytes(std::span(file));
  std::vector<std::byte> out(std::size_t{1} << 16);
  for (bool more = true; more;) {
    const Progress progress = decoder.decode(rest, out, true);
    rest = rest.subspan(progress.consumed);
    verdict.plain.append(reinterpret_cast<const char*>(out.data()), progress.produced);
    verdict.problem = progress.problem;
    more = progress.problem.empty() && (!rest.empty() || progress.produced == out.size());
  }
  verdict.offset = file.size() - rest.size();
  verdict.sound = verdict.plain;
  if (verdict.problem.starts_with("damaged") && decoder.stream_bytes() <= (std::uint64_t{64} << 10))
    verdict.sound.resize(verdict.plain.size() - decoder.stream_bytes());
  verdict.garbage_offset = decoder.garbage_offset();
  return verdict;
}

struct DeflateWay {
  int level = 6;
  int strategy = Z_DEFAULT_STRATEGY;
  int memory_level = 8;
  int window_bits = 15;
  std::size_t flush_every = 0;  // bytes; 0: never
  int flush = Z_SYNC_FLUSH;
  bool full_header = false;
};

inline std::string gzip_member(std::string_view plain, const DeflateWay& way) {
  z_stream stream{};
  deflateInit2(&stream, way.level, Z_DEFLATED, way.window_bits + 16, way.memory_level, way.strategy);
  std::string extra(300, '\x1f');
  std::string name("a name");
  std::string comment("a comment");
  gz_header header{};
  header.extra = reinterpret_cast<Bytef*>(extra.data());
  header.extra_len = static_cast<uInt>(extra.size());
  header.name = reinterpret_cast<Bytef*>(name.data());
  header.comment = reinterpret_cast<Bytef*>(comment.data());
  header.hcrc = 1;
  if (way.full_header) deflateSetHeader(&stream, &header);
  std::string packed;
  std::vector<char> out(std::size_t{1} << 16);
  do {
    const std::size_t step = way.flush_every == 0 ? plain.size() : std::min(way.flush_every, plain.size());
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
    stream.avail_in = static_cast<uInt>(step);
    plain.remove_prefix(step);
    do {
      stream.next_out = reinterpret_cast<Bytef*>(out.data());
      stream.avail_out = static_cast<uInt>(out.size());
      deflate(&stream, plain.empty() ? Z_FINISH : way.flush);
      packed.append(out.data(), out.size() - stream.avail_out);
    } while (stream.avail_out == 0);
  } while (!plain.empty());
  deflateEnd(&stream);
  return packed;
}

/// Takes its choices from `random`: any value will do.
template <typename Random>
std::string some_plain(Random& random, std::size_t most_bytes) {
  const std::size_t bytes = random() % (most_bytes + 1);
  std::string plain;
  while (plain.size() < bytes) {
    const std::size_t run = 1 + random() % 20'000;
    switch (random() % 5) {
      case 0:  // cannot be compressed
        for (std::size_t i = 0; i < run; ++i) plain += static_cast<char>(random());
        break;
      case 1:  // little but literals
        for (std::size_t i = 0; i < run; ++i) plain += static_cast<char>('a' + (random() & random()) % 32);
        break;
      case 2:
        plain.append(run, static_cast<char>(random()));
        break;
      case 3:  // copies from far back
        for (std::size_t i = 0; i < run / 50 && !plain.empty(); ++i) {
          const std::size_t back = 1 + random() % std::min<std::size_t>(plain.size(), 32'768);
          const std::size_t length = 3 + random() % 300;
          for (std::size_t k = 0; k < length; ++k) plain += plain[plain.size() - back];
        }
        break;
      default:
        for (std::size_t i = 0; i < run / 8; ++i) plain += "word " + std::to_string(random() % 500);
    }
  }
  plain.resize(bytes);
  return plain;
}

template <typename Random>
DeflateWay some_way(Random& random) {
  constexpr int kStrategies[] = {
      Z_DEFAULT_STRATEGY, Z_DEFAULT_STRATEGY, Z_FILTERED, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED};
  constexpr int kFlushes[] = {Z_SYNC_FLUSH, Z_FULL_FLUSH, Z_BLOCK, Z_PARTIAL_FLUSH};
  DeflateWay way;
  way.level = static_cast<int>(random() % 10);
  way.strategy = kStrategies[random() % 6];
  way.memory_level = 1 + static_cast<int>(random() % 9);
  way.window_bits = 9 + static_cast<int>(random() % 7);
  way.flush_every = random() % 2 == 0 ? 0 : 1 + random() % 30'000;
  way.flush = kFlushes[random() % 4];
  way.full_header = random() % 4 == 0;
  return way;
}

/// Members, some empty, some with zeros behind them.
template <typename Random>
std::string some_gzip_file(Random& random, std::size_t most_bytes) {
  std::string file;
  for (std::size_t members = 1 + random() % 4; members > 0; --members) {
    const std::size_t bytes = random() % 4 == 0 ? 10 : most_bytes;
    const std::string plain = some_plain(random, bytes);
    file += gzip_member(plain, some_way(random));
    if (random() % 8 == 0) file.append(random() % 3000, '\0');
  }
  return file;
}

}  // namespace shardmill::codec::testing
