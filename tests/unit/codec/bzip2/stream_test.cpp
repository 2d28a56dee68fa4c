#include "codec/bzip2/stream.hpp"

#include <gtest/gtest.h>

#include "codec/bzip2/block.hpp"
#include "codec/codec_files.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::codec {
namespace {

using testing::text_like;
using testing::through;

/// Reads a file through cutter, block decoder and stream. The stream is saved and restored at every step.
/// Returns its streams and levels, "9 1 ", or the problem.
std::string read(const std::string& bytes, bool ignores_garbage = false) {
  const shardmill::testing::TemporaryFolder folder;
  base::File file = base::File::open_read(folder.write("a.bz2", bytes));
  Bzip2Cutter cutter{Input(file)};
  Bzip2Stream stream("a.bz2", ignores_garbage);
  Bzip2BlockDecoder decoder;
  Bzip2Block block;
  std::string seen;
  std::uint64_t streams = 0;
  try {
    while (const auto segment = cutter.next()) {
      if (segment->block_bit && stream.expects_block_at(*segment->block_bit)) {
        decoder.decode({.input = segment->bytes(), .start_bit = segment->local(*segment->block_bit)}, block);
        if (block.state != Bzip2Block::State::good) return "bad block";
        stream.passed_block(block.end_bit + segment->first_byte * 8, block.stored_crc);
      }
      base::BinaryWriter out;
      stream.save(out);
      Bzip2Stream restored("a.bz2", ignores_garbage);
      const auto saved = out.take();
      base::BinaryReader in(saved);
      restored.restore(in);
      EXPECT_TRUE(in.at_end());
      stream = restored;
      stream.pass(*segment);
      if (stream.streams() > streams) seen += std::to_string(stream.level()) + " ";
      streams = stream.streams();
    }
  } catch (const Error& error) {
    return error.problem();
  }
  if (stream.garbage_offset()) seen += "garbage at " + std::to_string(*stream.garbage_offset());
  return seen;
}

TEST(Bzip2Stream, FollowsStreamsOfAllLevels) {
  EXPECT_EQ(read(through("bzip2 -1c", text_like(500'000)) + through("bzip2 -9c", text_like(1'000'000))),
            "1 9 ");
}

TEST(Bzip2Stream, AWrongChecksumOfTheWholeStreamIsFound) {
  std::string packed = through("bzip2 -1c", text_like(300'000));
  // Its 32 bits end up to seven bits before the end.
  packed[packed.size() - 3] = static_cast<char>(packed[packed.size() - 3] ^ 1);
  EXPECT_NE(read(packed).find("checksum"), std::string::npos) << read(packed);
}

TEST(Bzip2Stream, GarbageIsDamageUnlessItIsIgnored) {
  const std::string packed = through("bzip2 -1c", text_like(1000));
  EXPECT_EQ(read(packed + std::string(5, '\0')), "1 ");
  EXPECT_EQ(read(packed + "garbage", true), "1 garbage at " + std::to_string(packed.size()));
  EXPECT_TRUE(read(packed + "garbage").starts_with("damaged")) << read(packed + "garbage");
}

TEST(Bzip2Stream, EveryCutIsAnError) {
  const std::string packed = through("bzip2 -1c", text_like(200));
  for (std::size_t cut = 1; cut < packed.size(); ++cut) {
    const std::string said = read(packed.substr(0, cut));
    EXPECT_TRUE(said.starts_with("truncated") || said == "bad block") << cut << ": " << said;
  }
}

}  // namespace
}  // namespace shardmill::codec
