#include "shard/tar_input.hpp"

#include <gtest/gtest.h>

#include <map>

#include "archive/tar_parser.hpp"
#include "base/error.hpp"
#include "base/io/file.hpp"
#include "parquet/table_writer.hpp"
#include "support/bytes.hpp"

namespace shardmill::shard {
namespace {

using parquet::Value;
using parquet::ValueKind;

/// Rows with audio of 100 KB each, in groups of `rows`.
std::string parquet_of(std::int64_t rows, std::size_t group_rows, std::string_view path = "u{}.wav") {
  std::string bytes;
  parquet::TableWriter table({{"bytes", ValueKind::bytes, "audio"},
                              {"path", ValueKind::text, "audio"},
                              {"text"},
                              {"speaker_id", ValueKind::int64}},
                             {}, [&](std::string_view piece) { bytes += piece; },
                             {.rows = group_rows, .page_bytes = 250'000});
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::string number = std::to_string(i);
    const std::string audio = "RIFF" + number + std::string(100'000, static_cast<char>('a' + i % 26));
    std::string name(path);
    if (const auto place = name.find("{}"); place != name.npos) name.replace(place, 2, number);
    table.add(
        std::vector<Value>{std::string_view(audio), std::string_view(name), std::string_view(number), i % 3});
  }
  table.finish();
  return bytes;
}

/// The bytes of all pieces from a restart point on; also puts those of each piece into `pieces`.
std::string read_tar(base::File& file, const codec::RestartPoint& from = {},
                     std::vector<std::pair<codec::RestartPoint, std::size_t>>* pieces = nullptr) {
  const auto reader = open_tar(file, {}, from);
  std::string all;
  std::uint64_t compressed = 0;
  while (const auto piece = reader->next()) {
    if (pieces != nullptr) pieces->emplace_back(piece->restart_point(), all.size());
    piece->prepare();
    for (auto bytes = piece->read(); !bytes.empty(); bytes = piece->read()) all += testing::text_of(bytes);
    compressed += piece->compressed_bytes();
  }
  if (from.empty()) {
    EXPECT_EQ(compressed, file.size());
  }
  return all;
}

class Members final : public archive::TarSink {
 public:
  explicit Members(const std::string& tar) {
    archive::TarParser parser(*this, 1 << 20);
    parser.feed(base::as_bytes(tar));
    parser.finish();
  }
  void on_member(archive::TarMember&& member) override { all[member.name] = testing::text_of(member.bytes); }
  void on_finding(ShardFinding&&) override { ADD_FAILURE() << "the tar has a fault"; }

  std::map<std::string, std::string> all;
};

TEST(TarInput, RowsAreMembers) {
  const std::string bytes = parquet_of(20, 8);
  base::File file = base::memory_file(base::as_bytes(bytes), "x.parquet");
  const Members members(read_tar(file));
  EXPECT_EQ(members.all.size(), 60u);
  EXPECT_EQ(members.all.at("u7.txt"), "7");
  EXPECT_EQ(members.all.at("u7.json"), R"({"text":"7","speaker":"1","path":"u7.wav"})");
  EXPECT_EQ(members.all.at("u7.wav"), "RIFF7" + std::string(100'000, 'h'));
}

TEST(TarInput, AReaderBeginsAtAnyPiece) {
  for (const char* path : {"u{}.wav", "same"}) {
    const std::string bytes = parquet_of(40, 17, path);
    base::File file = base::memory_file(base::as_bytes(bytes), "x.parquet");
    std::vector<std::pair<codec::RestartPoint, std::size_t>> pieces;
    const std::string all = read_tar(file, {}, &pieces);
    ASSERT_GT(pieces.size(), 4u);
    for (const auto& [point, offset] : pieces) {
      ASSERT_FALSE(point.empty());
      EXPECT_TRUE(read_tar(file, point) == all.substr(offset)) << offset;
    }
  }
}

TEST(TarInput, ParquetByItsFirstBytes) {
  const auto answer = [](const std::string& content) {
    return is_parquet(base::memory_file(base::as_bytes(content), "x"));
  };
  EXPECT_TRUE(answer("PAR1"));
  EXPECT_TRUE(answer(parquet_of(1, 1)));
  EXPECT_FALSE(answer("PAR"));
  Bytes tar;
  archive::append_header(tar, "PAR1.wav", 0);
  EXPECT_FALSE(answer(testing::text_of(tar)));
}

TEST(TarInput, FactsOfAFile) {
  const std::string bytes = parquet_of(3, 3);
  const base::File file = base::memory_file(base::as_bytes(bytes), "x");
  const ParquetFacts facts = parquet_facts(file);
  EXPECT_EQ(facts.columns, (std::vector<std::string>{"text", "speaker_id"}));
  EXPECT_EQ(facts.text, "text");
  EXPECT_NEAR(static_cast<double>(estimate_tar_bytes(file)), 303'000, 10'000);
}

TEST(TarInput, UsualNamesOfTexts) {
  EXPECT_EQ(usual_text_name({"id", "Sentence", "raw_text"}), "Sentence");
  EXPECT_EQ(usual_text_name({"sentence", "text"}), "text");
  EXPECT_EQ(usual_text_name({"id"}), "");
}

}  // namespace
}  // namespace shardmill::shard
