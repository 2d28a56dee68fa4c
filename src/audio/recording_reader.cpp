#include "audio/recording_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "audio/byte_view.hpp"
#include "audio/containers.hpp"
#include "audio/ffmpeg.hpp"
#include "audio/probe.hpp"
#include "audio/wav.hpp"
#include "base/error.hpp"
#include "base/io/file.hpp"

namespace shardmill::audio {

namespace {

template <typename Input>
PcmDecoder open(Input&& input, const std::string& name) {
  try {
    return PcmDecoder(std::forward<Input>(input));
  } catch (const Error& error) {
    throw error.within(at(name));
  }
}

/// libsndfile loses audio where the header lies.
Bytes with_true_header(Bytes encoded) {
  if (!foreign_kind(encoded).empty()) return encoded;
  const ProbeResult probed = probe(encoded);
  const bool is_flac = probed.info.format.starts_with("flac/");
  auto right = probed.usable() && !is_flac ? mended(encoded, probed.info) : std::nullopt;
  return right ? std::move(*right) : std::move(encoded);
}

/// `encoded` must outlive the result.
PcmDecoder open_encoded(Bytes& encoded, const std::string& name) {
  if (foreign_kind(encoded).empty()) return open(std::span<const std::byte>(encoded), name);
  base::File file = base::memory_file(encoded, name);
  encoded = {};
  return open(readable_recording(std::move(file)), name);
}

AudioInfo info_of(const PcmDecoder& decoder) {
  const Pcm pcm = decoder.empty_pcm();
  return decoder.info().value_or(
      AudioInfo{.format = {}, .sample_rate = pcm.sample_rate, .channels = pcm.channels, .frames = 0});
}

}  // namespace

base::File readable_recording(base::File file) {
  const std::string kind(foreign_kind(file));
  if (kind.empty()) return file;
  try {
    return decode_foreign(file, false, ffmpeg_limit(file.size())).wav;
  } catch (const Interrupted&) {
    throw;
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", kind, error.problem()), at(file.path()));
  }
}

RecordingReader::RecordingReader(const std::string& path) : RecordingReader(base::File::open_read(path)) {}

RecordingReader::RecordingReader(base::File file)
    : name_(file.path()),
      file_(file.duplicate()),
      decoder_(open(readable_recording(std::move(file)), name_)),
      info_(info_of(decoder_)),
      window_(decoder_.empty_pcm()) {
  check_pages();
}

RecordingReader::RecordingReader(Bytes encoded, std::string name)
    : name_(std::move(name)),
      encoded_(with_true_header(std::move(encoded))),
      decoder_(open_encoded(encoded_, name_)),
      info_(info_of(decoder_)),
      window_(decoder_.empty_pcm()) {
  check_pages();
}

std::size_t RecordingReader::read_encoded(std::span<std::byte> into, std::uint64_t offset) const {
  if (file_.is_open()) return file_.read_at(into, offset);
  const auto rest = ByteView(encoded_).from(static_cast<std::size_t>(offset)).first(into.size()).bytes();
  std::copy(rest.begin(), rest.end(), into.begin());
  return rest.size();
}

/// Libraries drop a damaged page of an Ogg file without a word: all that follows would come too early.
void RecordingReader::check_pages() {
  if (!info_.format.starts_with("ogg/")) return;
  constexpr std::size_t kReadBytes = std::size_t{1} << 20;
  std::optional<OggCheck> check;
  Bytes bytes;
  for (std::uint64_t at = 0;;) {
    const std::size_t before = bytes.size();
    bytes.resize(before + kReadBytes);
    const std::size_t got = read_encoded(std::span(bytes).subspan(before), at);
    bytes.resize(before + got);
    at += got;
    if (!check) {
      const std::size_t begin = ByteView(bytes).text(0, bytes.size()).find("OggS");
      if (begin == std::string_view::npos) return;
      bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(begin));
      check.emplace(begin);
    }
    const std::size_t taken = check->take(bytes);
    bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(taken));
    if (got == 0 || taken == 0 || !check->damage().empty()) break;
  }
  check->finish(bytes);
  damage_ = check->damage();
  good_frames_ = check->good_frames(info_.sample_rate);
}

Pcm RecordingReader::read(std::uint64_t begin, std::uint64_t end) {
  if (!damage_.empty() && end > good_frames_) throw Error("cannot be decoded: " + damage_, at(name_));
  if (begin < window_begin_) {
    decoder_.rewind();
    window_.data.clear();
    window_begin_ = 0;
  }
  window_.clipped = 0;
  drop(begin);
  fill(end);
  Pcm cut = decoder_.empty_pcm();
  cut.clipped = window_.clipped;
  const std::uint64_t frames = std::min(end - std::min(begin, end), window_.frames());
  const auto last = window_.data.begin() + static_cast<std::ptrdiff_t>(frames * window_.frame_bytes());
  cut.data.assign(window_.data.begin(), last);
  return cut;
}

const std::string& RecordingReader::missing_end() {
  if (!missing_end_) missing_end_ = find_missing_end();
  return *missing_end_;
}

std::string RecordingReader::find_missing_end() const {
  if (file_.is_open() && !foreign_kind(file_).empty()) return {};  // decoding it has shown its end
  constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20;
  const std::uint64_t bytes = file_.is_open() ? file_.size() : encoded_.size();
  // Of a longer one the frames that it has are compared with those that it should have.
  if (bytes > kMostBytes && file_.is_open()) {
    Bytes head(std::size_t{1} << 16);
    head.resize(file_.read_at(head, 0));
    if (auto missing = missing_from_wav(ByteView(head), bytes); !missing.empty()) return missing;
    return decoder_.position() < info_.frames
               ? fmt::format("{} of {} frames are missing", info_.frames - decoder_.position(), info_.frames)
               : std::string();
  }
  Bytes whole;
  if (file_.is_open()) {
    whole.resize(static_cast<std::size_t>(bytes));
    whole.resize(file_.read_at(whole, 0));
  }
  const ProbeResult probed = probe(file_.is_open() ? whole : encoded_);
  return probed.verdict == ProbeVerdict::truncated ? probed.text : std::string();
}

// Drops frames so that the window begins at `begin`.
void RecordingReader::drop(std::uint64_t begin) {
  const std::uint64_t dropped = std::min(begin - window_begin_, window_.frames());
  const auto first = window_.data.begin();
  window_.data.erase(first, first + static_cast<std::ptrdiff_t>(dropped * window_.frame_bytes()));
  if (begin > decoder_.position()) decoder_.skip(begin - decoder_.position());
  window_begin_ = begin;
}

void RecordingReader::fill(std::uint64_t end) {
  const std::uint64_t before = decoder_.position();
  if (end > before) decoder_.read(end - before, window_);
  decoded_frames_ += decoder_.position() - before;
  const bool all_there = info_.frames != 0 && decoder_.position() >= info_.frames;
  if (decoder_.position() < end && !decoder_.damage().empty() && !all_there) {
    throw Error("cannot be decoded: " + decoder_.damage(), at(name_));
  }
}

}  // namespace shardmill::audio
