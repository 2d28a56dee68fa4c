#include "audio/sndfile.hpp"

#include <sndfile.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "audio/probe.hpp"
#include "audio/wav.hpp"
#include "base/system/machine.hpp"

namespace shardmill::audio {

namespace {

template <typename Value>
DecodedAudio decode_all(SNDFILE* file, std::uint32_t channels,
                        sf_count_t (*read_frames)(SNDFILE*, Value*, sf_count_t)) {
  constexpr sf_count_t kChunkFrames = 4096;
  std::vector<Value> chunk(static_cast<std::size_t>(kChunkFrames) * channels);
  DecodedAudio decoded;
  for (;;) {
    const sf_count_t got = read_frames(file, chunk.data(), kChunkFrames);
    if (got <= 0) break;
    decoded.frames += static_cast<std::uint64_t>(got);
    const auto values = std::span(chunk).first(static_cast<std::size_t>(got) * channels);
    decoded.silent =
        decoded.silent && std::all_of(values.begin(), values.end(), [](Value v) { return v == 0; });
    if constexpr (std::is_floating_point_v<Value>) {
      decoded.non_finite = decoded.non_finite || !std::all_of(values.begin(), values.end(),
                                                              [](Value v) { return std::isfinite(v); });
    }
  }
  if (sf_error(file) != SF_ERR_NO_ERROR) decoded.damage = sf_strerror(file);
  return decoded;
}

}  // namespace

std::optional<AudioInfo> sndfile_info(std::span<const std::byte> audio) {
  return SndfileStream(audio).info();
}

std::optional<std::uint64_t> sndfile_count_frames(std::span<const std::byte> audio) {
  const auto decoded = sndfile_decode(audio);
  return decoded ? std::optional(decoded->frames) : std::nullopt;
}

std::optional<DecodedAudio> sndfile_decode(std::span<const std::byte> audio) {
  const SndfileStream stream(audio);
  if (!stream.is_open() || stream.channels() == 0) return std::nullopt;
  auto* const file = static_cast<SNDFILE*>(stream.handle());
  switch (stream.format() & SF_FORMAT_SUBMASK) {
    case SF_FORMAT_FLOAT:
    case SF_FORMAT_DOUBLE:
    case SF_FORMAT_VORBIS:
    case SF_FORMAT_OPUS:
    case kSndfileMpegLayer3:
      return decode_all(file, stream.channels(), sf_readf_float);
    case SF_FORMAT_PCM_24:
    case SF_FORMAT_PCM_32:
      return decode_all(file, stream.channels(), sf_readf_int);
    default:
      return decode_all(file, stream.channels(), sf_readf_short);
  }
}

std::optional<FloatAudio> sndfile_floats(std::span<const std::byte> audio) {
  const SndfileStream stream(audio);
  if (!stream.is_open() || stream.channels() == 0) return std::nullopt;
  const auto info = stream.info();
  if (!info) return std::nullopt;
  auto* const file = static_cast<SNDFILE*>(stream.handle());
  FloatAudio sound{.sample_rate = info->sample_rate, .channels = stream.channels()};
  // The header may promise more than there is: memory grows with the frames that are read.
  constexpr std::uint64_t kFirstFrames = std::uint64_t{1} << 22;
  std::uint64_t frames = 0;
  for (std::uint64_t room = std::min(info->frames, kFirstFrames) + 1;; room *= 2) {
    sound.values.resize((frames + room) * sound.channels);
    const sf_count_t got =
        sf_readf_float(file, sound.values.data() + frames * sound.channels, static_cast<sf_count_t>(room));
    frames += got > 0 ? static_cast<std::uint64_t>(got) : 0;
    if (got < static_cast<sf_count_t>(room)) break;
  }
  sound.values.resize(frames * sound.channels);
  if (sf_error(file) != SF_ERR_NO_ERROR) {
    sound.damage = sf_strerror(file);
  } else if (frames < info->frames) {
    sound.damage = "it ends early";
  }
  return sound;
}

void sndfile_read_floats(std::span<const std::byte> audio, std::uint64_t frames) {
  const SndfileStream stream(audio);
  if (!stream.is_open()) return;
  std::vector<float> values(frames * stream.channels());
  sf_readf_float(static_cast<SNDFILE*>(stream.handle()), values.data(), static_cast<sf_count_t>(frames));
}

bool sndfile_reads_mpeg() {
  int containers = 0;
  sf_command(nullptr, SFC_GET_FORMAT_MAJOR_COUNT, &containers, sizeof(containers));
  for (int i = 0; i < containers; ++i) {
    SF_FORMAT_INFO container{};
    container.format = i;
    sf_command(nullptr, SFC_GET_FORMAT_MAJOR, &container, sizeof(container));
    if (container.format == kSndfileMpeg) return true;
  }
  return false;
}

std::string libsndfile_version() {
  const std::string text = sf_version_string();  // "libsndfile-1.2.0"
  return text.substr(text.find('-') + 1);
}

double decoding_speed(std::span<const Bytes> audio) {
  struct Decodable {
    std::span<const std::byte> bytes;
    std::uint64_t frames = 0;
  };
  std::vector<Decodable> decodable;
  double seconds = 0;
  for (const Bytes& bytes : audio) {
    const ProbeResult probed = probe(bytes);
    if (!probed.usable()) continue;
    const auto decoded = sndfile_decode(bytes);
    if (!decoded) continue;
    decodable.push_back({.bytes = bytes, .frames = decoded->frames});
    seconds += probed.info.seconds();
  }
  if (decodable.empty()) return 0;
  return base::cpu_speed([&] {
    for (const Decodable& each : decodable) sndfile_read_floats(each.bytes, each.frames);
    return seconds;
  });
}

/// The callbacks with which libsndfile reads. They must not throw, because libsndfile is C.
struct SndfileStream::Io {
  static sf_count_t length(void* user) {
    const auto& stream = *static_cast<const SndfileStream*>(user);
    if (!stream.file_.is_open()) return static_cast<sf_count_t>(stream.memory_.size());
    return guarded(user, [&] { return static_cast<sf_count_t>(stream.file_.size()); });
  }

  static sf_count_t seek(sf_count_t offset, int whence, void* user) {
    auto& stream = *static_cast<SndfileStream*>(user);
    sf_count_t target = 0;
    const sf_count_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? stream.position_ : length(user);
    if (__builtin_add_overflow(from, offset, &target) || target < 0) return -1;
    stream.position_ = std::min(target, length(user));
    return stream.position_;
  }

  static sf_count_t read(void* out, sf_count_t count, void* user) {
    auto& stream = *static_cast<SndfileStream*>(user);
    const auto wanted = static_cast<std::size_t>(std::max<sf_count_t>(count, 0));
    const sf_count_t taken = guarded(user, [&] {
      const std::span into(static_cast<std::byte*>(out), wanted);
      if (stream.file_.is_open()) {
        return static_cast<sf_count_t>(
            stream.file_.read_at(into, static_cast<std::uint64_t>(stream.position_)));
      }
      const auto rest = stream.memory_.subspan(static_cast<std::size_t>(stream.position_));
      const std::size_t there = std::min(wanted, rest.size());
      if (there > 0) std::memcpy(into.data(), rest.data(), there);
      return static_cast<sf_count_t>(there);
    });
    stream.show_size(std::span(static_cast<std::byte*>(out), static_cast<std::size_t>(taken)));
    stream.position_ += taken;
    return taken;
  }

  static sf_count_t write(const void*, sf_count_t, void*) { return 0; }

  static sf_count_t tell(void* user) { return static_cast<const SndfileStream*>(user)->position_; }

 private:
  template <typename Work>
  static sf_count_t guarded(void* user, Work work) noexcept {
    try {
      return work();
    } catch (...) {
      static_cast<SndfileStream*>(user)->failure_ = std::current_exception();
      return 0;
    }
  }
};

namespace {

std::string container_name(int format) {
  switch (format & SF_FORMAT_TYPEMASK) {
    case SF_FORMAT_WAV:
    case SF_FORMAT_WAVEX:
    case SF_FORMAT_RF64:
      return "wav";
    case SF_FORMAT_W64:
      return "w64";
    case SF_FORMAT_FLAC:
      return "flac";
    case SF_FORMAT_OGG:
      return "ogg";
    case SF_FORMAT_NIST:
      return "sph";
    case SF_FORMAT_AIFF:
      return "aiff";
    case SF_FORMAT_AU:
      return "au";
    case SF_FORMAT_CAF:
      return "caf";
    default:
      return {};
  }
}

std::string encoding_name(int format) {
  switch (format & SF_FORMAT_SUBMASK) {
    case SF_FORMAT_PCM_S8:
    case SF_FORMAT_PCM_U8:
      return "pcm8";
    case SF_FORMAT_PCM_16:
      return "pcm16";
    case SF_FORMAT_PCM_24:
      return "pcm24";
    case SF_FORMAT_PCM_32:
      return "pcm32";
    case SF_FORMAT_FLOAT:
      return "float32";
    case SF_FORMAT_DOUBLE:
      return "float64";
    case SF_FORMAT_ULAW:
      return "ulaw";
    case SF_FORMAT_ALAW:
      return "alaw";
    case SF_FORMAT_IMA_ADPCM:
      return "ima_adpcm";
    case SF_FORMAT_MS_ADPCM:
      return "ms_adpcm";
    case SF_FORMAT_GSM610:
      return "gsm610";
    case SF_FORMAT_VORBIS:
      return "vorbis";
    case SF_FORMAT_OPUS:
      return "opus";
    case SF_FORMAT_ALAC_16:
    case SF_FORMAT_ALAC_20:
    case SF_FORMAT_ALAC_24:
    case SF_FORMAT_ALAC_32:
      return "alac";
    case kSndfileMpegLayer1:
      return "mp1";
    case kSndfileMpegLayer2:
      return "mp2";
    case kSndfileMpegLayer3:
      return "mp3";
    default:
      return "other";
  }
}

/// The name of a format as in AudioInfo; empty when we have no name for the container.
std::string format_name(int format) {
  if ((format & SF_FORMAT_TYPEMASK) == kSndfileMpeg) return encoding_name(format);
  const std::string container = container_name(format);
  return container.empty() ? container : container + "/" + encoding_name(format);
}

}  // namespace

SndfileStream::SndfileStream(std::span<const std::byte> audio) : memory_(audio) {
  open();
}

SndfileStream::SndfileStream(base::File file) : file_(std::move(file)) {
  open();
  check_input();
}

SndfileStream::~SndfileStream() {
  close_handle();
}

void SndfileStream::close_handle() {
  // The result does not matter: the file was only read.
  if (handle_ != nullptr) sf_close(static_cast<SNDFILE*>(handle_));
  handle_ = nullptr;
  position_ = 0;
}

/// `bytes` are the ones just read, at position_. Replaces the wrong size of the data in them.
void SndfileStream::show_size(std::span<std::byte> bytes) const {
  if (!wrong_size_) return;
  for (std::size_t at = *wrong_size_; at < *wrong_size_ + 4; ++at) {
    const auto begin = static_cast<std::size_t>(position_);
    if (at >= begin && at - begin < bytes.size()) bytes[at - begin] = std::byte{0xff};
  }
}

void SndfileStream::open() {
  open_handle();
  if (handle_ == nullptr || wrong_size_ || (frames_ != 0 && !file_.is_open())) return;
  const std::int64_t position = position_;
  const Bytes head = read_some(0);
  wrong_size_ = frames_ == 0 ? find_unset_data_size(ByteView(head))
                             : find_short_data_size(ByteView(head), file_.size(),
                                                    [this](std::uint64_t at) { return read_some(at); });
  position_ = position;
  if (!wrong_size_) return;
  close_handle();
  open_handle();
}

Bytes SndfileStream::read_some(std::uint64_t at) {
  constexpr std::size_t kMostBytes = 1 << 16;
  Bytes bytes(kMostBytes);
  position_ = static_cast<std::int64_t>(at);
  bytes.resize(static_cast<std::size_t>(Io::read(bytes.data(), kMostBytes, this)));
  return bytes;
}

void SndfileStream::open_handle() {
  SF_VIRTUAL_IO io{Io::length, Io::seek, Io::read, Io::write, Io::tell};
  SF_INFO info{};
  handle_ = sf_open_virtual(&io, SFM_READ, &info, this);
  if (handle_ == nullptr) return;
  format_ = info.format;
  sample_rate_ = static_cast<std::uint32_t>(std::max(info.samplerate, 0));
  channels_ = static_cast<std::uint32_t>(std::max(info.channels, 0));
  frames_ = info.frames;
}

void SndfileStream::reopen() {
  close_handle();
  open();
  check_input();
}

void SndfileStream::check_input() const {
  if (failure_) std::rethrow_exception(failure_);
}

std::optional<AudioInfo> SndfileStream::info() const {
  const std::string format = format_name(format_);
  if (!is_open() || format.empty() || frames_ < 0 || frames_ == SF_COUNT_MAX) return std::nullopt;
  return AudioInfo{.format = format,
                   .sample_rate = sample_rate_,
                   .channels = channels_,
                   .frames = static_cast<std::uint64_t>(frames_)};
}

}  // namespace shardmill::audio
