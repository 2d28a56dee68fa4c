#include "audio/transform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "audio/containers.hpp"
#include "audio/flac.hpp"
#include "audio/pcm/pcm.hpp"
#include "audio/probe.hpp"
#include "audio/quality.hpp"
#include "audio/resample.hpp"
#include "audio/wav.hpp"
#include "base/error.hpp"

namespace shardmill::audio {

namespace {

using Container = WantedForm::Container;

/// The changes to one piece of audio.
struct Task {
  Container container = Container::wav;  // never keep
  std::uint32_t sample_rate = 0;
  bool resample = false;
  bool mix = false;
  std::optional<std::uint32_t> take{};  // only this channel
  bool pcm16 = false;                   // the values become so

  bool computes() const { return resample || mix || take; }
};

bool is_flac(const AudioInfo& info) {
  return info.format.starts_with("flac/");
}

Task task_for(const AudioInfo& info, const WantedForm& form) {
  Task task{.container = form.container, .sample_rate = form.sample_rate.value_or(info.sample_rate)};
  if (task.container == Container::keep) task.container = is_flac(info) ? Container::flac : Container::wav;
  task.resample = task.sample_rate != info.sample_rate;
  task.mix = form.mono && info.channels > 1;
  if (form.one_channel && info.channels > 1)
    task.take = std::min<std::uint32_t>(*form.one_channel, info.channels - 1);
  task.pcm16 = form.pcm16 && (!is_lossy(info) || task.computes() || form.container != Container::keep) &&
               !info.format.ends_with("/pcm16");
  return task;
}

bool is_container(std::span<const std::byte> audio, const AudioInfo& info, Container container) {
  switch (container) {
    case Container::wav:
      return is_plain_wav(audio, info);
    case Container::flac:
      return is_flac(info) && is_plain_flac(ByteView(audio));
    case Container::keep:
      break;
  }
  return true;
}

void check_size(std::uint64_t frames, std::size_t frame_bytes) {
  if (frames > kMostPcmBytes / frame_bytes) {
    throw Error(fmt::format("it would be more than {} MiB of values", kMostPcmBytes >> 20));
  }
}

/// libsndfile ignores such damage, and may decode less audio. `verify --decode` finds the same damage.
void check_damage(std::string damage) {
  if (!damage.empty()) throw Error(std::move(damage));
}

Pcm decode_right(std::span<const std::byte> audio, const AudioInfo& info) {
  if (info.format.starts_with("ogg/")) check_damage(ogg_damage(audio));
  PcmDecoder decoder(audio);
  Pcm pcm = decoder.empty_pcm();
  check_size(info.frames, pcm.frame_bytes());
  if (is_flac(info) && info.frames > 0) {
    if (auto sound = decode_sound_flac(audio, info.frames, pcm)) return std::move(*sound);
    // It is damaged. The message comes from libsndfile, below.
  }
  const std::uint64_t most = is_lossy(info) ? kMostPcmBytes / pcm.frame_bytes() + 1 : info.frames;
  pcm.data.reserve(info.frames * pcm.frame_bytes());
  decoder.read(most, pcm);
  check_size(pcm.frames(), pcm.frame_bytes());
  if (pcm.frames() == 0) throw Error("no frame of it can be decoded");
  const bool all = is_whole(info, pcm.frames()) && (!is_lossy(info) || decoder.damage().empty());
  if (!all) {
    throw Error(fmt::format("only {} of {} frames can be decoded{}{}", pcm.frames(), info.frames,
                            decoder.damage().empty() ? "" : ": ", decoder.damage()));
  }
  if (is_flac(info)) check_damage(decode_flac(audio).damage);
  return pcm;
}

/// What the caller has of the audio.
struct Given {
  std::span<const std::byte> audio;
  const AudioInfo& info;
  const Bytes* decoded;  // by ffmpeg; null: libsndfile reads `audio`
};

/// libsndfile loses audio where the header lies.
Pcm decode(std::span<const std::byte> audio, const AudioInfo& info) {
  const std::optional<Bytes> right = is_flac(info) ? std::nullopt : mended(audio, info);
  return decode_right(right ? std::span<const std::byte>(*right) : audio, info);
}

/// The encoding in the result for values of `encoding`.
PcmEncoding encoding_for(PcmEncoding encoding, const Task& task) {
  if (task.pcm16) return PcmEncoding::pcm16;
  const bool fits_flac = !is_float(encoding) && encoding != PcmEncoding::pcm32;
  if (task.container == Container::flac && !fits_flac) return PcmEncoding::pcm24;
  if (task.computes() && encoding == PcmEncoding::pcm8) return PcmEncoding::pcm16;
  return encoding;
}

/// Compares the sound of channels with that of their mean.
class Cancellation {
 public:
  void add_channels(std::span<const double> values, std::uint32_t channels) {
    channels_ += energy_of(values) / channels;
  }
  void add_mean(std::span<const double> values) {
    mean_ += energy_of(values);
    frames_ += values.size();
  }

  /// True when the mean has less than a hundredth of the channels' energy, and these are not silent anyway.
  bool is_heavy() const {
    constexpr double kAudible = 1e-6;  // 60 dB below full scale
    return channels_ > kAudible * static_cast<double>(frames_) && mean_ < channels_ / 100;
  }

 private:
  static double energy_of(std::span<const double> values) {
    double sum = 0;
    for (const double value : values) sum += value * value;
    return sum;
  }

  double channels_ = 0;
  double mean_ = 0;
  std::uint64_t frames_ = 0;
};

/// Works block by block: values in the cache are computed several times as fast.
Pcm compute(const Pcm& pcm, PcmEncoding encoding, const Task& task, Cancellation& cancellation) {
  constexpr std::size_t kBlockFrames = 8192;
  Pcm computed{.encoding = encoding,
               .sample_rate = task.sample_rate,
               .channels = task.mix || task.take ? 1 : pcm.channels,
               .data = {},
               .clipped = pcm.clipped};
  const std::uint64_t frames = resampled_frames(pcm.frames(), pcm.sample_rate, task.sample_rate);
  if (frames == 0) throw Error(fmt::format("nothing is left of it at {} Hz", task.sample_rate));
  check_size(frames, computed.frame_bytes());
  computed.data.reserve(frames * computed.frame_bytes());
  std::optional<Resampler> resampler;
  if (task.resample) resampler.emplace(pcm.frames(), computed.channels, pcm.sample_rate, task.sample_rate);
  std::vector<double> values;
  for (std::span<const std::byte> rest(pcm.data); !rest.empty();) {
    const auto block = rest.first(std::min(kBlockFrames * pcm.frame_bytes(), rest.size()));
    rest = rest.subspan(block.size());
    read_values(block, pcm.encoding, values);
    if (task.mix) {
      cancellation.add_channels(values, pcm.channels);
      mix_to_mono(values, pcm.channels);
      cancellation.add_mean(values);
    }
    if (task.take) take_channel(values, pcm.channels, *task.take);
    if (resampler) resampler->process(values);
    append_values(values, computed);
  }
  if (resampler) {
    values.clear();
    resampler->process(values);
    append_values(values, computed);
  }
  return computed;
}

void listen_to_result(const Pcm& pcm, const Hearing& hearing, Heard& heard) {
  if (heard.quality) measure_band(pcm, *heard.quality);
  if (hearing.sound) heard.sound = sound_hash(pcm);
}

Heard listen_to_original(const Pcm& pcm, const AudioInfo& info, const Hearing& hearing) {
  Heard heard;
  if (hearing.quality) heard.quality = measure_levels(pcm, info.format);
  return heard;
}

Pcm decode(const Given& given) {
  if (given.decoded == nullptr) return decode(given.audio, given.info);
  return decode(*given.decoded, probe(*given.decoded).info);
}

Transformed listen(const Given& given, const Hearing& hearing) {
  const Pcm pcm = decode(given);
  const AudioInfo& info = given.info;
  Transformed same{.bytes = {}, .info = info, .clipped = 0, .problem = {}, .is_unchanged = true};
  same.heard = listen_to_original(pcm, info, hearing);
  listen_to_result(pcm, hearing, same.heard);
  return same;
}

Transformed carry_out(const Given& given, const Task& task, const Hearing& hearing) {
  Pcm pcm = decode(given);
  Heard heard = listen_to_original(pcm, given.info, hearing);
  const PcmEncoding encoding = encoding_for(pcm.encoding, task);
  Cancellation cancellation;
  if (task.computes() || encoding != pcm.encoding) pcm = compute(pcm, encoding, task, cancellation);
  listen_to_result(pcm, hearing, heard);
  const bool wav = task.container == Container::wav;
  return {.bytes = wav ? encode_wav(pcm) : encode_flac(pcm),
          .info = {.format = fmt::format("{}/{}", wav ? "wav" : "flac", name(pcm.encoding)),
                   .sample_rate = pcm.sample_rate,
                   .channels = pcm.channels,
                   .frames = pcm.frames()},
          .clipped = pcm.clipped,
          .channels_cancel = cancellation.is_heavy(),
          .problem = {},
          .is_unchanged = false,
          .heard = heard};
}

}  // namespace

std::optional<Transformed> transform(std::span<const std::byte> audio, const AudioInfo& info,
                                     const WantedForm& form, const Bytes* decoded) {
  const Task task = task_for(info, form);
  const bool has_form = !task.computes() && !task.pcm16 && is_container(audio, info, form.container);
  if (has_form && !form.hearing.any()) return std::nullopt;
  const Given given{.audio = audio, .info = info, .decoded = decoded};
  try {
    return has_form ? listen(given, form.hearing) : carry_out(given, task, form.hearing);
  } catch (const Error& error) {
    return Transformed{.bytes = {}, .info = {}, .clipped = 0, .problem = error.problem()};
  }
}

}  // namespace shardmill::audio
