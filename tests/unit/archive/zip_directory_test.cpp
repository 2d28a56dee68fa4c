#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "archive/container.hpp"
#include "base/error.hpp"
#include "support/command_output.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::archive {
namespace {

using shardmill::testing::command_output;
using shardmill::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ZipDirectoryTest : public ::testing::Test {
 protected:
  /// A zip that Python makes: `script` gets it as z, open for writing.
  std::string zip(const std::string& script) {
    const std::string path = folder_.file("x.zip");
    folder_.write("make.py", "import sys, zipfile\nwith zipfile.ZipFile(sys.argv[1], 'w') as z:\n" + script);
    command_output("/usr/bin/python3 " + folder_.file("make.py") + " " + path);
    return command_output("cat " + path);
  }

  /// "path packed/plain", with ! for an encrypted one.
  std::vector<std::string> entries(const std::string& content) {
    const base::File file = base::File::open_read(folder_.write("x.zip", content));
    std::vector<std::string> lines;
    for (const ZipEntry& entry : read_zip_directory(file)) {
      lines.push_back(entry.path + " " + std::to_string(entry.packed_bytes) + "/" +
                      std::to_string(entry.plain_bytes) + (entry.is_encrypted ? "!" : ""));
    }
    return lines;
  }
  std::string problem(const std::string& content) {
    try {
      entries(content);
    } catch (const Error& error) {
      return error.what();
    }
    return "no problem";
  }

  TemporaryFolder folder_;
  const std::string two_ = zip(" z.writestr('a/b.txt', 'hello')\n z.writestr('c.wav', 'x' * 300)\n");
};

/// A number in the file, lowest byte first.
void put(std::string& content, std::size_t at, std::uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) content[at + i] = static_cast<char>(value >> (8 * i));
}
const std::string kEntry = "PK\x01\x02";
const std::string kEnd = "PK\x05\x06";

TEST_F(ZipDirectoryTest, EntriesInTheirOrder) {
  EXPECT_THAT(entries(two_), ElementsAre("a/b.txt 5/5", "c.wav 300/300"));
  EXPECT_THAT(entries(zip(" z.comment = b'PK\\x05\\x06 is no end'\n z.writestr('n\\u00e4', 'x')\n")),
              ElementsAre("n\xC3\xA4 1/1"));
  EXPECT_THAT(entries(zip(" pass\n")), IsEmpty());
}

TEST_F(ZipDirectoryTest, SizesAndPlacesOfSixtyFourBits) {
  // Written as a stream, with wide fields although nothing needs them.
  const std::string wide =
      zip(" with z.open(zipfile.ZipInfo('big.bin'), 'w', force_zip64=True) as f: f.write(b'12345')\n"
          " z.writestr('b', 'x')\n");
  EXPECT_THAT(entries(wide), ElementsAre("big.bin 5/5", "b 1/1"));
  // The same with the sizes of the first entry moved into an extra field, as for more than 4 GiB.
  std::string moved = two_;
  const std::size_t entry = moved.find(kEntry);
  std::string extra("\x01\0\x18\0", 4);
  extra.resize(4 + 24);
  put(extra, 4, 5, 8);
  put(extra, 12, 5, 8);
  put(extra, 20, 0, 8);
  put(moved, entry + 20, 0xFFFFFFFF, 4);
  put(moved, entry + 24, 0xFFFFFFFF, 4);
  put(moved, entry + 42, 0xFFFFFFFF, 4);
  put(moved, entry + 30, extra.size(), 2);
  moved.insert(entry + 46 + 7, extra);
  const std::size_t end = moved.rfind(kEnd);
  put(moved, end + 12, end - entry, 4);
  EXPECT_THAT(entries(moved), ElementsAre("a/b.txt 5/5", "c.wav 300/300"));
}

TEST_F(ZipDirectoryTest, EncryptedEntriesAreMarked) {
  std::string content = two_;
  content[content.find(kEntry) + 8] |= 1;
  EXPECT_THAT(entries(content), ElementsAre("a/b.txt 5/5!", "c.wav 300/300"));
}

TEST_F(ZipDirectoryTest, AZipThatIsCutHasNoDirectory) {
  for (std::size_t size = 0; size < two_.size(); ++size)
    EXPECT_THAT(problem(two_.substr(0, size)), HasSubstr("x.zip: is a zip without the directory at its end"))
        << size;
}

TEST_F(ZipDirectoryTest, ADirectoryThatIsDamagedIsNotTakenForAShorterOne) {
  std::string content = two_;
  content[content.rfind(kEntry) + 2] = 'x';
  EXPECT_THAT(problem(content), HasSubstr("x.zip: its directory is damaged"));
  content = two_;
  put(content, content.rfind(kEntry) + 28, 60'000, 2);  // a name that goes on behind it
  EXPECT_THAT(problem(content), HasSubstr("its directory is damaged"));
  content = two_;
  const std::size_t end = content.rfind(kEnd);
  put(content, end + 12, end - content.find(kEntry) - 20, 4);  // less than its entries take
  EXPECT_THAT(problem(content), HasSubstr("its directory is damaged"));
  content = two_;
  put(content, end + 16, 1'000'000, 4);  // behind the end of the file
  EXPECT_THAT(problem(content), HasSubstr("is a zip without the directory at its end"));
}

TEST_F(ZipDirectoryTest, EntriesThatOverlapMayUnpackToAnySize) {
  // Both stand for the bytes of the first one.
  std::string content = two_;
  put(content, content.rfind(kEntry) + 42, 0, 4);
  EXPECT_THAT(problem(content), HasSubstr("its entries overlap"));
  // One claims more than there is before the directory.
  content = two_;
  put(content, content.rfind(kEntry) + 20, 5'000, 4);
  EXPECT_THAT(problem(content), HasSubstr("its entries overlap"));
  content = two_;
  put(content, content.rfind(kEntry) + 42, content.size() - 1, 4);
  EXPECT_THAT(problem(content), HasSubstr("its entries overlap"));
}

}  // namespace
}  // namespace shardmill::archive
