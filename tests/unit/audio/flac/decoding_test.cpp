#include "audio/flac/decoding.hpp"

#include <gtest/gtest.h>

#include <string>

#include "audio/made_audio.hpp"
#include "audio/pcm/decoder.hpp"
#include "base/io/file.hpp"

namespace shardmill::audio {
namespace {

std::vector<MadeAudio> flacs(const testing::TemporaryFolder& folder) {
  return make_audio(folder, R"(
for subtype in ['PCM_S8', 'PCM_16', 'PCM_24']:
    for channels in [1, 2, 8]:
        sf.write(f'{subtype}_{channels}.flac', noise(10003, channels), 16000, subtype=subtype)
sf.write('loud.flac', np.array([-1.0, 1.0, -1.0, 1.0] * 1000), 16000)
)");
}

TEST(DecodeSoundFlac, GivesTheValuesThatLibsndfileGives) {
  const testing::TemporaryFolder folder;
  const auto made = flacs(folder);
  ASSERT_EQ(made.size(), 10U);
  for (const MadeAudio& audio : made) {
    const std::string flac = content(audio.file);
    PcmDecoder decoder(base::as_bytes(flac));
    Pcm expected = decoder.empty_pcm();
    decoder.read(audio.frames, expected);
    const auto decoded = decode_sound_flac(base::as_bytes(flac), audio.frames, decoder.empty_pcm());
    ASSERT_TRUE(decoded) << audio.file;
    EXPECT_EQ(decoded->frames(), audio.frames) << audio.file;
    EXPECT_TRUE(decoded->data == expected.data) << audio.file;
  }
}

TEST(DecodeSoundFlac, GivesNothingOfWhatIsNotAsExpected) {
  const testing::TemporaryFolder folder;
  for (const MadeAudio& audio : flacs(folder)) {
    const std::string flac = content(audio.file);
    const Pcm pcm = PcmDecoder(base::as_bytes(flac)).empty_pcm();
    const auto is_given = [&](const std::string& bytes, std::uint64_t frames, const Pcm& like) {
      return decode_sound_flac(base::as_bytes(bytes), frames, like).has_value();
    };
    EXPECT_TRUE(is_given(flac, audio.frames, pcm));
    EXPECT_FALSE(is_given(flac, audio.frames - 1, pcm));
    EXPECT_FALSE(is_given(flac, audio.frames + 1, pcm));
    EXPECT_FALSE(is_given(flac + flac, audio.frames, pcm));
    Pcm other = pcm;
    other.channels += 1;
    EXPECT_FALSE(is_given(flac, audio.frames, other));
    other = pcm;
    other.encoding = pcm.encoding == PcmEncoding::pcm16 ? PcmEncoding::pcm24 : PcmEncoding::pcm16;
    EXPECT_FALSE(is_given(flac, audio.frames, other));
    other.encoding = PcmEncoding::float32;
    EXPECT_FALSE(is_given(flac, audio.frames, other));
    constexpr std::size_t kMd5At = 26;  // in the stream's header
    for (const std::size_t at : {kMd5At, flac.size() / 2}) {
      std::string damaged = flac;
      damaged[at] ^= 1;
      EXPECT_FALSE(is_given(damaged, audio.frames, pcm)) << audio.file << " at " << at;
    }
  }
}

}  // namespace
}  // namespace shardmill::audio
