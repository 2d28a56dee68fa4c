#include "base/io/volumes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/file_watch.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::base {
namespace {

using shardmill::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string described(std::string_view name) {
  const auto found = volume_name(name);
  return found ? std::string(found->whole) + " " + std::string(found->number) : "none";
}

TEST(Volumes, NamesThatProgramsGive) {
  EXPECT_EQ(described("x.zip.partaa"), "x.zip aa");
  EXPECT_EQ(described("x.zip.part_aa"), "x.zip aa");
  EXPECT_EQ(described("x.tar.gz.part-00"), "x.tar.gz 00");
  EXPECT_EQ(described("x.zip.part1073741824"), "x.zip 1073741824");
  EXPECT_EQ(described("x.tar.gz.aa"), "x.tar.gz aa");
  EXPECT_EQ(described("x.tar.gz.zaaa"), "x.tar.gz zaaa");
  EXPECT_EQ(described("x.7z.001"), "x.7z 001");
  EXPECT_EQ(described("X.ZIP.001"), "X.ZIP 001");
  EXPECT_EQ(described("x.tgz_00"), "x.tgz 00");
  EXPECT_EQ(described("vox1_dev_wav_partaa"), "vox1_dev_wav aa");
  EXPECT_EQ(described("cn-celeb2_v2.tar.gzaa"), "cn-celeb2_v2.tar.gz aa");
  EXPECT_EQ(described("x.tar.bz2ab"), "x.tar.bz2 ab");
  EXPECT_EQ(described("x.zip01"), "x.zip 01");
  EXPECT_EQ(described("x.zip.1"), "x.zip 1");
  EXPECT_EQ(described("vox2_mp4_parth"), "none");
  for (const char* other : {"",
                            "x",
                            "x.tar",
                            "x.tar.gz",
                            "x.tar.bz2",
                            "x.tar.xz",
                            "x.tar.br",
                            "x.tar.lz4",
                            "x.tar.zst",
                            "x.tar.zstd",
                            "x.tar.gzip",
                            "x.targz",
                            "x.7zip",
                            "x.zipped",
                            "x.zip.zst",
                            "x.zip.md5",
                            "x.tar.gz.sha256",
                            "x.tar.20240101",
                            "a.wav",
                            "train_000",
                            "apartment",
                            "list_part1",
                            "x.tar.gz.part",
                            "part.aa",
                            "audio_000000001.tar",
                            "x.zip.txt",
                            "x.001",
                            "data.part1"})
    EXPECT_EQ(described(other), "none") << other;
}

/// Writes volumes that hold their own numbers, and gives back those of the first.
std::string listed(const TemporaryFolder& folder, const std::vector<std::string>& names,
                   const std::string& first) {
  for (const std::string& name : names) folder.write(name, name + std::string(1, '\0'));
  try {
    std::string all;
    for (const std::string& path : volumes_of(folder.file(first)))
      all += path.substr(path.rfind('/') + 1) + " ";
    return all;
  } catch (const Error& error) {
    return error.problem();
  }
}

TEST(Volumes, InTheirOrder) {
  EXPECT_EQ(listed({}, {"x.zip.partab", "x.zip.partaa", "x.zip.md5", "y.zip.partac"}, "x.zip.partaa"),
            "x.zip.partaa x.zip.partab ");
  EXPECT_EQ(listed({}, {"x.zip.001"}, "x.zip.001"), "");
  EXPECT_EQ(listed({}, {"x.zip"}, "x.zip"), "");
  std::vector<std::string> names;
  std::string all;
  for (int i = 1; i <= 12; ++i) {
    names.insert(names.begin(), "x.tar.part" + std::to_string(i));
    all += "x.tar.part" + std::to_string(i) + " ";
  }
  EXPECT_EQ(listed({}, names, "x.tar.part1"), all);
}

TEST(Volumes, WhereNumbersBecomeLonger) {
  const auto count = [](const std::vector<std::string>& names) {
    const TemporaryFolder folder;
    for (const std::string& name : names) folder.write("x.zip." + name, std::string(1, '\0'));
    return volumes_of(folder.file("x.zip." + names.front())).size();
  };
  std::vector<std::string> letters;
  for (char a = 'a'; a <= 'y'; ++a)
    for (char b = 'a'; b <= 'z'; ++b) letters.push_back({a, b});
  letters.emplace_back("zaaa");
  letters.emplace_back("zaab");
  EXPECT_EQ(count(letters), letters.size());
  std::vector<std::string> digits;
  for (int i = 0; i < 90; ++i) digits.push_back(std::string(i < 10 ? "0" : "") + std::to_string(i));
  EXPECT_EQ(count(digits), 90U);
}

TEST(Volumes, NumberedByTheirPlaces) {
  const TemporaryFolder folder;
  folder.write("x.zip.part0", std::string(700, '\1'));
  folder.write("x.zip.part700", std::string(800, '\2'));
  folder.write("x.zip.part1500", "end");
  EXPECT_EQ(File::open_read(folder.file("x.zip.part0")).size(), 1503U);
  folder.write("x.zip.part700", std::string(799, '\2'));
  EXPECT_THROW(volumes_of(folder.file("x.zip.part0")), Error);
}

TEST(Volumes, MissingOnesAreNamed) {
  EXPECT_THAT(listed({}, {"x.zip.partaa", "x.zip.partac"}, "x.zip.partaa"),
              HasSubstr("x.zip.partab is missing"));
  EXPECT_THAT(listed({}, {"x.zip.001", "x.zip.002", "x.zip.004"}, "x.zip.001"),
              HasSubstr("x.zip.003 is missing"));
  EXPECT_THAT(listed({}, {"x.zip.002", "x.zip.003"}, "x.zip.002"), HasSubstr("parts before it are missing"));
  EXPECT_THAT(listed({}, {"x.zip.001", "x.zip.002"}, "x.zip.002"), HasSubstr("not the first part"));
  EXPECT_THAT(listed({}, {"x.zip.01", "x.zip.02"}, "x.zip.01"), HasSubstr("parts before it are missing"));
  EXPECT_EQ(listed({}, {"x.tar.01", "x.tar.02"}, "x.tar.01"), "x.tar.01 x.tar.02 ");
}

TEST(Volumes, AnEmptyOneIsAnError) {
  const TemporaryFolder folder;
  folder.write("x.zip.001", "abc");
  folder.write("x.zip.002", "");
  EXPECT_THROW(volumes_of(folder.file("x.zip.001")), Error);
}

TEST(Volumes, ArchivesOfASeriesAreFilesOfTheirOwn) {
  const std::string gzip = "\x1F\x8B\x08...";
  const TemporaryFolder folder;
  std::vector<std::string> paths{folder.write("x.tar.gz.00", gzip), folder.write("x.tar.gz.01", gzip)};
  for (const std::string& path : paths) EXPECT_THAT(volumes_of(path), IsEmpty());
  drop_later_volumes(paths);
  EXPECT_EQ(paths.size(), 2U);
  // A later part of a gzip file has no magic.
  folder.write("x.tar.gz.02", "abc");
  EXPECT_EQ(volumes_of(paths.front()).size(), 3U);
}

TEST(Volumes, ATarOfASeriesEndsWithZeros) {
  std::string tar(4096, 'a');
  tar.replace(257, 5, "ustar");
  const std::string whole = tar.substr(0, 3072) + std::string(1024, '\0');
  const TemporaryFolder folder;
  folder.write("x.tar.00", whole);
  folder.write("x.tar.01", whole);
  EXPECT_THAT(volumes_of(folder.file("x.tar.01")), IsEmpty());
  // A tar may be cut in front of a member.
  folder.write("x.tar.00", tar);
  EXPECT_EQ(volumes_of(folder.file("x.tar.00")).size(), 2U);
}

TEST(Volumes, PartsOfATextAreFilesOfTheirOwn) {
  const TemporaryFolder folder;
  folder.write("list_partaa", "a.tar\n");
  folder.write("list_partab", "b.tar\n");
  EXPECT_THAT(volumes_of(folder.file("list_partaa")), IsEmpty());
  std::vector<std::string> paths{folder.file("list_partaa"), folder.file("list_partab")};
  drop_later_volumes(paths);
  EXPECT_EQ(paths.size(), 2U);
}

TEST(Volumes, TheFirstStandsForAll) {
  const TemporaryFolder folder;
  std::vector<std::string> paths;
  for (const char* name : {"x.zip.partab", "x.zip.partaa", "other", "y.tar.001", "y.tar.002"})
    paths.push_back(folder.write(name, name));
  drop_later_volumes(paths);
  EXPECT_THAT(paths,
              ElementsAre(folder.file("x.zip.partaa"), folder.file("other"), folder.file("y.tar.001")));
  paths = {"n=" + folder.file("x.zip.partaa"), folder.file("x.zip.partab")};
  drop_later_volumes(paths);
  EXPECT_THAT(paths, ElementsAre("n=" + folder.file("x.zip.partaa")));
}

TEST(Downloads, WhatWasSavedInPlaceOfAFile) {
  const auto instead = [](std::string_view text) { return saved_instead(as_bytes(text)); };
  EXPECT_THAT(instead("version https://git-lfs.github.com/spec/v1\noid"), HasSubstr("Git LFS"));
  EXPECT_THAT(instead("\n<!DOCTYPE html><html>"), HasSubstr("HTML page"));
  EXPECT_THAT(instead("\xEF\xBB\xBF<HTML lang=\"de\">"), HasSubstr("HTML page"));
  for (const char* other : {"", "version 1", "<xml>", "PK\3\4"}) EXPECT_EQ(instead(other), "") << other;
}

TEST(Volumes, AreReadAsOneFile) {
  const TemporaryFolder folder;
  std::mt19937 chance(1);
  for (int round = 0; round < 30; ++round) {
    std::string whole;
    const TemporaryFolder parts;
    for (int i = 0; i < 6; ++i) {
      std::string part(chance() % 5 == 0 ? 1 : 1 + chance() % 3000, '\0');
      for (char& c : part) c = static_cast<char>(chance());
      parts.write("x.7z.00" + std::to_string(i + 1), part);
      whole += part;
    }
    File file = File::open_read(parts.file("x.7z.001"));
    EXPECT_EQ(file.size(), whole.size());
    EXPECT_EQ(file.volumes().size(), 6U);
    const File again = file.duplicate();
    for (int i = 0; i < 50; ++i) {
      const std::uint64_t offset = chance() % (whole.size() + 10);
      std::string got(chance() % 4000, '\0');
      const std::size_t bytes = again.read_at(std::as_writable_bytes(std::span(got)), offset);
      got.resize(bytes);
      EXPECT_EQ(got, offset < whole.size() ? whole.substr(offset, std::max(bytes, std::size_t{0})) : "");
    }
    file.seek(whole.size() / 2);
    std::string rest(whole.size() + 100, '\0');
    rest.resize(file.read(std::as_writable_bytes(std::span(rest))));
    EXPECT_EQ(rest, whole.substr(whole.size() / 2));
    EXPECT_EQ(file.read(std::as_writable_bytes(std::span(rest))), 0U);
  }
}

TEST(Volumes, AreAllWatched) {
  const TemporaryFolder folder;
  folder.write("x.zip.001", "abc");
  folder.write("x.zip.002", "def");
  const FileWatch watch(File::open_read(folder.file("x.zip.001")));
  watch.check();
  watch.expect(6, watch.mtime_ns());
  EXPECT_THROW(watch.expect(6, watch.mtime_ns() + 1), FatalError);
  std::filesystem::remove(folder.file("x.zip.002"));
  folder.write("x.zip.002", "deg");
  EXPECT_THROW(watch.check(), FatalError);
  const FileWatch now(File::open_read(folder.file("x.zip.001")));
  EXPECT_NE(now.mtime_ns(), watch.mtime_ns());
}

}  // namespace
}  // namespace shardmill::base
