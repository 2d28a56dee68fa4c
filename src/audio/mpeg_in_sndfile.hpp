// libsndfile's numbers for MPEG audio. Its header has names for them only from version 1.1 on; the numbers
// are the same.
#pragma once

namespace shardmill::audio {

inline constexpr int kSndfileMpeg = 0x230000;  // SF_FORMAT_MPEG
inline constexpr int kSndfileMpegLayer1 = 0x80;
inline constexpr int kSndfileMpegLayer2 = 0x81;
inline constexpr int kSndfileMpegLayer3 = 0x82;

}  // namespace shardmill::audio
