#include "archive/container.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "support/command_output.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::archive {
namespace {

using shardmill::testing::command_output;
using shardmill::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ContainerFormat, ByTheFirstBytes) {
  const auto format = [](std::string_view first) { return container_format(base::as_bytes(first)); };
  EXPECT_EQ(format("PK\x03\x04 more"), "zip");
  EXPECT_EQ(format("PK\x05\x06"), "zip");  // an empty one
  EXPECT_EQ(format("7z\xBC\xAF\x27\x1C"), "7z");
  EXPECT_EQ(format(std::string_view("Rar!\x1A\x07\0", 7)), "rar");
  EXPECT_EQ(format(std::string_view("Rar!\x1A\x07\x01\0", 8)), "rar");
  for (const char* none : {"", "P", "PK\x03", "7z", "Rar!", "\x1F\x8B\x08", "PK\x07\x08"})
    EXPECT_EQ(format(none), "") << none;
}

class ContainerTest : public ::testing::Test {
 protected:
  /// An archive that bsdtar makes of two files and a folder.
  std::string made(const std::string& name, const std::string& options) {
    folder_.write("in/a.txt", "hello");
    folder_.write("in/d/b.wav", std::string(600'000, 'w'));
    command_output("cd " + folder_.file("in") + " && bsdtar " + options + " -cf " + folder_.file(name) +
                   " a.txt d");
    return folder_.file(name);
  }

  /// "path", with its size for files and / for others; the message where reading ends.
  static std::vector<std::string> listed(const std::string& path, std::uint64_t limit = 1 << 20) {
    std::vector<std::string> lines;
    try {
      const base::File file = base::File::open_read(path);
      Container container(file);
      while (const auto entry = container.next()) {
        try {
          lines.push_back(entry->path +
                          (entry->is_file ? " " + std::to_string(container.read(limit).size()) : "/"));
        } catch (const Error& error) {
          lines.push_back(std::string("! ") + error.what());
        }
      }
    } catch (const Error& error) {
      lines.push_back(std::string("end: ") + error.what());
    }
    return lines;
  }

  TemporaryFolder folder_;
};

TEST_F(ContainerTest, ZipAndSevenZip) {
  if (std::system("command -v bsdtar > /dev/null") != 0) GTEST_SKIP() << "bsdtar is not installed";
  EXPECT_THAT(listed(made("x.zip", "--format zip")), ElementsAre("a.txt 5", "d//", "d/b.wav 600000"));
  EXPECT_THAT(listed(made("x.7z", "--format 7zip")),
              ::testing::UnorderedElementsAre("a.txt 5", HasSubstr("d"), "d/b.wav 600000"));
}

TEST_F(ContainerTest, NamesThatAreNotAscii) {
  const std::string path = folder_.file("x.zip");
  // The last name is in another encoding, which zips of Windows do not tell.
  folder_.write("make.py",
                "import sys, zipfile\nwith zipfile.ZipFile(sys.argv[1], 'w') as z:\n"
                " for name in ('中文.wav', 'é.wav', '😀', 'ÄÖ'): z.writestr(name, 'x')\n"
                "data = bytearray(open(sys.argv[1], 'rb').read())\n"
                "while (at := data.find('ÄÖ'.encode())) >= 0:\n"
                " data[at:at + 4] = b'\\xc7\\xd1\\xb1\\xdb'\n"
                " for sign, name, flag in (b'PK\\3\\4', 30, 7), (b'PK\\1\\2', 46, 9):\n"
                "  if data[at - name:at - name + 4] == sign: data[at - name + flag] &= ~8\n"
                "open(sys.argv[1], 'wb').write(data)\n");
  command_output("/usr/bin/python3 " + folder_.file("make.py") + " " + path);
  EXPECT_THAT(listed(path), ElementsAre("中文.wav 1", "é.wav 1", "😀 1", "\xC7\xD1\xB1\xDB 1"));
}

TEST_F(ContainerTest, AnEntryThatIsTooLargeIsToldAndTheNextOneRead) {
  const std::string path = folder_.file("x.zip");
  folder_.write("make.py",
                "import sys, zipfile\nwith zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED) as z:\n"
                " z.writestr('bomb', b'0' * 5000000)\n z.writestr('b', b'small')\n");
  command_output("/usr/bin/python3 " + folder_.file("make.py") + " " + path);
  EXPECT_THAT(listed(path),
              ElementsAre(HasSubstr("x.zip: member 'bomb': unpacks to more than 1048576 bytes"), "b 5"));
}

TEST_F(ContainerTest, DamageIsAnErrorAndNoShorterFile) {
  const std::string path = folder_.file("x.zip");
  folder_.write("make.py",
                "import sys, zipfile\nwith zipfile.ZipFile(sys.argv[1], 'w') as z:\n"
                " z.writestr('a', b'0123456789' * 100)\n z.writestr('b', b'small')\n");
  command_output("/usr/bin/python3 " + folder_.file("make.py") + " " + path);
  std::string content = command_output("cat " + path);
  content[300] = static_cast<char>(content[300] ^ 1);
  folder_.write("x.zip", content);
  EXPECT_THAT(listed(path),
              ElementsAre(HasSubstr("x.zip: member 'a': this entry cannot be unpacked: "), "b 5"));
}

TEST_F(ContainerTest, WhatIsNoArchive) {
  const std::string text = folder_.write("text", "no archive at all, but a text that goes on for a while");
  const auto lines = listed(text);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], HasSubstr("end: "));
}

TEST_F(ContainerTest, SaysHowFarItIs) {
  const std::string path = folder_.file("x.zip");
  folder_.write(
      "make.py",
      "import sys, zipfile\nwith zipfile.ZipFile(sys.argv[1], 'w') as z:\n z.writestr('a', b'0' * 900000)\n");
  command_output("/usr/bin/python3 " + folder_.file("make.py") + " " + path);
  const base::File file = base::File::open_read(path);
  Container container(file);
  ASSERT_TRUE(container.next().has_value());
  container.read(1 << 20);
  EXPECT_GE(container.consumed_bytes(), 900'000u);
}

}  // namespace
}  // namespace shardmill::archive
