#include <gtest/gtest.h>

#include "doctor/node.hpp"

namespace shardmill::doctor {
namespace {

const std::vector<std::string> kFields{"index", "uuid", "memory.total", "name"};

std::string numbers(const std::vector<std::uint64_t>& indexes) {
  std::vector<Gpu> gpus;
  for (const std::uint64_t index : indexes) gpus.push_back({.index = index});
  return numbers_of(gpus);
}

TEST(Gpus, ReadsLines) {
  const GpuSurvey survey =
      read_gpus("0, GPU-1, 16384, A card, with a comma\r\n\n 1 , GPU-2 , [N/A] , B\n", kFields);
  ASSERT_EQ(survey.gpus.size(), 2);
  EXPECT_EQ(survey.gpus[0].name, "A card, with a comma");
  EXPECT_EQ(survey.gpus[0].memory_bytes, std::uint64_t{16384} << 20);
  EXPECT_EQ(survey.gpus[1].index, 1);
  EXPECT_EQ(survey.gpus[1].memory_bytes, std::nullopt);
  EXPECT_TRUE(survey.strange_lines.empty());
}

TEST(Gpus, KeepsLinesThatTellOfNone) {
  for (const char* const line :
       {"a, GPU-1, 1, x", "0, GPU-1, 1", "-1, GPU-1, 1, x", "0, , 1, x", "0, GPU-1, 1, ", "x"}) {
    const GpuSurvey survey = read_gpus(line, kFields);
    EXPECT_TRUE(survey.gpus.empty()) << line;
    EXPECT_EQ(survey.strange_lines.size(), 1) << line;
  }
  EXPECT_TRUE(read_gpus("No devices were found\n", kFields).strange_lines.empty());
  EXPECT_EQ(read_gpus("0, GPU-1, nan, x", kFields).gpus.at(0).memory_bytes, std::nullopt);
}

TEST(Gpus, AreNumberedInRuns) {
  EXPECT_EQ(numbers({0}), "0");
  EXPECT_EQ(numbers({0, 1}), "0, 1");
  EXPECT_EQ(numbers({0, 1, 2, 4, 6, 7}), "0 to 2, 4, 6, 7");
  EXPECT_EQ(numbers({3, 2, 1}), "3, 2, 1");
}

}  // namespace
}  // namespace shardmill::doctor
