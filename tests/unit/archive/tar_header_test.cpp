#include "archive/tar_header.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "archive/recording_sink.hpp"
#include "archive/tar_building.hpp"
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

namespace {

/// A pax record: its length counts its own digits.
std::string record(const std::string& text) {
  std::size_t length = text.size() + 3;
  while (std::to_string(length).size() + text.size() + 2 != length) ++length;
  return std::to_string(length) + " " + text + "\n";
}

std::string_view problem(const std::string& records) {
  TarAttributes attributes;
  return read_pax(base::as_bytes(records), attributes);
}

TarAttributes attributes(const std::string& records) {
  TarAttributes read;
  EXPECT_EQ(read_pax(base::as_bytes(records), read), "") << records;
  return read;
}

TEST(Pax, GivesPathAndSizeWhateverElseStandsThere) {
  const auto read =
      attributes(record("mtime=1.5") + record("path=a b/\xe5\xa3\xb0=\n.wav") + record("size=8589934592"));
  EXPECT_EQ(read.path, "a b/\xe5\xa3\xb0=\n.wav");
  EXPECT_EQ(read.size, 8589934592u);
  EXPECT_FALSE(read.sparse);
  EXPECT_TRUE(attributes(record("GNU.sparse.major=1")).sparse);
}

TEST(Pax, ASparseFileHasItsOwnNameBesideTheMadeUpOne) {
  const auto read = attributes(record("GNU.sparse.major=1") + record("GNU.sparse.name=a/b.wav") +
                               record("path=GNUSparseFile.7/b.wav"));
  EXPECT_TRUE(read.sparse);
  EXPECT_EQ(read.sparse_name, "a/b.wav");
  EXPECT_EQ(read.path, "GNUSparseFile.7/b.wav");
  EXPECT_EQ(attributes(record("GNU.sparse.name=")).sparse_name, std::nullopt);
  EXPECT_EQ(attributes(record("GNU.sparse.size=9")).sparse_name, std::nullopt);
}

TEST(Pax, PathsOfEveryLengthReadBack) {
  for (std::size_t length = 1; length < 1100; ++length) {
    const std::string path(length, 'p');
    ASSERT_EQ(attributes(record("path=" + path) + record("size=7")).path, path);
  }
}

TEST(Pax, TheLastWordCountsAndAnEmptyOneTakesBack) {
  EXPECT_EQ(attributes(record("path=a") + record("path=b")).path, "b");
  EXPECT_EQ(attributes(record("path=a") + record("path=")).path, std::nullopt);
  EXPECT_EQ(attributes(record("size=1") + record("size=")).size, std::nullopt);
}

TEST(Pax, ZerosEndTheRecords) {
  EXPECT_EQ(attributes(record("path=a") + std::string("\0"
                                                      "11 path=xx\n",
                                                      12))
                .path,
            "a");
  EXPECT_EQ(attributes("").path, std::nullopt);
}

TEST(Pax, EveryCutInsideARecordIsSeen) {
  const std::string one = record("path=abc");
  const std::string both = one + record("size=12");
  for (std::size_t cut = 0; cut <= both.size(); ++cut) {
    const bool between_records = cut == 0 || cut == one.size() || cut == both.size();
    EXPECT_EQ(problem(both.substr(0, cut)).empty(), between_records) << cut;
  }
}

TEST(Pax, RecordsThatAreNoneAreRefused) {
  for (const char* bad : {"x", " ", "7 a=b\n", "6  a=b", "6 =ab\n", "8 abcd\n", "-6 a=b\n", "+6 a=b\n",
                          "0 \n", "3 \n", "99999999999999999999 a=b\n", "0x6 a=b\n"}) {
    EXPECT_NE(problem(bad), "") << bad;
  }
  for (const char* size : {"-1", "1x", "0x10", "99999999999999999999", "4611686018427387905", " 1"}) {
    EXPECT_NE(problem(record(std::string("size=") + size)), "") << size;
  }
  EXPECT_EQ(problem(record("size=4611686018427387904")), "");
}

TEST(Pax, RandomBytesNeverReadBeyondTheirEnd) {
  std::mt19937 random(3);
  const std::string letters = "0123456789 =\npath";
  for (int round = 0; round < 20000; ++round) {
    // Just as large as it is, so that a sanitizer sees a byte too far.
    std::vector<std::byte> bytes(random() % 24);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(letters[random() % letters.size()]);
    TarAttributes read;
    read_pax(bytes, read);
    if (read.path) {
      EXPECT_LE(read.path->size(), bytes.size());
    }
  }
}

TEST(LongName, EndsAtItsFirstZero) {
  TarAttributes read;
  read_long_name(base::as_bytes(std::string_view("name.wav\0junk", 13)), read);
  EXPECT_EQ(read.path, "name.wav");
  read_long_name(base::as_bytes(std::string_view("no zero")), read);
  EXPECT_EQ(read.path, "no zero");
}

}  // namespace

namespace {

TEST(TarTypesTest, MembersThatAreNoFiles) {
  TarHeader header;
  header.link_target = "x";
  struct Expected {
    char type;
    ShardProblem problem;
    const char* text;
    bool has_data;
  };
  for (const Expected& expected : {Expected{'1', ShardProblem::link, "a hard link to 'x'", false},
                                   Expected{'2', ShardProblem::link, "a symbolic link to 'x'", false},
                                   Expected{'3', ShardProblem::special_file, "a device", false},
                                   Expected{'5', ShardProblem::directory, "a directory", false},
                                   Expected{'D', ShardProblem::directory, "a directory", true},
                                   Expected{'S', ShardProblem::sparse_file, "a sparse file", true},
                                   Expected{'V', ShardProblem::special_file, "a member of type 'V'", true}}) {
    header.type = expected.type;
    const NoFile found = no_file(header);
    EXPECT_EQ(found.problem, expected.problem) << expected.type;
    EXPECT_EQ(found.text, expected.text);
    EXPECT_EQ(found.has_data, expected.has_data) << expected.type;
  }
}

TEST(TarTypesTest, NamesThatReadersStumbleOver) {
  for (const char* odd : {"", "/etc/x", "..", "../x", "a/..", "a/../b", "a\nb", "a\x7f"})
    EXPECT_TRUE(is_odd_name(odd)) << odd;
  for (const char* name : {"a", "a/b.wav", "...", "a..b", "..a/b", "\xe4\xbd\xa0"})
    EXPECT_FALSE(is_odd_name(name)) << name;
}

}  // namespace

namespace {

using Found = std::optional<std::size_t>;

Found search(const std::string& window, Found first_boundary = {}) {
  return find_header(base::as_bytes(window), first_boundary);
}

/// A header of before POSIX: no magic.
std::string old_header() {
  std::string block = header_block('0', "old.wav", "00000000010");
  block.replace(257, 8, 8, '\0');
  set_checksum(block.data());
  return block;
}

std::string noise(std::mt19937& random, std::size_t bytes) {
  std::string out(bytes, '\0');
  for (char& c : out) c = static_cast<char>(random());
  return out;
}

TEST(FindHeader, FindsOneAtAnyPlaceInNoise) {
  std::mt19937 random(5);
  const std::string header = header_block('0', "a.wav", "00000000010");
  for (std::size_t at = 0; at < 1200; ++at) {
    const std::string window = noise(random, at) + header + noise(random, random() % 600);
    ASSERT_EQ(search(window), at);
    ASSERT_EQ(search(window.substr(0, at + 511)), std::nullopt) << "cut";
  }
}

TEST(FindHeader, GivesTheFirstOfTwo) {
  const std::string header = header_block('0', "a.wav", "00000000010");
  EXPECT_EQ(search("xyz" + header + header), 3u);
}

TEST(FindHeader, AWordThatLooksLikeMagicHidesNothing) {
  // "ustar" in the data just before a header, and over and over again.
  const std::string header = header_block('0', "a.wav", "00000000010");
  std::string bait;
  while (bait.size() < 900) bait += "ustar";
  EXPECT_EQ(search(bait + header), bait.size());
}

TEST(FindHeader, AnOldHeaderIsFoundOnlyOnABlockBoundary) {
  const std::string window = std::string(700, 'x') + old_header();
  EXPECT_EQ(search(window), std::nullopt);
  EXPECT_EQ(search(window, 700 % 512), 700u);
  EXPECT_EQ(search(window, 700 % 512 + 1), std::nullopt);
  EXPECT_EQ(search(window, 700 + 512), std::nullopt);
}

TEST(FindHeader, AFlippedBitMakesAHeaderNone) {
  const std::string header = header_block('0', "a.wav", "00000000010");
  for (std::size_t bit = 0; bit < 8 * header.size(); ++bit) {
    std::string changed = header;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << (bit % 8)));
    if (changed.substr(148, 8) != header.substr(148, 8))
      continue;  // may be written otherwise: "0013" is "013"
    EXPECT_EQ(search(changed, 0), std::nullopt) << bit;
  }
}

TEST(FindHeader, TypesNamesAndSizesMustMakeSense) {
  EXPECT_EQ(search(header_block('5', "folder/", "00000000000")), 0u);
  EXPECT_EQ(search(header_block('x', "pax", "00000000100")), 0u);
  EXPECT_EQ(search(header_block('Q', "a.wav", "00000000010")), std::nullopt);
  EXPECT_EQ(search(header_block('0', "", "00000000010")), std::nullopt);
  EXPECT_EQ(search(header_block('0', "a.wav", "0000000009x")), std::nullopt);
}

TEST(FindHeader, ShortWindowsHoldNone) {
  for (std::size_t bytes = 0; bytes < 512; ++bytes)
    EXPECT_EQ(search(std::string(bytes, '\0'), 0), std::nullopt);
  EXPECT_EQ(search(std::string(2048, '\0'), 0), std::nullopt);
}

}  // namespace

namespace {

TEST(TarEndTest, NothingIsSaidOfATarThatHasNotEnded) {
  EXPECT_FALSE(TarEnd().finding(10'240).has_value());
}

TEST(TarEndTest, ZerosThatFillUpARecordAndMore) {
  TarEnd end;
  end.begin(1'024);
  end.add(std::vector<std::byte>(8'192), 2'048);
  EXPECT_FALSE(end.finding(10'240).has_value());
  const auto found = end.finding(1 << 22);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->problem, ShardProblem::zeros_after_end);
  EXPECT_EQ(found->offset, 1'024u);
  EXPECT_EQ(found->bytes, (1u << 22) - 1'024);
}

/// Where bytes are missing in a member, it reaches into the padding.
TEST(TarEndTest, ABlockThatIsNotWhole) {
  TarEnd end;
  end.begin(1'024);
  end.add(std::vector<std::byte>(100), 2'048);
  const auto found = end.finding(2'148);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->problem, ShardProblem::zeros_after_end);
  EXPECT_EQ(found->text,
            "the 1124 zero bytes at its end are no multiple of 512: bytes are missing, in its members or at "
            "its end");
}

/// After other damage the end may begin anywhere, also in a tar whose size is a multiple of a block.
TEST(TarEndTest, ABlockThatIsNotWholeBehindDamage) {
  TarEnd end;
  end.begin(1'124);
  end.add(std::vector<std::byte>(9'116 - 1'024), 2'148);
  const auto found = end.finding(10'240);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->text,
            "the 9116 zero bytes at its end are no multiple of 512: bytes are missing, in its members or at "
            "its end");
}

TEST(TarEndTest, OtherBytes) {
  TarEnd end;
  end.begin(0);
  end.add(std::vector<std::byte>(512), 1'024);
  end.add(std::vector{std::byte{0}, std::byte{7}}, 1'536);
  end.add(std::vector{std::byte{8}}, 1'538);
  const auto found = end.finding(1'539);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->problem, ShardProblem::data_after_end);
  EXPECT_EQ(found->offset, 1'537u);
  EXPECT_EQ(found->bytes, 2u);
  EXPECT_EQ(found->text, "2 bytes follow the end of the archive, where readers stop");
}

}  // namespace

}  // namespace shardmill::archive
