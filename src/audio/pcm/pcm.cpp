#include "audio/pcm/pcm.hpp"

#include <sndfile.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "audio/sndfile.hpp"
#include "base/error.hpp"

namespace shardmill::audio {

std::string_view name(PcmEncoding encoding) {
  switch (encoding) {
    case PcmEncoding::pcm8:
      return "pcm8";
    case PcmEncoding::pcm16:
      return "pcm16";
    case PcmEncoding::pcm24:
      return "pcm24";
    case PcmEncoding::pcm32:
      return "pcm32";
    case PcmEncoding::float32:
      return "float32";
    case PcmEncoding::float64:
      break;
  }
  return "float64";
}

std::size_t value_bytes(PcmEncoding encoding) {
  switch (encoding) {
    case PcmEncoding::pcm8:
      return 1;
    case PcmEncoding::pcm16:
      return 2;
    case PcmEncoding::pcm24:
      return 3;
    case PcmEncoding::pcm32:
    case PcmEncoding::float32:
      return 4;
    case PcmEncoding::float64:
      break;
  }
  return 8;
}

bool is_float(PcmEncoding encoding) {
  return encoding == PcmEncoding::float32 || encoding == PcmEncoding::float64;
}

namespace {

/// The signed integer in `kBytes` little-endian bytes.
template <std::size_t kBytes>
std::int32_t integer_at(const std::byte* at) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, at, kBytes);
  constexpr unsigned kUnused = 32 - 8 * kBytes;
  return static_cast<std::int32_t>(bits << kUnused) >> kUnused;
}

template <std::size_t kBytes>
void read_integers(std::span<const std::byte> data, std::vector<double>& values) {
  constexpr double kStep = 1.0 / static_cast<double>(std::uint64_t{1} << (8 * kBytes - 1));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = integer_at<kBytes>(data.data() + kBytes * i) * kStep;
  }
}

template <typename Float>
void read_floats(std::span<const std::byte> data, std::vector<double>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    Float value{};
    std::memcpy(&value, data.data() + sizeof(Float) * i, sizeof(Float));
    values[i] = static_cast<double>(value);
  }
}

void check_numbers(std::span<const double> values) {
  // A value minus itself is 0, unless it is not a number or infinite. Summing up is faster than testing each
  // value.
  double sum = 0;
  for (const double value : values) sum += value - value;
  if (sum != 0) throw Error("holds values that are not numbers");
}

template <std::size_t kBytes>
void write_integers(std::span<const double> values, std::byte* out, std::uint64_t& clipped) {
  constexpr auto kScale = static_cast<double>(std::uint64_t{1} << (8 * kBytes - 1));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double rounded =
        round_into(values[i] * kScale, {.lowest = -kScale, .highest = kScale - 1}, clipped);
    const auto bits = static_cast<std::uint32_t>(static_cast<std::int32_t>(rounded));
    std::memcpy(out + kBytes * i, &bits, kBytes);
  }
}

template <typename Float>
void write_floats(std::span<const double> values, std::byte* out) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = static_cast<Float>(values[i]);
    std::memcpy(out + sizeof(Float) * i, &value, sizeof(Float));
  }
}

// 8-bit values of a WAV are unsigned.
constexpr int kSilence8 = 128;

void read_bytes(std::span<const std::byte> data, std::vector<double>& values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = (std::to_integer<int>(data[i]) - kSilence8) / double{kSilence8};
}

void write_bytes(std::span<const double> values, std::byte* out, std::uint64_t& clipped) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double rounded = round_into(values[i] * kSilence8, {.lowest = -128, .highest = 127}, clipped);
    out[i] = static_cast<std::byte>(static_cast<int>(rounded) + kSilence8);
  }
}

}  // namespace

void read_values(std::span<const std::byte> data, PcmEncoding encoding, std::vector<double>& values) {
  values.resize(data.size() / value_bytes(encoding));
  switch (encoding) {
    case PcmEncoding::pcm8:
      return read_bytes(data, values);
    case PcmEncoding::pcm16:
      return read_integers<2>(data, values);
    case PcmEncoding::pcm24:
      return read_integers<3>(data, values);
    case PcmEncoding::pcm32:
      return read_integers<4>(data, values);
    case PcmEncoding::float32:
      return read_floats<float>(data, values);
    case PcmEncoding::float64:
      return read_floats<double>(data, values);
  }
}

void append_values(std::span<const double> values, Pcm& pcm) {
  check_numbers(values);
  const std::size_t before = pcm.data.size();
  pcm.data.resize(before + values.size() * value_bytes(pcm.encoding));
  std::byte* const out = pcm.data.data() + before;
  switch (pcm.encoding) {
    case PcmEncoding::pcm8:
      return write_bytes(values, out, pcm.clipped);
    case PcmEncoding::pcm16:
      return write_integers<2>(values, out, pcm.clipped);
    case PcmEncoding::pcm24:
      return write_integers<3>(values, out, pcm.clipped);
    case PcmEncoding::pcm32:
      return write_integers<4>(values, out, pcm.clipped);
    case PcmEncoding::float32:
      return write_floats<float>(values, out);
    case PcmEncoding::float64:
      return write_floats<double>(values, out);
  }
}

void take_channel(std::vector<double>& values, std::uint32_t channels, std::uint32_t channel) {
  const std::size_t frames = values.size() / channels;
  for (std::size_t frame = 0; frame < frames; ++frame) values[frame] = values[frame * channels + channel];
  values.resize(frames);
}

void mix_to_mono(std::vector<double>& values, std::uint32_t channels) {
  const std::size_t frames = values.size() / channels;
  for (std::size_t frame = 0; frame < frames; ++frame) {
    double sum = 0;
    for (std::size_t i = frame * channels; i < (frame + 1) * channels; ++i) sum += values[i];
    values[frame] = sum / channels;
  }
  values.resize(frames);
}

static_assert(std::endian::native == std::endian::little, "PCM is kept as it is in memory");

namespace {

constexpr std::uint64_t kChunkFrames = 4096;
constexpr std::uint64_t kStepFrames = 1 << 16;

/// Lets libsndfile write values directly to their final place. Returns how many frames there were.
template <typename Value>
std::uint64_t read_directly(SNDFILE* file, std::uint64_t frames, Pcm& pcm,
                            sf_count_t (*read_frames)(SNDFILE*, Value*, sf_count_t)) {
  const std::size_t before = pcm.data.size();
  pcm.data.resize(before + frames * pcm.frame_bytes());
  auto* const into = reinterpret_cast<Value*>(pcm.data.data() + before);
  const sf_count_t got = std::max<sf_count_t>(read_frames(file, into, static_cast<sf_count_t>(frames)), 0);
  pcm.data.resize(before + static_cast<std::size_t>(got) * pcm.frame_bytes());
  return static_cast<std::uint64_t>(got);
}

/// Reads in chunks, and turns each value into bytes with `append`.
template <typename Value, typename Append>
std::uint64_t read_converted(SNDFILE* file, std::uint64_t frames, Pcm& pcm,
                             sf_count_t (*read_frames)(SNDFILE*, Value*, sf_count_t), Append append) {
  std::vector<Value> chunk(std::min(frames, kChunkFrames) * pcm.channels);
  std::uint64_t done = 0;
  while (done < frames) {
    const std::uint64_t wanted = std::min(frames - done, kChunkFrames);
    const sf_count_t got =
        std::max<sf_count_t>(read_frames(file, chunk.data(), static_cast<sf_count_t>(wanted)), 0);
    for (const Value value : std::span(chunk).first(static_cast<std::size_t>(got) * pcm.channels)) {
      append(value);
    }
    done += static_cast<std::uint64_t>(got);
    if (static_cast<std::uint64_t>(got) < wanted) break;
  }
  return done;
}

}  // namespace

PcmDecoder::PcmDecoder(std::span<const std::byte> audio) : stream_(audio) {
  choose_route();
}

PcmDecoder::PcmDecoder(base::File file) : stream_(std::move(file)) {
  choose_route();
}

void PcmDecoder::choose_route() {
  if (!stream_.is_open() || stream_.channels() == 0) throw Error("is not audio that libsndfile reads");
  info_ = stream_.info();
  const auto choose = [this](PcmEncoding encoding, Route route) {
    encoding_ = encoding;
    route_ = route;
  };
  const int container = stream_.format() & SF_FORMAT_TYPEMASK;
  const int encoding = stream_.format() & SF_FORMAT_SUBMASK;
  seekable_ = container != SF_FORMAT_FLAC && (encoding <= SF_FORMAT_ALAW);
  switch (encoding) {
    case SF_FORMAT_PCM_S8:
    case SF_FORMAT_PCM_U8:
      return choose(PcmEncoding::pcm8, Route::from16);
    case SF_FORMAT_PCM_24:
    case SF_FORMAT_ALAC_20:
    case SF_FORMAT_ALAC_24:
    case SF_FORMAT_DWVW_24:
      return choose(PcmEncoding::pcm24, Route::from32);
    case SF_FORMAT_PCM_32:
    case SF_FORMAT_ALAC_32:
      return choose(PcmEncoding::pcm32, Route::direct32);
    case SF_FORMAT_FLOAT:
      return choose(PcmEncoding::float32, Route::direct_float);
    case SF_FORMAT_DOUBLE:
      return choose(PcmEncoding::float64, Route::direct_double);
    case SF_FORMAT_VORBIS:
    case SF_FORMAT_OPUS:
    case kSndfileMpegLayer1:
    case kSndfileMpegLayer2:
    case kSndfileMpegLayer3:
      return choose(PcmEncoding::pcm16, Route::from_float);
    default:
      return choose(PcmEncoding::pcm16, Route::direct16);
  }
}

Pcm PcmDecoder::empty_pcm() const {
  return {.encoding = encoding_,
          .sample_rate = stream_.sample_rate(),
          .channels = stream_.channels(),
          .data = {},
          .clipped = 0};
}

std::uint64_t PcmDecoder::decode(std::uint64_t frames, Pcm& pcm) {
  auto* const file = static_cast<SNDFILE*>(stream_.handle());
  const auto append_byte = [&pcm](int value) { pcm.data.push_back(static_cast<std::byte>(value & 0xff)); };
  switch (route_) {
    case Route::direct32:
      return read_directly(file, frames, pcm, sf_readf_int);
    case Route::direct_float:
      return read_directly(file, frames, pcm, sf_readf_float);
    case Route::direct_double:
      return read_directly(file, frames, pcm, sf_readf_double);
    case Route::from16:
      return read_converted(file, frames, pcm, sf_readf_short,
                            [&](short value) { append_byte((value >> 8) + 128); });
    case Route::from32:
      return read_converted(file, frames, pcm, sf_readf_int, [&](int value) {
        for (const int shift : {8, 16, 24}) append_byte(value >> shift);
      });
    case Route::from_float:
      return read_converted(file, frames, pcm, sf_readf_float, [&](float value) {
        const double rounded =
            round_into(static_cast<double>(value) * 32768, {.lowest = -32768, .highest = 32767}, pcm.clipped);
        const int integer = static_cast<int>(rounded);
        append_byte(integer);
        append_byte(integer >> 8);
      });
    case Route::direct16:
      break;
  }
  return read_directly(file, frames, pcm, sf_readf_short);
}

void PcmDecoder::read(std::uint64_t frames, Pcm& pcm) {
  if (ended_ || frames == 0) return;
  // In steps, because `frames` may be far more than there are.
  for (std::uint64_t left = frames; left > 0 && !ended_;) {
    const std::uint64_t step = std::min(left, kStepFrames);
    const std::uint64_t got = decode(step, pcm);
    position_ += got;
    left -= got;
    ended_ = got < step;
  }
  stream_.check_input();
  if (!ended_) return;
  auto* const file = static_cast<SNDFILE*>(stream_.handle());
  if (sf_error(file) != SF_ERR_NO_ERROR) damage_ = sf_strerror(file);
}

void PcmDecoder::skip(std::uint64_t frames) {
  if (ended_ || frames == 0) return;
  if (seekable_) {
    const std::uint64_t length = info_ ? info_->frames : 0;
    const std::uint64_t target = std::min(position_ + frames, std::max(length, position_));
    if (sf_seek(static_cast<SNDFILE*>(stream_.handle()), static_cast<sf_count_t>(target), SEEK_SET) >= 0) {
      ended_ = target < position_ + frames;
      position_ = target;
      return;
    }
  }
  Pcm unwanted = empty_pcm();
  for (std::uint64_t left = frames; left > 0 && !ended_; left -= std::min(left, kChunkFrames)) {
    unwanted.data.clear();
    read(std::min(left, kChunkFrames), unwanted);
  }
}

void PcmDecoder::rewind() {
  stream_.reopen();
  if (!stream_.is_open()) throw Error("cannot be opened a second time");
  position_ = 0;
  ended_ = false;
  damage_.clear();
}

}  // namespace shardmill::audio
