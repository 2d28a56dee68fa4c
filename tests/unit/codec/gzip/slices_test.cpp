#include "codec/gzip/slices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "codec/codec_files.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::codec {
namespace {

using shardmill::testing::TemporaryFolder;
using ::testing::HasSubstr;

constexpr GzipSizes kSmallSlices{.slice_bytes = 100, .overlap_bytes = 30, .plain_bytes = 1024};

struct Seen {
  std::uint64_t index;
  std::uint64_t offset;
  std::size_t own_bytes;
  bool last;
  std::string bytes;
  bool operator==(const Seen&) const = default;
};

std::vector<Seen> all_slices(base::File& file, std::uint64_t first_index = 0) {
  GzipSlices slices(Input(file), first_index, kSmallSlices);
  std::vector<Seen> seen;
  while (const auto slice = slices.next()) {
    slice->load();
    slice->load();  // does nothing more
    const auto bytes = slice->bytes();
    seen.push_back({slice->index, slice->offset, slice->own_bytes, slice->last,
                    std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size())});
  }
  return seen;
}

std::vector<Seen> slices_of_pipe(const std::string& content) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
  std::thread feeder([&] {
    for (std::size_t i = 0; i < content.size(); i += 17)
      if (::write(ends[1], content.data() + i, std::min<std::size_t>(17, content.size() - i)) < 0) break;
    ::close(ends[1]);
  });
  base::File file(ends[0], "-");
  auto seen = all_slices(file);
  feeder.join();
  return seen;
}

/// By what the header says.
std::vector<Seen> expected(const std::string& content) {
  std::vector<Seen> seen;
  for (std::size_t offset = 0; offset < content.size(); offset += 100) {
    const std::size_t left = content.size() - offset;
    seen.push_back(
        {offset / 100, offset, std::min<std::size_t>(100, left), left <= 100, content.substr(offset, 130)});
  }
  return seen;
}

TEST(GzipSlicesTest, FilesOfAnySizeAndPipesAreCutAlike) {
  const TemporaryFolder folder;
  for (const std::size_t size :
       {0U, 1U, 99U, 100U, 101U, 129U, 130U, 131U, 199U, 200U, 230U, 260U, 1000U, 1031U}) {
    const std::string content = testing::noise(size);
    base::File file = base::File::open_read(folder.write("file", content));
    EXPECT_EQ(all_slices(file), expected(content)) << size;
    EXPECT_EQ(slices_of_pipe(content), expected(content)) << size;
  }
}

TEST(GzipSlicesTest, BeginAtAnySlice) {
  const TemporaryFolder folder;
  const std::string content = testing::noise(450);
  base::File file = base::File::open_read(folder.write("file", content));
  const auto all = expected(content);
  for (std::size_t first = 0; first <= all.size(); ++first)
    EXPECT_EQ(all_slices(file, first),
              std::vector(all.begin() + static_cast<std::ptrdiff_t>(first), all.end()));
}

TEST(GzipSlicesTest, AFileThatBecomesShorterIsAnErrorWithThePlace) {
  const TemporaryFolder folder;
  const std::string path = folder.write("file", testing::noise(250));
  base::File file = base::File::open_read(path);
  GzipSlices slices(Input(file), 0, kSmallSlices);
  const auto first = slices.next();
  const auto second = slices.next();
  std::filesystem::resize_file(path, 110);
  first->load();  // Of what comes after its own bytes, it takes what is there.
  EXPECT_EQ(first->bytes().size(), 110u);
  try {
    second->load();
    ADD_FAILURE() << "90 of its bytes are gone";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("offset 110: truncated: the file became shorter"));
  }
}

}  // namespace
}  // namespace shardmill::codec
