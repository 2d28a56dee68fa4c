#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "audio/flac.hpp"
#include "audio/made_audio.hpp"
#include "base/io/file.hpp"

namespace shardmill::audio {
namespace {

class FlacBatch : public ::testing::TestWithParam<base::VectorPath> {};

INSTANTIATE_TEST_SUITE_P(Paths, FlacBatch, ::testing::ValuesIn(base::available_vector_paths()),
                         [](const auto& path) { return std::string(base::name(path.param)); });

/// FLACs of many lengths and kinds; each also with a wrong MD5, without one, damaged, cut, and twice in one
/// file.
std::vector<std::string> sound_and_damaged() {
  const testing::TemporaryFolder folder;
  const auto made = make_audio(folder, R"(
for subtype in ['PCM_S8', 'PCM_16', 'PCM_24']:
    for channels in [1, 2, 5]:
        sf.write(f'{subtype}_{channels}.flac', noise(4000 * channels + 3, channels), 16000, subtype=subtype)
for frames in [1, 20, 28, 31, 32, 4096, 100001]:
    sf.write(f'of_{frames}.flac', noise(frames), 16000)
sf.write('silent.flac', np.zeros(5000), 16000)
)");
  std::vector<std::string> flacs;
  for (const MadeAudio& audio : made) {
    constexpr std::size_t kMd5At = 26;  // in the stream's header
    const std::string flac = content(audio.file);
    std::string other_md5 = flac;
    other_md5[kMd5At] ^= 1;
    std::string damaged = flac;
    damaged[flac.size() / 2] ^= 1;
    flacs.insert(flacs.end(), {flac, other_md5, std::string(flac).replace(kMd5At, 16, 16, '\0'), damaged,
                               flac.substr(0, flac.size() / 2), flac + flac, flac.substr(0, 42), "fLaC"});
  }
  return flacs;
}

TEST_P(FlacBatch, SaysOfEachWhatIsSaidOfItAlone) {
  const std::vector<std::string> flacs = sound_and_damaged();
  std::vector<std::span<const std::byte>> views;
  for (const std::string& flac : flacs) views.push_back(base::as_bytes(flac));
  const auto decoded = decode_flacs(views, GetParam());
  ASSERT_EQ(decoded.size(), views.size());
  std::size_t sound = 0;
  std::size_t with_other_md5 = 0;
  for (std::size_t i = 0; i < views.size(); ++i) {
    const DecodedAudio alone = decode_flac(views[i]);
    EXPECT_EQ(decoded[i].frames, alone.frames) << i;
    EXPECT_EQ(decoded[i].silent, alone.silent) << i;
    EXPECT_EQ(decoded[i].damage, alone.damage) << i;
    sound += alone.damage.empty() ? 1U : 0U;
    with_other_md5 += alone.damage.find("MD5") != std::string::npos ? 1U : 0U;
  }
  EXPECT_GE(sound, 2 * 17U);
  EXPECT_GE(with_other_md5, 17U);
  EXPECT_TRUE(decode_flacs({}, GetParam()).empty());
}

}  // namespace
}  // namespace shardmill::audio
