// Our tar parser and writer beside libarchive: each reads what the other wrote, and both must agree.
#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "archive/recording_sink.hpp"
#include "archive/tar_header.hpp"
#include "archive/tar_parser.hpp"

namespace shardmill::archive {
namespace {

using Files = std::vector<std::pair<std::string, std::string>>;  // name, content

struct CloseWriter {
  void operator()(::archive* writer) const { archive_write_free(writer); }
};
struct CloseReader {
  void operator()(::archive* reader) const { archive_read_free(reader); }
};
struct FreeEntry {
  void operator()(archive_entry* entry) const { archive_entry_free(entry); }
};

la_ssize_t append(::archive* /*writer*/, void* out, const void* bytes, std::size_t size) {
  static_cast<std::string*>(out)->append(static_cast<const char*>(bytes), size);
  return static_cast<la_ssize_t>(size);
}

using SetFormat = int (*)(::archive*);

std::string written_by_libarchive(const Files& files, SetFormat set_format) {
  std::string tar;
  const std::unique_ptr<::archive, CloseWriter> writer(archive_write_new());
  EXPECT_EQ(set_format(writer.get()), ARCHIVE_OK);
  EXPECT_EQ(archive_write_open(writer.get(), &tar, nullptr, append, nullptr), ARCHIVE_OK);
  for (const auto& [name, content] : files) {
    const std::unique_ptr<archive_entry, FreeEntry> entry(archive_entry_new());
    archive_entry_set_pathname(entry.get(), name.c_str());
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(content.size()));
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), 0644);
    EXPECT_EQ(archive_write_header(writer.get(), entry.get()), ARCHIVE_OK) << name;
    EXPECT_EQ(archive_write_data(writer.get(), content.data(), content.size()),
              static_cast<la_ssize_t>(content.size()));
  }
  EXPECT_EQ(archive_write_close(writer.get()), ARCHIVE_OK);
  return tar;
}

Files read_by_libarchive(const std::string& tar) {
  const std::unique_ptr<::archive, CloseReader> reader(archive_read_new());
  archive_read_support_format_tar(reader.get());
  EXPECT_EQ(archive_read_open_memory(reader.get(), tar.data(), tar.size()), ARCHIVE_OK);
  Files files;
  archive_entry* entry = nullptr;
  while (archive_read_next_header(reader.get(), &entry) == ARCHIVE_OK) {
    std::string content(static_cast<std::size_t>(archive_entry_size(entry)), '\0');
    EXPECT_EQ(archive_read_data(reader.get(), content.data(), content.size()),
              static_cast<la_ssize_t>(content.size()));
    if (archive_entry_filetype(entry) == AE_IFREG) files.emplace_back(archive_entry_pathname(entry), content);
  }
  EXPECT_EQ(archive_errno(reader.get()), 0) << archive_error_string(reader.get());
  return files;
}

Files read_by_us(const std::string& tar) {
  RecordingSink sink;
  parse(tar, sink);
  EXPECT_TRUE(sink.findings.empty());
  Files files;
  for (const TarMember& member : sink.members) files.emplace_back(member.name, text(member.bytes));
  return files;
}

std::string written_by_us(const Files& files) {
  Bytes tar;
  for (const auto& [name, content] : files) {
    append_header(tar, name, content.size());
    const auto* bytes = reinterpret_cast<const std::byte*>(content.data());
    tar.insert(tar.end(), bytes, bytes + content.size());
    append_padding(tar, content.size());
  }
  append_end(tar);
  return text(tar);
}

/// Names of up to `longest` bytes, of one folder or of many, and contents around the edges of blocks.
Files random_files(std::mt19937& random, std::size_t longest) {
  static constexpr std::size_t kSizes[] = {0, 1, 511, 512, 513, 1024, 5000};
  Files files;
  for (int i = 0; i < 12; ++i) {
    std::string name = std::to_string(i);
    const std::size_t length = 1 + random() % longest;
    while (name.size() < length)
      name += random() % 9 == 0 && name.back() != '/' ? '/' : static_cast<char>('a' + random() % 26);
    name += ".wav";
    files.emplace_back(name,
                       std::string(kSizes[random() % std::size(kSizes)], static_cast<char>(random() % 256)));
  }
  return files;
}

class BesideLibarchive : public ::testing::TestWithParam<std::pair<SetFormat, std::size_t>> {};

TEST_P(BesideLibarchive, WeReadWhatItWrites) {
  const auto& [set_format, longest] = GetParam();
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    const Files files = random_files(random, longest);
    EXPECT_EQ(read_by_us(written_by_libarchive(files, set_format)), files) << "seed " << seed;
  }
}

// v7 has room for 99 bytes of a name, ustar for a prefix as well where it can be split; pax and GNU for any.
INSTANTIATE_TEST_SUITE_P(Formats, BesideLibarchive,
                         ::testing::Values(std::pair{&archive_write_set_format_v7tar, std::size_t{90}},
                                           std::pair{&archive_write_set_format_ustar, std::size_t{90}},
                                           std::pair{&archive_write_set_format_pax, std::size_t{400}},
                                           std::pair{&archive_write_set_format_pax_restricted,
                                                     std::size_t{400}},
                                           std::pair{&archive_write_set_format_gnutar, std::size_t{400}}));

TEST(Libarchive, ReadsWhatWeWrite) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    const Files files = random_files(random, seed % 2 == 0 ? 90 : 300);
    const std::string tar = written_by_us(files);
    EXPECT_EQ(read_by_libarchive(tar), files) << "seed " << seed;
    EXPECT_EQ(read_by_us(tar), files) << "seed " << seed;
  }
}

/// A flipped bit in a header: neither may give a member that was not there under a name that was.
TEST(Libarchive, AgreesOnDamagedHeaders) {
  std::mt19937 random(7);
  const Files files = random_files(random, 60);
  const std::string sound = written_by_us(files);
  constexpr std::size_t kChecksumEnd = 154;  // a zero and a blank, which neither reads
  for (std::size_t bit = 0; bit < 512 * 8; bit += 5) {
    if (bit / 8 == kChecksumEnd || bit / 8 == kChecksumEnd + 1) continue;
    std::string tar = sound;
    tar[bit / 8] = static_cast<char>(tar[bit / 8] ^ (1 << (bit % 8)));
    RecordingSink sink;
    parse(tar, sink);
    for (const TarMember& member : sink.members) {
      const std::pair<std::string, std::string> found{member.name, text(member.bytes)};
      EXPECT_NE(std::find(files.begin(), files.end(), found), files.end())
          << "bit " << bit << ": " << member.name;
    }
    EXPECT_FALSE(sink.findings.empty()) << "bit " << bit;
  }
}

}  // namespace
}  // namespace shardmill::archive
