#include "archive/tar_header.hpp"

#include <gtest/gtest.h>

#include "archive/recording_sink.hpp"
#include "support/command_output.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::archive {
namespace {

using testing::command_output;
using testing::TemporaryFolder;

const std::vector<std::pair<std::string, std::string>> kNamedFiles{
    {"a.txt", "hello"},
    {"a.wav", std::string(1000, 'x')},
    {"empty.txt", ""},
    {"block.wav", std::string(512, 'b')},
    {"\xe4\xb8\xad\xe6\x96\x87.txt", "utf-8"},
    {std::string(96, 'n') + ".wav", "100 bytes of name"},
    {std::string(97, 'm') + ".wav", "101 bytes of name"},
    {std::string(150, 'p') + "/" + std::string(90, 'q') + ".wav", "prefix"},
    {std::string(200, 'p') + "/" + std::string(90, 'q') + ".wav", "pax"},
    {std::string(300, 'l') + ".wav", "long"},
};

TEST(TarHeader, PythonReadsWhatIsWritten) {
  const TemporaryFolder folder;
  const std::string path = folder.write("t.tar", make_tar(kNamedFiles));
  std::string expected;
  for (const auto& [name, content] : kNamedFiles) {
    expected += name + " " + std::to_string(content.size()) + " 420 0 0 0 '' ''\n" + content + "\n";
  }
  EXPECT_EQ(command_output(
                "/usr/bin/python3 -c 'import sys,tarfile\nout=sys.stdout.buffer\n"
                "t=tarfile.open(sys.argv[1])\nfor m in t:\n"
                "  out.write((\"%s %d %d %d %d %d %r %r\\n\" % (m.name, m.size, m.mode, m.uid, m.gid, "
                "m.mtime, m.uname, m.gname)).encode())\n  out.write(t.extractfile(m).read()+b\"\\n\")' " +
                path),
            expected);
}

TEST(TarHeader, GnuTarAndBsdtarReadWhatIsWritten) {
  const TemporaryFolder folder;
  const std::string path = folder.write("t.tar", make_tar(kNamedFiles));
  std::string names;
  std::string contents;
  for (const auto& [name, content] : kNamedFiles) {
    names += name + "\n";
    contents += content;
  }
  EXPECT_EQ(command_output("tar --quoting-style=literal -tf " + path + " 2>&1"), names);
  EXPECT_EQ(command_output("LC_ALL=C.UTF-8 bsdtar -tf " + path + " 2>&1"), names);
  EXPECT_EQ(command_output("tar -xOf " + path + " 2>&1"), contents);
  EXPECT_EQ(command_output("bsdtar -xOf " + path + " 2>&1"), contents);
}

TEST(TarHeader, UsesUstarWhereItSuffices) {
  for (const auto& [name, size] :
       std::vector<std::pair<std::string, std::size_t>>{{"a.wav", 512},
                                                        {kNamedFiles[5].first, 512},
                                                        {kNamedFiles[6].first, 1536},
                                                        {kNamedFiles[7].first, 512}}) {
    Bytes out;
    append_header(out, name, 1);
    EXPECT_EQ(out.size(), size) << name;
  }
}

TEST(TarHeader, SizesBeyondOctalAreWrittenAsPax) {
  constexpr std::uint64_t kSize = 8ULL << 30;
  for (const std::uint64_t size : {kSize - 1, kSize, kSize + 12345}) {
    Bytes out;
    append_header(out, "a.wav", size);
    EXPECT_EQ(out.size(), size < kSize ? 512U : 1536U);
    const TemporaryFolder folder;
    const std::string path = folder.write("t.tar", text(out));
    // A hole in place of the data, so that tar can list the file.
    ASSERT_EQ(::truncate(path.c_str(), static_cast<off_t>(out.size() + size + padding_bytes(size) + 1024)),
              0);
    EXPECT_EQ(command_output("tar -tvf " + path + " | awk '{print $3, $6}'"),
              std::to_string(size) + " a.wav\n");
    RecordingSink sink;
    TarParser(sink, kTestMemberLimit).feed(out);
    ASSERT_EQ(sink.findings.size(), 1U);
    EXPECT_EQ(sink.findings[0].problem, ShardProblem::oversized_member);
    EXPECT_EQ(sink.findings[0].bytes, size);
  }
}

TEST(TarHeader, EveryFlippedBitIsNoticed) {
  Bytes block;
  append_header(block, "name.wav", 123456);
  for (std::size_t bit = 0; bit < block.size() * 8; ++bit) {
    Bytes flipped = block;
    flipped[bit / 8] ^= std::byte{1} << (bit % 8);
    const auto header = read_header(std::span(flipped).first<kTarBlockBytes>());
    // Bits after the end of the checksum's digits do not matter.
    if (header) {
      EXPECT_EQ(header->name, "name.wav");
      EXPECT_EQ(header->size, 123456U);
      EXPECT_TRUE(bit / 8 >= 148 && bit / 8 < 156) << bit;
    }
  }
}

TEST(TarHeader, SignedChecksumsAndOddNumbersOfOldTarsAreRead) {
  Bytes block;
  append_header(block, "\xe4\xb8\xad.wav", 7);
  auto* chars = reinterpret_cast<char*>(block.data());
  set_checksum<signed char>(chars);
  auto header = read_header(std::span(block).first<kTarBlockBytes>());
  ASSERT_TRUE(header);
  EXPECT_EQ(header->size, 7U);

  const auto size_of = [&](std::string_view field) {
    std::copy(field.begin(), field.end(), chars + 124);
    set_checksum(chars);
    return read_header(std::span(block).first<kTarBlockBytes>())->size;
  };
  using namespace std::string_view_literals;
  EXPECT_EQ(size_of("        123 "sv), 0123U);
  EXPECT_EQ(size_of("000000000123"sv), 0123U);
  EXPECT_EQ(size_of("777777777777"sv), 0777777777777U);
  EXPECT_EQ(size_of("\0\0\0\0\0\0\0\0\0\0\0\0"sv), 0U);
  EXPECT_EQ(size_of("\x80\0\0\0\0\0\0\0\0\0\x12\x34"sv), 0x1234U);
  EXPECT_EQ(size_of("\x80\0\0\0\x40\0\0\0\0\0\0\0"sv), kTarMaxBytes);
  EXPECT_EQ(size_of("\x80\0\0\0\x40\0\0\0\0\0\0\1"sv), std::nullopt);
  EXPECT_EQ(size_of("\x80\0\0\1\0\0\0\0\0\0\0\0"sv), std::nullopt);
  EXPECT_EQ(size_of("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"sv), std::nullopt);
  EXPECT_EQ(size_of("-00000000123"sv), std::nullopt);
  EXPECT_EQ(size_of("00000000128 "sv), std::nullopt);
}

}  // namespace
}  // namespace shardmill::archive
