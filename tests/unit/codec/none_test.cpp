#include <gtest/gtest.h>

#include <filesystem>

#include "codec/codec_files.hpp"
#include "codec/formats.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::codec {
namespace {

using shardmill::testing::TemporaryFolder;
using testing::noise;

constexpr std::size_t kPieceBytes = 1 << 20;

TEST(PlainReader, GivesTheBytesInPiecesThatAddUp) {
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, kPieceBytes - 1, kPieceBytes, kPieceBytes + 1}) {
    const std::string plain = noise(size);
    const TemporaryFolder folder;
    base::File file = base::File::open_read(folder.write("a", plain));
    const auto reader = make_plain_reader(Input(file));
    EXPECT_TRUE(reader->is_plain());
    std::string got;
    std::uint64_t bytes = 0;
    while (const auto piece = reader->next()) {
      bytes += piece->compressed_bytes();
      for (auto span = piece->read(); !span.empty(); span = piece->read())
        got.append(reinterpret_cast<const char*>(span.data()), span.size());
    }
    EXPECT_TRUE(got == plain) << size;
    EXPECT_EQ(bytes, size);
  }
}

TEST(PlainReader, AFileThatBecomesShorterIsAnErrorAndWhatIsThereIsGiven) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", noise(1000));
  base::File file = base::File::open_read(path);
  const auto reader = make_plain_reader(Input(file));
  const auto piece = reader->next();
  std::filesystem::resize_file(path, 400);
  EXPECT_EQ(piece->read().size(), 400u);
  EXPECT_THROW(piece->read(), Error);
  EXPECT_TRUE(piece->read().empty());
}

TEST(PlainEncoder, PassesBytesOnAsTheyAre) {
  std::string out;
  const auto encoder = make_plain_encoder([&](std::span<const std::byte> bytes) {
    out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  });
  encoder->write(base::as_bytes(std::string_view("a\0b", 3)));
  encoder->write({});
  encoder->write(base::as_bytes(std::string_view("c")));
  encoder->finish();
  EXPECT_EQ(out, std::string("a\0bc", 4));
}

}  // namespace
}  // namespace shardmill::codec
