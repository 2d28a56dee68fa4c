#include "source/archive_entries.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>

#include "archive/tar_header.hpp"
#include "base/error.hpp"
#include "base/io/file.hpp"
#include "support/command_output.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::source {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string tar(const std::vector<std::pair<std::string, std::string>>& files) {
  Bytes out;
  for (const auto& [name, content] : files) {
    archive::append_header(out, name, content.size());
    const auto bytes = base::as_bytes(content);
    out.insert(out.end(), bytes.begin(), bytes.end());
    archive::append_padding(out, content.size());
  }
  archive::append_end(out);
  return {reinterpret_cast<const char*>(out.data()), out.size()};
}

/// A tar that does not end, with one symbolic link.
std::string tar_with_link(const std::string& name) {
  Bytes out;
  archive::append_header(out, name, 0);
  std::string block(reinterpret_cast<const char*>(out.data()), out.size());
  block[156] = '2';
  block[157] = 'a';
  block.replace(148, 8, "        ");
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  block.replace(148, 8, fmt::format("{:06o}", sum) + std::string("\0 ", 2));
  return block;
}

/// "path=content", or "! message".
std::vector<std::string> read(const std::string& path, const EntryOptions& options) {
  base::File file = base::File::open_read(path);
  const auto entries = open_entries(file, options);
  std::vector<ArchiveItem> items;
  while (entries->read(items)) continue;
  std::vector<std::string> lines;
  for (const ArchiveItem& item : items) {
    if (const auto* error = std::get_if<Error>(&item)) {
      lines.push_back(std::string("! ") + error->what());
    } else {
      const auto& entry = std::get<ArchiveEntry>(item);
      if (entry.file) {
        std::string content(entry.file->size(), '\0');
        entry.file->read_at(std::as_writable_bytes(std::span(content)), 0);
        lines.push_back(entry.path + " from a file=" + content);
        continue;
      }
      lines.push_back(entry.path + "=" +
                      std::string(reinterpret_cast<const char*>(entry.bytes.data()), entry.bytes.size()));
    }
  }
  return lines;
}

const EntryOptions kTexts{.wanted = [](std::string_view path) { return path.ends_with(".txt"); }};

TEST(ArchiveEntriesTest, ArchivesInTheArchiveLieWhereTheyWouldBeUnpacked) {
  const testing::TemporaryFolder folder;
  const std::string inner = tar({{"./s/b.txt", "B"}, {"s/b.wav", "W"}});
  folder.write("x.tar", tar({{"a.txt", "A"}, {"d/i.tar", inner}, {"d/j.tar", inner}, {"z.txt", "Z"}}));
  EXPECT_THAT(read(folder.file("x.tar"), kTexts),
              ElementsAre("a.txt=A", "z.txt=Z", "d/s/b.txt=B", "d/s/b.txt=B"));
}

TEST(ArchiveEntriesTest, DamageSaysWhere) {
  const testing::TemporaryFolder folder;
  const std::string inner = tar({{"b.txt", std::string(2000, 'b')}});
  folder.write("x.tar", tar({{"d/i.tar", inner.substr(0, 1000)}, {"../a.txt", "A"}, {"c.txt", "C"}}));
  EXPECT_THAT(read(folder.file("x.tar"), kTexts), ElementsAre(HasSubstr("x.tar!../a.txt: its name leads out"),
                                                              "c.txt=C", HasSubstr("x.tar!d/i.tar!b.txt")));
}

TEST(ArchiveEntriesTest, NotEndlesslyDeep) {
  const testing::TemporaryFolder folder;
  std::string content = tar({{"a.txt", "A"}});
  for (int i = 0; i < 5; ++i) content = tar({{"i.tar", content}});
  folder.write("x.tar", content);
  EXPECT_THAT(read(folder.file("x.tar"), kTexts),
              ElementsAre(HasSubstr("is an archive in an archive, 3 deep")));
}

TEST(ArchiveEntriesTest, FilesThatAreTooLarge) {
  const testing::TemporaryFolder folder;
  folder.write("x.tar", tar({{"a.txt", "12345"}, {"b.wav", "12345"}, {"c.txt", "1"}}));
  EntryOptions options = kTexts;
  options.limit_bytes = 4;
  EXPECT_THAT(read(folder.file("x.tar"), options), ElementsAre(HasSubstr("a.txt"), "c.txt=1"));
}

TEST(ArchiveEntriesTest, HiddenFilesAreNoPartOfACorpus) {
  // LibriTTS, for example, was packed on a Mac: its dev-clean.tar.gz has a "._84_121550_000007_000000.wav".
  const testing::TemporaryFolder folder;
  const std::string inner = tar({{"._c.txt", "\x05\x16\x07"}, {"c.txt", "C"}});
  folder.write("x.tar", tar({{"./d/._a.txt", "\x05\x16\x07"},
                             {"./d/a.txt", "A"},
                             {".git/b.txt", "B"},
                             {"._i.tar", "no tar"},
                             {"../.x.txt", "X"},
                             {"i.tar", inner}}));
  // A name that leads out is told all the same.
  EXPECT_THAT(read(folder.file("x.tar"), kTexts),
              ElementsAre("d/a.txt=A", HasSubstr("../.x.txt: its name leads out"), "c.txt=C"));
  EXPECT_THAT(read(folder.file("x.tar"), {}),
              ElementsAre("d/a.txt=A", HasSubstr("leads out"), "i.tar=" + inner));

  folder.write("y.tar", tar({{"d/._a.txt", "\x05\x16\x07"}, {"d/a.txt", "A"}, {"._i.tar", "no tar"}}));
  base::File file = base::File::open_read(folder.file("y.tar"));
  std::vector<std::string> paths;
  EXPECT_TRUE(read_ahead(file, kTexts, [&](ArchiveEntry&& entry) { paths.push_back(entry.path); }));
  EXPECT_THAT(paths, ElementsAre("d/a.txt"));
}

TEST(ArchiveEntriesTest, LargeFilesGoThroughAScratchFile) {
  const testing::TemporaryFolder folder;
  const std::string large(100'000, 'x');
  const std::string inner = tar({{"i.txt", large}, {"small.txt", "s"}});
  const std::string whole =
      tar({{"a.txt", large}, {"b.wav", large}, {"c.txt", "1"}, {"d/i.tar", inner}, {"../e.txt", large}});
  folder.write("x.tar", whole);
  EntryOptions options = kTexts;
  options.limit_bytes = 1000;
  options.scratch = std::make_shared<ScratchSpace>(whole.size());
  EXPECT_THAT(read(folder.file("x.tar"), options),
              ElementsAre("a.txt from a file=" + large, "c.txt=1", HasSubstr("e.txt"),
                          "d/i.txt from a file=" + large, "d/small.txt=s"));
  EXPECT_EQ(options.scratch->taken_bytes(), 0U);  // all was given back with the files
  // What is cut is not given.
  folder.write("x.tar", whole.substr(0, 50'000));
  EXPECT_THAT(read(folder.file("x.tar"), options), ElementsAre(HasSubstr("the tar ends inside this member")));
}

TEST(ArchiveEntriesTest, LargeFilesOfAZipGoThroughAScratchFile) {
  const testing::TemporaryFolder folder;
  const std::string large(100'000, 'x');
  const std::string inner = tar({{"i.txt", large}});
  folder.write("in/a.txt", large);
  folder.write("in/b.wav", large);
  folder.write("in/c.txt", "1");
  folder.write("in/d/i.tar", inner);
  testing::command_output("cd " + folder.file("in") + " && bsdtar --format zip -cf " + folder.file("x.zip") +
                          " a.txt b.wav c.txt d");
  EntryOptions options = kTexts;
  options.limit_bytes = 1000;
  options.scratch = std::make_shared<ScratchSpace>(std::uint64_t{1} << 20);
  EXPECT_THAT(read(folder.file("x.zip"), options),
              ElementsAre("a.txt from a file=" + large, "c.txt=1", "d/i.txt from a file=" + large));
  EXPECT_EQ(options.scratch->taken_bytes(), 0U);
  options.scratch.reset();
  EXPECT_THAT(read(folder.file("x.zip"), options),
              ElementsAre(HasSubstr("a.txt: unpacks to more than"), "c.txt=1",
                          HasSubstr("i.tar: unpacks to more than")));
}

TEST(ArchiveEntriesTest, LinksComeOnlyWhereTheyAreWanted) {
  const testing::TemporaryFolder folder;
  folder.write("x.tar", tar_with_link("d/l.txt") + tar({{"a.txt", "A"}}));
  EXPECT_THAT(read(folder.file("x.tar"), kTexts), ElementsAre("a.txt=A"));
  EntryOptions options = kTexts;
  options.has_links = true;
  EXPECT_THAT(read(folder.file("x.tar"), options), ElementsAre("d/l.txt=", "a.txt=A"));
  base::File file = base::File::open_read(folder.file("x.tar"));
  std::vector<std::string> links;
  EXPECT_TRUE(read_ahead(file, options, [&](ArchiveEntry&& entry) {
    if (entry.is_link) links.push_back(entry.path);
  }));
  EXPECT_THAT(links, ElementsAre("d/l.txt"));
}

TEST(ArchiveEntriesTest, ReadsAheadInPlainTars) {
  const testing::TemporaryFolder folder;
  folder.write("x.tar", tar({{"a.wav", "W"}, {"d/b.txt", "B"}}));
  base::File file = base::File::open_read(folder.file("x.tar"));
  std::vector<std::string> paths;
  EXPECT_TRUE(read_ahead(file, kTexts, [&](ArchiveEntry&& entry) { paths.push_back(entry.path); }));
  EXPECT_THAT(paths, ElementsAre("d/b.txt"));
}

}  // namespace
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kMegabyte = 1'000'000;

TEST(ScratchSpaceTest, AnArchiveMayTakeAHundredTimesItsSize) {
  const std::uint64_t most = ScratchSpace::kMostTimes * kMegabyte + ScratchSpace::kAlwaysBytes;
  ScratchSpace space(kMegabyte);
  space.take(most - 10);
  EXPECT_EQ(space.taken_bytes(), most - 10);
  try {
    space.take(11);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("more than 100 times the size of the archive"));
  }
  EXPECT_EQ(space.taken_bytes(), most - 10);
  space.take(10);
  space.give_back(most);
  EXPECT_EQ(space.taken_bytes(), 0U);
}

TEST(ScratchSpaceTest, AbsurdSizesDoNotOverflow) {
  ScratchSpace space(UINT64_MAX);
  EXPECT_NO_THROW(space.take(1));
  ScratchSpace small(0);
  EXPECT_THROW(small.take(UINT64_MAX), Error);
  EXPECT_EQ(small.taken_bytes(), 0U);
}

TEST(ScratchSpaceTest, BytesAreGivenBackWithTheFile) {
  const auto space = std::make_shared<ScratchSpace>(kMegabyte);
  space->take(5);
  auto file = space->share(space->file(), 5);
  file->write_at(base::as_bytes("hello"), 0);
  auto other = file;
  file.reset();
  EXPECT_EQ(space->taken_bytes(), 5U);
  EXPECT_EQ(other->size(), 5U);
  other.reset();
  EXPECT_EQ(space->taken_bytes(), 0U);
}

}  // namespace
}  // namespace shardmill::source
