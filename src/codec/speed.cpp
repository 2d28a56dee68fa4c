#include "codec/speed.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "base/io/file.hpp"
#include "base/system/machine.hpp"
#include "codec/codec.hpp"
#include "codec/formats.hpp"
#include "codec/streams.hpp"

namespace shardmill::codec {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{2} << 20;
// Fits into the caches, like the buffers of loaders.
constexpr std::size_t kBufferBytes = std::size_t{256} << 10;

std::unique_ptr<StreamDecoder> make_library_decoder(Codec codec) {
  switch (codec) {
    case Codec::bzip2:
      return make_bzip2_library_decoder();
    case Codec::gzip:
      return make_gzip_library_decoder();
    case Codec::xz:
      return make_xz_decoder();
    case Codec::zstd:
      return make_zstd_decoder();
    case Codec::lz4:
      return make_lz4_decoder();
    case Codec::none:
      break;
  }
  return nullptr;
}

/// Decodes `piece`, the start of a file, and returns the number of plain bytes.
std::size_t decode(Codec codec, std::span<const std::byte> piece, std::span<std::byte> buffer) {
  MultiStreamDecoder decoder(make_library_decoder(codec));
  std::size_t plain = 0;
  for (bool more = true; more;) {
    const Progress progress = decoder.decode(piece, buffer, false);
    piece = piece.subspan(progress.consumed);
    plain += progress.produced;
    more = progress.problem.empty() && (!piece.empty() || progress.produced == buffer.size());
  }
  return plain;
}

std::size_t copy(const base::File& file, std::size_t bytes, std::span<std::byte> buffer) {
  std::size_t done = 0;
  while (done < bytes) {
    const std::size_t got = file.read_at(buffer.first(std::min(buffer.size(), bytes - done)), done);
    if (got == 0) break;
    done += got;
  }
  return done;
}

}  // namespace

double decoding_speed(std::span<const std::byte> compressed) {
  const Codec codec = detect(compressed);
  if (codec == Codec::none) return 0;
  std::vector<std::byte> buffer(kBufferBytes);
  return base::cpu_speed([&] { return static_cast<double>(decode(codec, compressed, buffer)); });
}

ReferenceSpeed reference_speed(const base::File& file) {
  std::vector<std::byte> piece(kPieceBytes);
  piece.resize(file.read_at(piece, 0));
  std::vector<std::byte> buffer(kBufferBytes);
  ReferenceSpeed speed;
  speed.copied_bytes_per_second =
      base::cpu_speed([&] { return static_cast<double>(copy(file, piece.size(), buffer)); });
  speed.decoded_bytes_per_second =
      detect(piece) == Codec::none ? speed.copied_bytes_per_second : decoding_speed(piece);
  return speed;
}

namespace {

constexpr double kPatience = 3;
constexpr std::size_t kPlainBytes = 2'700'000;  // three blocks of bzip2

double thread_cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// 16-bit mono audio: a tone that rises and falls like a voice, pauses, and the noise of a recording.
std::vector<std::byte> made_audio() {
  std::mt19937 random(1);
  std::vector<std::byte> audio;
  audio.reserve(kPlainBytes);
  double phase = 0;
  for (std::size_t i = 0; i < kPlainBytes / 2; ++i) {
    const double time = static_cast<double>(i) / 16000;
    phase += (120 + 40 * std::sin(2 * time)) * 2 * 3.14159265358979 / 16000;
    const double loudness = std::max(0.0, std::sin(5 * time)) * 5000;
    const double voice = std::sin(phase) + 0.5 * std::sin(2 * phase) + 0.3 * std::sin(5 * phase);
    const double noise = static_cast<double>(random() % 129) - 64;
    const auto value = static_cast<std::uint16_t>(static_cast<std::int16_t>(loudness * voice + noise));
    audio.push_back(static_cast<std::byte>(value & 0xff));
    audio.push_back(static_cast<std::byte>(value >> 8));
  }
  return audio;
}

std::vector<std::byte> compress(Codec codec, std::span<const std::byte> plain) {
  if (codec == Codec::bzip2) return compress_bzip2(plain);
  if (codec == Codec::xz) return compress_xz(plain);
  std::vector<std::byte> out;
  const auto encoder = make_encoder({.codec = codec}, [&out](std::span<const std::byte> bytes) {
    out.insert(out.end(), bytes.begin(), bytes.end());
  });
  encoder->write(plain);
  encoder->finish();
  return out;
}

base::File memory_file(std::span<const std::byte> content) {
  base::File file(::memfd_create("benchmark", MFD_CLOEXEC), "memory");
  if (!file.is_open()) throw system_error("cannot make a file", "memory");
  file.write_at(content, 0);
  return file;
}

std::uint64_t decode_once(base::File& file) {
  std::uint64_t plain = 0;
  const auto reader = open(file, [](const Error&) {});
  while (const auto piece = reader->next()) {
    piece->prepare();
    for (auto bytes = piece->read(); !bytes.empty(); bytes = piece->read()) plain += bytes.size();
  }
  return plain;
}

}  // namespace

DecodeSpeed decode_speed(Codec codec, double seconds) {
  const std::vector<std::byte> compressed = compress(codec, made_audio());
  DecodeSpeed speed{.codec = codec};
  double spent = 0;
  const auto begin = std::chrono::steady_clock::now();
  const auto patience =
      std::chrono::duration<double>(kPatience * seconds);  // of wall time, on a busy machine
  while (spent < seconds && (spent == 0 || std::chrono::steady_clock::now() - begin < patience)) {
    base::File file = memory_file(compressed);
    const double start = thread_cpu_seconds();
    const auto plain = static_cast<double>(decode_once(file));
    const double took = thread_cpu_seconds() - start;
    spent += took;
    if (took > 0) speed.bytes_per_second = std::max(speed.bytes_per_second, plain / took);
  }
  speed.library_bytes_per_second = reference_speed(memory_file(compressed)).decoded_bytes_per_second;
  return speed;
}

}  // namespace shardmill::codec
