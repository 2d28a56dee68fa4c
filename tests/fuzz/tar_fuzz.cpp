// Tars: however they are cut they give the same members and samples, whose bytes stand where they are said
// to, and reading can begin again behind every sample that says so. Where neither has anything to complain
// of, libarchive gives the same members.
#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "archive/tar_parser.hpp"
#include "shard/sample_grouper.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

using namespace shardmill;
using Input = std::span<const std::byte>;

constexpr std::uint64_t kLimit = 1 << 16;
constexpr std::size_t kControlBytes = 2;  // the cut, and where a gap is, in units of 64 bytes; 0 for none

void require(bool truth) {
  if (!truth) std::abort();
}

class Recorder final : public shard::SampleSink {
 public:
  void on_sample(shard::GroupedSample&& sample) override { samples.push_back(std::move(sample)); }
  void on_finding(ShardFinding&& finding) override { findings.push_back(std::move(finding)); }

  std::vector<shard::GroupedSample> samples;
  std::vector<ShardFinding> findings;
};

void read(Input tar, std::size_t cut, std::size_t gap, shard::SampleGrouper& grouper,
          std::uint64_t start = 0) {
  shardmill::archive::TarParser parser(grouper, kLimit, start);
  for (std::size_t at = 0; at < tar.size();) {
    if (gap == at && gap > 0) parser.gap();
    std::size_t end = std::min(tar.size(), at + cut);
    if (gap > at) end = std::min(end, gap);
    parser.feed(tar.subspan(at, end - at));
    at = end;
  }
  parser.finish();
  require(parser.offset() == start + tar.size());
  grouper.finish(parser.offset());
}

bool same(const shard::GroupedSample& a, const shard::GroupedSample& b) {
  const auto same_member = [](const Member& x, const Member& y) {
    return x.name == y.name && x.extension == y.extension && x.tar_offset == y.tar_offset &&
           x.bytes == y.bytes;
  };
  return a.sample.key == b.sample.key && a.damage == b.damage && a.begin_offset == b.begin_offset &&
         a.resume_offset == b.resume_offset && a.shape == b.shape &&
         std::equal(a.sample.members.begin(), a.sample.members.end(), b.sample.members.begin(),
                    b.sample.members.end(), same_member);
}

void check_places(Input tar, const Recorder& all) {
  for (const shard::GroupedSample& sample : all.samples) {
    require(!sample.sample.members.empty());
    for (const Member& member : sample.sample.members) {
      require(member.bytes.size() <= kLimit && member.tar_offset + member.bytes.size() <= tar.size());
      require(std::equal(member.bytes.begin(), member.bytes.end(),
                         tar.begin() + static_cast<std::ptrdiff_t>(member.tar_offset)));
    }
  }
}

void check_resume(Input tar, const Recorder& all) {
  for (std::size_t i = 0; i < all.samples.size(); ++i) {
    if (!all.samples[i].resume_offset) continue;
    const std::uint64_t start = *all.samples[i].resume_offset;
    Recorder rest;
    shard::SampleGrouper grouper(rest, shard::KeyRule::wenet, all.samples[i].shape);
    read(tar.subspan(static_cast<std::size_t>(start)), tar.size(), 0, grouper, start);
    require(std::equal(all.samples.begin() + static_cast<std::ptrdiff_t>(i) + 1, all.samples.end(),
                       rest.samples.begin(), rest.samples.end(), same));
  }
}

using Members = std::vector<std::pair<std::string, Bytes>>;  // name, bytes

class MemberRecorder final : public shardmill::archive::TarSink {
 public:
  void on_member(shardmill::archive::TarMember&& member) override {
    // libarchive takes a regular file with such a name for a folder. Python's tarfile does not.
    if (member.name.ends_with('/')) return;
    // libarchive ends a name at its first NUL. Python's tarfile does not, and to us such a name is odd.
    members.emplace_back(member.name.substr(0, member.name.find('\0')), std::move(member.bytes));
  }
  void on_finding(ShardFinding&& finding) override {
    complains |= finding.problem != ShardProblem::directory && finding.problem != ShardProblem::odd_name;
  }

  Members members;
  bool complains = false;
};

/// The regular files as libarchive reads them; nullopt when it complains of anything.
std::optional<Members> read_by_libarchive(Input tar) {
  struct Free {
    void operator()(::archive* reader) const { archive_read_free(reader); }
  };
  const std::unique_ptr<::archive, Free> reader(archive_read_new());
  archive_read_support_format_tar(reader.get());
  if (archive_read_open_memory(reader.get(), tar.data(), tar.size()) != ARCHIVE_OK) return std::nullopt;
  Members members;
  for (archive_entry* entry = nullptr;;) {
    const int status = archive_read_next_header(reader.get(), &entry);
    if (status == ARCHIVE_EOF) return members;
    if (status != ARCHIVE_OK || archive_entry_pathname(entry) == nullptr) return std::nullopt;
    // To libarchive any file of GNU's form is sparse whose header has bytes where sparse files have a map.
    if (archive_entry_sparse_count(entry) != 0) return std::nullopt;
    Bytes bytes;
    std::array<std::byte, 4096> chunk;
    for (la_ssize_t got = 1; got > 0;) {
      got = archive_read_data(reader.get(), chunk.data(), chunk.size());
      if (got < 0) return std::nullopt;
      bytes.insert(bytes.end(), chunk.begin(), chunk.begin() + got);
    }
    const bool is_file =
        archive_entry_filetype(entry) == AE_IFREG && archive_entry_hardlink(entry) == nullptr;
    if (is_file) members.emplace_back(archive_entry_pathname(entry), std::move(bytes));
  }
}

void check_libarchive_agrees(Input tar) {
  MemberRecorder ours;
  shardmill::archive::TarParser parser(ours, kLimit);
  parser.feed(tar);
  parser.finish();
  if (ours.complains || parser.has_global_attributes()) return;  // it passes over global headers
  if (const auto theirs = read_by_libarchive(tar)) require(*theirs == ours.members);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < kControlBytes) return 0;
  const Input tar = std::as_bytes(std::span(data + kControlBytes, size - kControlBytes));
  const std::size_t cut = std::size_t{data[0]} * 4 + 1;
  const std::size_t gap = std::size_t{data[1]} * 64;

  Recorder whole;
  shard::SampleGrouper grouper(whole, shard::KeyRule::wenet);
  read(tar, tar.size(), gap, grouper);
  Recorder pieces;
  shard::SampleGrouper other(pieces, shard::KeyRule::wenet);
  read(tar, cut, gap, other);

  require(std::equal(whole.samples.begin(), whole.samples.end(), pieces.samples.begin(), pieces.samples.end(),
                     same));
  require(whole.findings.size() == pieces.findings.size());
  check_places(tar, whole);
  // What a global header said is not known to a parser that begins behind it, nor are bytes before a gap.
  const bool global = std::memchr(data, 'g', size) != nullptr;
  if (!global && gap == 0) check_resume(tar, whole);
  check_libarchive_agrees(tar);
  return 0;
}

/// Mutations that keep the checksums right, or nothing behind them would ever be reached.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  size = LLVMFuzzerMutate(data, size, max_size);
  if (seed % 8 == 0) return size;
  for (std::size_t at = kControlBytes; at + shardmill::archive::kTarBlockBytes <= size;
       at += shardmill::archive::kTarBlockBytes) {
    std::uint8_t* block = data + at;
    if (std::memcmp(block + 257, "ustar", 5) != 0) continue;
    std::memset(block + 148, ' ', 8);
    unsigned sum = 0;
    for (std::size_t i = 0; i < shardmill::archive::kTarBlockBytes; ++i) sum += block[i];
    char digits[8];
    std::snprintf(digits, sizeof digits, "%06o", sum & 0777777);
    std::memcpy(block + 148, digits, 7);
  }
  return size;
}
