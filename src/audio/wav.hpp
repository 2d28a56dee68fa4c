// WAV: reads the chunks directly. This is faster than any library, and sees which bytes are missing. A
// header that contradicts its audio is mended.
// encode_wav: writes one plain header, then the values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "audio/byte_view.hpp"
#include "audio/pcm/pcm.hpp"
#include "audio/probe.hpp"
#include "audio/sndfile.hpp"
#include "model/audio_info.hpp"
#include "shardmill/sample.hpp"

namespace shardmill::audio {

/// `audio` must start with RIFF or RF64 and WAVE. Measures PCM, float, A-law and mu-law by the sizes in the
/// header; for other encodings, libsndfile counts the frames. Where the RIFF covers much more than its data
/// chunk, and no chunk follows that, the rest is audio, too.
ProbeResult probe_wav(ByteView audio);

/// The same audio with the true sizes in its header. `info`: of usable audio, as probe_wav() measured it.
/// nullopt when the header tells the truth, or the audio is too large for a WAV.
std::optional<Bytes> mended_wav(ByteView audio, const AudioInfo& info);

/// The same of the beginning of a file: how much audio its header promises and the file has not; empty if
/// that is all there, or unknown.
std::string missing_from_wav(ByteView head, std::uint64_t file_bytes);

/// Where the header of a WAV or AU has the size of the data, if that size is 0 although data follows: a
/// writer to a pipe could not know it. `head` is the beginning of a file, which need not be either.
std::optional<std::size_t> find_unset_data_size(ByteView head);

/// Where the header of a WAV has the size of the data, if the audio goes on after that: see probe_wav(). For
/// a file that need not be in memory: `head` is its beginning, `read` returns some of its bytes from an
/// offset on.
std::optional<std::size_t> find_short_data_size(ByteView head, std::uint64_t file_bytes,
                                                const std::function<Bytes(std::uint64_t at)>& read);

/// The same values as sndfile_floats(), in much less time. Only for whole WAVs of 16-bit PCM with nothing
/// behind their data chunk; returns nullopt for all others.
std::optional<FloatAudio> wav_floats(std::span<const std::byte> audio);

/// A RIFF with only the format (and, for floats, the number of frames) and the data: 44 or 58 bytes of header
/// with true sizes, and a byte of padding after odd data. Throws Error when the audio is too large for a WAV.
/// Thread-safe.
Bytes encode_wav(const Pcm& pcm);

/// True when `audio`, which `info` describes, is exactly what encode_wav() would make of its values.
/// Thread-safe.
bool is_plain_wav(std::span<const std::byte> audio, const AudioInfo& info);

}  // namespace shardmill::audio
