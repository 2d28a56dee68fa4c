#include "archive/tar_parser.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>

#include "archive/recording_sink.hpp"
#include "base/io/file.hpp"
#include "support/command_output.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::archive {
namespace {

using testing::command_output;
using testing::TemporaryFolder;

/// A tar made by Python: `body` is run with `t` (the TarFile) and `add(name, bytes)`.
std::string python_tar(const TemporaryFolder& folder, const std::string& format, const std::string& body) {
  const std::string path = folder.file("python.tar");
  const std::string script = folder.write("make.py",
                                          "import sys, io, tarfile\n"
                                          "t = tarfile.open(sys.argv[1], 'w', format=tarfile." +
                                              format +
                                              ")\n"
                                              "def add(name, data, **more):\n"
                                              "  i = tarfile.TarInfo(name)\n"
                                              "  i.size = len(data)\n"
                                              "  for k, v in more.items(): setattr(i, k, v)\n"
                                              "  t.addfile(i, io.BytesIO(data))\n" +
                                              body + "\nt.close()\n");
  command_output("/usr/bin/python3 " + script + " " + path);
  return command_output("cat " + path);
}

const std::vector<std::pair<std::string, std::string>> kFiles{
    {"a.txt", "one"},   {"a.wav", std::string(700, 'a')}, {"b.txt", ""}, {"b.wav", std::string(512, 'b')},
    {"c.txt", "three"}, {"c.wav", std::string(1025, 'c')}};

std::map<std::string, std::string> contents(const RecordingSink& sink) {
  std::map<std::string, std::string> out;
  for (const TarMember& member : sink.members) out[member.name] = text(member.bytes);
  return out;
}

TEST(TarParser, GivesMembersWithTheirPlaces) {
  const std::string tar = make_tar(kFiles);
  RecordingSink sink;
  parse(tar, sink);
  EXPECT_TRUE(sink.findings.empty());
  ASSERT_EQ(sink.members.size(), kFiles.size());
  for (std::size_t i = 0; i < kFiles.size(); ++i) {
    const TarMember& member = sink.members[i];
    EXPECT_EQ(member.name, kFiles[i].first);
    EXPECT_EQ(text(member.bytes), kFiles[i].second);
    EXPECT_EQ(member.tar_offset, member.header_offset + 512);
    EXPECT_EQ(tar.substr(member.tar_offset, member.bytes.size()), kFiles[i].second);
  }
}

TEST(TarParser, AnyCutOfTheInputGivesTheSame) {
  const TemporaryFolder folder;
  const std::string tar = python_tar(folder, "PAX_FORMAT",
                                     "add('d/a.txt', b'1'); add('x' * 150 + '.wav', b'w' * 600)\n"
                                     "add('d', b'', type=tarfile.DIRTYPE); add('z.wav', b'z' * 512)") +
                          "junk";
  RecordingSink whole;
  parse(tar, whole);
  for (std::size_t cut = 1; cut <= 1100; ++cut) {
    RecordingSink sink;
    parse(tar, sink, cut);
    ASSERT_EQ(sink.transcript(), whole.transcript()) << cut;
  }
  for (std::size_t at = 0; at <= tar.size(); ++at) {
    RecordingSink sink;
    TarParser parser(sink, kTestMemberLimit);
    parser.feed(base::as_bytes(std::string_view(tar).substr(0, at)));
    parser.feed(base::as_bytes(std::string_view(tar).substr(at)));
    parser.finish();
    ASSERT_EQ(sink.transcript(), whole.transcript()) << at;
  }
}

TEST(TarParser, ReadsEveryFormatOfPythonAndGnuTar) {
  const TemporaryFolder folder;
  const std::string body =
      "names = ['s.wav', 'y' * 99, 'y' * 100, 'd/' * 60 + 'f.wav', 'n' * 101 + '.wav', 'k' * 300, "
      "'\\u4e2d\\u6587' * 20 + '.wav']\n"
      "for n in names: \n  if not (t.format == tarfile.USTAR_FORMAT and len(n.encode()) > 100 and '/' not in "
      "n):\n"
      "    add(n, n.encode())";
  for (const std::string format : {"USTAR_FORMAT", "GNU_FORMAT", "PAX_FORMAT"}) {
    RecordingSink sink;
    const std::string tar = python_tar(folder, format, body);
    parse(tar, sink);
    EXPECT_TRUE(sink.findings.empty()) << format << sink.transcript();
    EXPECT_EQ(sink.members.size(), format == "USTAR_FORMAT" ? 4U : 7U);
    for (const TarMember& member : sink.members) {
      EXPECT_EQ(member.name, text(member.bytes));
      EXPECT_EQ(tar.substr(member.tar_offset, member.bytes.size()), member.name);
    }
  }
  const std::string long_name = std::string(120, 'g') + ".wav";
  for (const std::string format : {"v7", "oldgnu", "gnu", "ustar", "posix"}) {
    const bool short_only = format == "v7" || format == "ustar";
    const std::string name = short_only ? "short.wav" : long_name;
    folder.write("in/" + name, "content");
    const std::string path = folder.file("gnu.tar");
    command_output("tar -C " + folder.file("in") + " --format=" + format + " -cf " + path + " " + name);
    RecordingSink sink;
    parse(command_output("cat " + path), sink);
    EXPECT_TRUE(sink.findings.empty()) << format << sink.transcript();
    EXPECT_EQ(contents(sink), (std::map<std::string, std::string>{{name, "content"}})) << format;
  }
}

TEST(TarParser, PaxRecordsNameAndMeasureTheMember) {
  const TemporaryFolder folder;
  const std::string tar =
      python_tar(folder, "PAX_FORMAT",
                 "t.pax_headers = {}\n"
                 "add('a', b'x' * 600, pax_headers={'path': 'local.wav', 'comment': 'c=d\\ne'})\n"
                 "add('b.wav', b'y', pax_headers={'mtime': '1.5'})");
  RecordingSink sink;
  parse(tar, sink);
  EXPECT_TRUE(sink.findings.empty()) << sink.transcript();
  EXPECT_EQ(contents(sink),
            (std::map<std::string, std::string>{{"local.wav", std::string(600, 'x')}, {"b.wav", "y"}}));
}

TEST(TarParser, GlobalPaxHeadersHoldForAllUntilAMemberSaysOtherwise) {
  const std::string tar = entry('g', "global", "16 path=all.wav\n13 comment=x\n") + entry('0', "a", "1") +
                          entry('x', "local", "16 path=one.wav\n") + entry('0', "b", "2") +
                          entry('0', "c", "3") + std::string(kTarEndBytes, '\0');
  RecordingSink sink;
  parse(tar, sink);
  EXPECT_TRUE(sink.findings.empty()) << sink.transcript();
  ASSERT_EQ(sink.members.size(), 3U);
  EXPECT_EQ(sink.members[0].name, "all.wav");
  EXPECT_EQ(sink.members[0].header_offset, 0U);
  EXPECT_EQ(sink.members[1].name, "one.wav");
  EXPECT_EQ(sink.members[1].header_offset, 1024U + 1024U);
  EXPECT_EQ(sink.members[2].name, "all.wav");
  const TemporaryFolder folder;
  EXPECT_EQ(command_output(
                "/usr/bin/python3 -c 'import sys,tarfile\nprint(tarfile.open(sys.argv[1]).getnames())' " +
                folder.write("g.tar", tar)),
            "['all.wav', 'one.wav', 'all.wav']\n");
}

TEST(TarParser, WhatIsNoRegularFileIsNamedAndNotFollowed) {
  const TemporaryFolder folder;
  const std::string tar = python_tar(folder, "PAX_FORMAT",
                                     "add('a.wav', b'data')\n"
                                     "add('d', b'', type=tarfile.DIRTYPE)\n"
                                     "add('s.wav', b'', type=tarfile.SYMTYPE, linkname='/etc/passwd')\n"
                                     "add('h.wav', b'', type=tarfile.LNKTYPE, linkname='a.wav')\n"
                                     "add('f', b'', type=tarfile.FIFOTYPE)\n"
                                     "add('c', b'', type=tarfile.CHRTYPE)\n"
                                     "add('b', b'', type=tarfile.BLKTYPE)\n"
                                     "add('w', b'w' * 600, type=b'V')\n"
                                     "add('k.wav', b'cont', type=tarfile.CONTTYPE)\n"
                                     "add('z.wav', b'last')");
  RecordingSink sink;
  parse(tar, sink);
  EXPECT_EQ(contents(sink),
            (std::map<std::string, std::string>{{"a.wav", "data"}, {"k.wav", "cont"}, {"z.wav", "last"}}));
  std::vector<std::string> found;
  for (const ShardFinding& finding : sink.findings) {
    found.push_back(std::string(name(finding.problem)) + " " + finding.name + ": " + finding.text);
    EXPECT_FALSE(is_damage(finding.problem));
  }
  EXPECT_EQ(found,
            (std::vector<std::string>{
                "directory d/: a directory", "link s.wav: a symbolic link to '/etc/passwd'",
                "link h.wav: a hard link to 'a.wav'", "special_file f: a fifo", "special_file c: a device",
                "special_file b: a device", "special_file w: a member of type 'V'"}));
}

TEST(TarParser, SparseFilesAreRefusedInAllTheirFormats) {
  const TemporaryFolder folder;
  // Many holes, so that GNU's old format needs more blocks after its header.
  command_output(
      "cd " + folder.path().string() +
      " && for i in $(seq 0 40); do printf x | dd of=holes.wav bs=1 seek=$((i * 65536)) conv=notrunc "
      "2>/dev/null; done; echo after > z.txt; truncate -s 1M empty.wav");
  for (const std::string options :
       {"--format=gnu", "--format=posix --sparse-version=0.0", "--format=posix --sparse-version=0.1",
        "--format=posix --sparse-version=1.0"}) {
    const std::string path = folder.file("s.tar");
    command_output("tar -C " + folder.path().string() + " -S " + options + " -cf " + path +
                   " empty.wav holes.wav z.txt");
    RecordingSink sink;
    parse(command_output("cat " + path), sink);
    EXPECT_EQ(contents(sink), (std::map<std::string, std::string>{{"z.txt", "after\n"}})) << options;
    ASSERT_EQ(sink.findings.size(), 2U) << options << sink.transcript();
    EXPECT_EQ(sink.findings[0].problem, ShardProblem::sparse_file);
    EXPECT_EQ(sink.findings[1].problem, ShardProblem::sparse_file);
  }
}

TEST(TarParser, OddNamesAreDeliveredAndReported) {
  const TemporaryFolder folder;
  const std::string tar =
      python_tar(folder, "PAX_FORMAT",
                 "for n in ['/abs.wav', '../up.wav', 'a/../b.wav', 'x\\ny.wav', 'fine..wav', "
                 "'./dot.wav']: add(n, b'1')");
  RecordingSink sink;
  parse(tar, sink);
  ASSERT_EQ(sink.members.size(), 6U);
  EXPECT_EQ(sink.members[3].name, "x\ny.wav");
  ASSERT_EQ(sink.findings.size(), 4U) << sink.transcript();
  for (const ShardFinding& finding : sink.findings) EXPECT_EQ(finding.problem, ShardProblem::odd_name);
}

TEST(TarParser, MembersAboveTheBoundAreLeftOut) {
  const std::string tar = make_tar(
      {{"a.wav", std::string(kTestMemberLimit + 1, 'a')}, {"b.wav", std::string(kTestMemberLimit, 'b')}});
  RecordingSink sink;
  parse(tar, sink);
  ASSERT_EQ(sink.findings.size(), 1U);
  EXPECT_EQ(sink.findings[0].problem, ShardProblem::oversized_member);
  EXPECT_EQ(sink.findings[0].name, "a.wav");
  ASSERT_EQ(sink.members.size(), 1U);
  EXPECT_EQ(sink.members[0].bytes.size(), kTestMemberLimit);
}

/// Takes what is above the bound in parts.
class PartsSink final : public TarSink {
 public:
  void on_member(TarMember&& member) override { found += member.name + ";"; }
  void on_finding(ShardFinding&& finding) override { found += "!" + finding.name + ";"; }
  bool takes_parts(const TarMember& member, std::uint64_t size) override {
    if (member.name == "refused.wav" || size <= 500) return false;
    EXPECT_EQ(member.tar_offset, member.header_offset + kTarBlockBytes);
    found += member.name + ":" + std::to_string(size) + "=";
    return true;
  }
  void on_part(std::span<const std::byte> bytes) override { bytes_ += bytes.size(); }
  void on_parts_end(bool is_whole) override {
    found += std::to_string(std::exchange(bytes_, 0)) + (is_whole ? ";" : " cut;");
  }

  std::string found;

 private:
  std::size_t bytes_ = 0;
};

TEST(TarParser, MembersAboveTheBoundComeInParts) {
  const std::string tar = make_tar({{"a.wav", "1"},
                                    {"b.wav", std::string(1500, 'b')},
                                    {"refused.wav", std::string(600, 'r')},
                                    {"c.wav", std::string(1024, 'c')},
                                    {"d.wav", "2"}});
  for (const std::size_t step : {1u, 100u, 512u, 5000u}) {
    PartsSink sink;
    TarParser parser(sink, 500);
    for (std::size_t at = 0; at < tar.size(); at += step)
      parser.feed(base::as_bytes(tar).subspan(at, std::min(step, tar.size() - at)));
    parser.finish();
    EXPECT_EQ(sink.found, "a.wav;b.wav:1500=1500;!refused.wav;c.wav:1024=1024;d.wav;") << step;
  }
  // Cut in b.wav, and a gap in it.
  PartsSink cut;
  TarParser parser(cut, 500);
  parser.feed(base::as_bytes(tar).first(2000));
  parser.finish();
  EXPECT_EQ(cut.found, "a.wav;b.wav:1500=464 cut;!b.wav;");
  PartsSink holed;
  TarParser with_gap(holed, 500);
  with_gap.feed(base::as_bytes(tar).first(2000));
  with_gap.gap();
  with_gap.feed(base::as_bytes(tar).subspan(2500));
  with_gap.finish();
  EXPECT_EQ(holed.found.substr(0, 33), "a.wav;b.wav:1500=464 cut;!b.wav;!");
  EXPECT_NE(holed.found.find("c.wav:1024=1024;d.wav;"), std::string::npos) << holed.found;
}

TEST(TarParser, TellsPaddingFromMembersThatWereOverwritten) {
  const auto problems = [](const std::string& bytes) {
    RecordingSink sink;
    parse(bytes, sink);
    std::string out;
    for (const ShardFinding& finding : sink.findings)
      out += std::string(name(finding.problem)) + " " + std::to_string(finding.bytes) + ";";
    return out;
  };
  const std::string tar = make_tar(kFiles);  // with its two zero blocks
  for (const std::size_t bytes : {10'240UL, 20'480UL, 65'536UL, 1UL << 20})
    EXPECT_EQ(problems(tar + std::string(bytes - tar.size(), '\0')), "") << bytes;
  EXPECT_EQ(problems(tar + std::string(9'216, '\0')), "");
  EXPECT_EQ(problems(std::string(10'240, '\0')), "");
  EXPECT_EQ(problems(std::string(700'000, '\0')), "zeros_after_end 700000;");
  EXPECT_EQ(problems(tar + std::string(2'000'000, '\0')), "zeros_after_end 2001024;");
}

TEST(TarParser, TheEndIsTwoZeroBlocks) {
  const std::string tar = make_tar(kFiles);
  const std::string bare = tar.substr(0, tar.size() - 1024);
  const auto problems = [](const std::string& bytes) {
    RecordingSink sink;
    parse(bytes, sink);
    EXPECT_EQ(sink.members.size(), kFiles.size());
    std::string out;
    for (const ShardFinding& finding : sink.findings) {
      out += std::string(name(finding.problem)) + " " + std::to_string(finding.bytes) + ";";
    }
    return out;
  };
  EXPECT_EQ(problems(bare), "no_end 0;");
  EXPECT_EQ(problems(bare + std::string(512, '\0')), "no_end 0;");
  EXPECT_EQ(problems(bare + std::string(10240, '\0')), "");
  EXPECT_EQ(problems(tar + tar), "data_after_end " + std::to_string(tar.size()) + ";");
  EXPECT_EQ(problems(tar + std::string(700, '\0') + "junk"), "data_after_end 4;");
}

TEST(TarParser, ALoneZeroBlockIsReportedAndReadOver) {
  const std::string first = make_tar({kFiles[0]});
  const std::string tar = first.substr(0, first.size() - 512) + make_tar({kFiles[1]});
  RecordingSink sink;
  parse(tar, sink);
  EXPECT_EQ(sink.members.size(), 2U);
  ASSERT_EQ(sink.findings.size(), 1U);
  EXPECT_EQ(sink.findings[0].problem, ShardProblem::lone_zero_block);
  EXPECT_EQ(sink.findings[0].offset, 1024U);
}

TEST(TarParser, WhatIsNoTarIsSaidOnce) {
  for (const std::string& data : {std::string(), std::string("hello"), std::string(5000, 'x')}) {
    RecordingSink sink;
    parse(data, sink);
    EXPECT_TRUE(sink.members.empty());
    ASSERT_EQ(sink.findings.size(), 1U) << data.size();
    EXPECT_EQ(sink.findings[0].problem, data == "hello" ? ShardProblem::truncated : ShardProblem::not_a_tar);
  }
}

TEST(TarParser, CutAnywhereItKeepsAllBeforeTheCutAndSaysSo) {
  const std::string tar = make_tar(kFiles);
  RecordingSink whole;
  parse(tar, whole);
  for (std::size_t cut = 1; cut < tar.size(); ++cut) {
    RecordingSink sink;
    parse(tar.substr(0, cut), sink);
    ASSERT_EQ(sink.findings.size(), 1U) << cut;
    std::size_t expected = 0;
    for (const TarMember& member : whole.members) {
      expected += member.tar_offset + std::max<std::size_t>(member.bytes.size(), 0) <= cut ? 1 : 0;
    }
    ASSERT_EQ(sink.members.size(), expected) << cut;
    const ShardFinding& finding = sink.findings[0];
    ASSERT_TRUE(finding.problem == ShardProblem::truncated || finding.problem == ShardProblem::no_end) << cut;
    if (!finding.name.empty()) {
      const TarMember& lost = whole.members[expected];
      ASSERT_EQ(finding.name, lost.name) << cut;
      ASSERT_EQ(finding.offset, lost.header_offset);
      ASSERT_EQ(finding.bytes, lost.tar_offset + lost.bytes.size() - cut);
    }
  }
}

TEST(TarParser, AFlippedBitInAHeaderCostsOneMemberAndIsReported) {
  const std::string tar = make_tar(kFiles);
  RecordingSink whole;
  parse(tar, whole);
  for (std::size_t at = 0; at < 512; ++at) {
    if (at >= 148 && at < 156) continue;  // some bits of the checksum mean nothing
    const TarMember& hit = whole.members[3];
    std::string damaged = tar;
    damaged[hit.header_offset + at] = static_cast<char>(damaged[hit.header_offset + at] ^ 0x10);
    RecordingSink sink;
    parse(damaged, sink);

    ASSERT_EQ(sink.members.size(), kFiles.size() - 1) << at;
    ASSERT_EQ(sink.findings.size(), 2U) << at << sink.transcript();
    ASSERT_EQ(sink.findings[0].problem, ShardProblem::bad_header);
    ASSERT_EQ(sink.findings[0].offset, hit.header_offset);
    ASSERT_EQ(sink.findings[1].problem, ShardProblem::resumed);
    ASSERT_EQ(sink.findings[1].bytes, whole.members[4].header_offset - hit.header_offset);
  }
}

TEST(TarParser, MissingAndAddedBytesAreRecoveredFrom) {
  const std::string tar = make_tar(kFiles);
  RecordingSink whole;
  parse(tar, whole);
  const std::size_t middle = whole.members[1].tar_offset + 100;
  for (const std::string& damaged : {tar.substr(0, middle) + tar.substr(middle + 77),
                                     tar.substr(0, middle) + "extra" + tar.substr(middle)}) {
    RecordingSink sink;
    parse(damaged, sink);
    EXPECT_EQ(contents(sink)["c.wav"], kFiles[5].second);
    EXPECT_TRUE(sink.found(ShardProblem::bad_header));
    EXPECT_TRUE(sink.found(ShardProblem::resumed));
  }
}

TEST(TarParser, AfterAGapOnlyMembersThatTouchItAreLost) {
  const std::string tar = make_tar(kFiles);
  RecordingSink whole;
  parse(tar, whole);
  for (const std::size_t lost : {1U, 100U, 512U, 900U, 1500U}) {
    for (std::size_t begin = 0; begin + lost < tar.size(); ++begin) {
      RecordingSink sink;
      TarParser parser(sink, kTestMemberLimit);
      parser.feed(base::as_bytes(std::string_view(tar).substr(0, begin)));
      parser.gap();
      parser.feed(base::as_bytes(std::string_view(tar).substr(begin + lost)));
      parser.finish();
      const std::size_t end = begin + lost;
      std::vector<std::string> expected;
      for (const TarMember& member : whole.members) {
        const std::uint64_t member_end = member.tar_offset + member.bytes.size();
        if (member_end <= begin || member.header_offset >= end) expected.push_back(member.name);
      }
      std::vector<std::string> got;
      for (const TarMember& member : sink.members) {
        got.push_back(member.name);
        ASSERT_EQ(text(member.bytes), contents(whole)[member.name]);
      }
      ASSERT_EQ(got, expected) << begin << " " << lost;
    }
  }
}

TEST(TarParser, AGapNamesTheMemberItInterrupts) {
  const std::string tar = make_tar(kFiles);
  RecordingSink sink;
  TarParser parser(sink, kTestMemberLimit);
  parser.feed(base::as_bytes(std::string_view(tar).substr(0, 1024 + 512 + 300)));
  parser.gap();
  ASSERT_EQ(sink.findings.size(), 1U);
  EXPECT_EQ(RecordingSink::text(sink.findings[0]),
            "gap 'a.wav' 1024 812 bytes are missing here: the compressed data is damaged");
}

TEST(TarParser, AMemberWhoseLongNameIsLostIsNotGivenUnderTheRestOfIt) {
  const TemporaryFolder folder;
  const std::string tar = python_tar(folder, "GNU_FORMAT",
                                     "add('n' * 150 + '.wav', b'1'); add('b.wav', b'2'); add('c.wav', b'3')");
  RecordingSink sink;
  TarParser parser(sink, kTestMemberLimit);
  parser.gap();
  parser.feed(base::as_bytes(std::string_view(tar).substr(1000)));
  parser.finish();
  EXPECT_EQ(contents(sink), (std::map<std::string, std::string>{{"b.wav", "2"}, {"c.wav", "3"}}));
  EXPECT_TRUE(sink.found(ShardProblem::bad_extension));
}

TEST(TarParser, StartsAgainAtAHeader) {
  const std::string tar = make_tar(kFiles);
  RecordingSink whole;
  parse(tar, whole);
  RecordingSink sink;
  const std::uint64_t start = whole.members[4].header_offset;
  TarParser parser(sink, kTestMemberLimit, start);
  parser.feed(base::as_bytes(std::string_view(tar).substr(start)));
  parser.finish();
  EXPECT_TRUE(sink.findings.empty());
  ASSERT_EQ(sink.members.size(), 2U);
  EXPECT_EQ(sink.members[1].tar_offset, whole.members[5].tar_offset);
}

TEST(TarParser, AbsurdSizesDoNoHarm) {
  using namespace std::string_view_literals;
  for (const std::string_view size :
       {"77777777777\0"sv, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"sv, "99999999999\0"sv,
        "\x80\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xff"sv, "\x80\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"sv,
        "\x80\0\0\0\x40\0\0\0\0\0\0\0"sv}) {
    for (const char type : {'0', 'x', 'g', 'L', 'K', 'S', '5', 'V'}) {
      RecordingSink sink;
      parse(header_block(type, "a.wav", size) + make_tar(kFiles), sink, 100);
      EXPECT_FALSE(sink.findings.empty()) << type;
    }
  }
}

TEST(TarParser, EndlessExtensionHeadersAreBounded) {
  std::string tar;
  for (int i = 0; i < 200; ++i) tar += entry('x', "p", "16 path=aaa.wav\n");
  RecordingSink sink;
  parse(tar + make_tar(kFiles), sink);
  ASSERT_EQ(sink.findings.size(), 1U);
  EXPECT_EQ(sink.findings[0].problem, ShardProblem::bad_extension);
  EXPECT_EQ(sink.members.size(), kFiles.size() - 1);
}

TEST(TarParser, MalformedPaxHeadersCostTheirMember) {
  for (const std::string& records :
       {std::string("x"), std::string("5 a=b\n"), std::string("99 path=x\n"), std::string("0 path=x\n"),
        std::string("8 path=x"), std::string("6 =abc\n"), std::string("18446744073709551615 a=b\n"),
        std::string("13 size=abcd\n"), std::string("13 size=-123\n"),
        std::string("29 size=9999999999999999999\n")}) {
    RecordingSink sink;
    parse(entry('x', "p", records) + make_tar(kFiles), sink);
    ASSERT_EQ(sink.findings.size(), 1U) << records;
    EXPECT_EQ(sink.findings[0].problem, ShardProblem::bad_extension) << records;
    EXPECT_EQ(sink.members.size(), kFiles.size() - 1) << records;
  }
}

TEST(TarParser, AnExtensionHeaderAboveOneMebibyteIsSkipped) {
  RecordingSink sink;
  parse(entry('x', "p", std::string(2 << 20, 'x')) + make_tar(kFiles), sink);
  ASSERT_EQ(sink.findings.size(), 1U);
  EXPECT_EQ(sink.findings[0].problem, ShardProblem::bad_extension);
  EXPECT_EQ(sink.members.size(), kFiles.size() - 1);
}

}  // namespace
}  // namespace shardmill::archive
