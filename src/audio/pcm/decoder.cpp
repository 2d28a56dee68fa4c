#include "audio/pcm/decoder.hpp"

#include <sndfile.h>

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "audio/pcm/pcm.hpp"
#include "audio/sndfile_stream.hpp"
#include "base/error.hpp"

namespace shardmill::audio {

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
