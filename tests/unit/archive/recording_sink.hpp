// RecordingSink: keeps everything that a TarParser reports, for comparison.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "archive/tar_building.hpp"
#include "archive/tar_parser.hpp"
#include "base/io/file.hpp"

namespace shardmill::archive {

class RecordingSink final : public TarSink {
 public:
  void on_member(TarMember&& member) override { members.push_back(std::move(member)); }
  void on_finding(ShardFinding&& finding) override { findings.push_back(std::move(finding)); }

  bool found(ShardProblem problem) const {
    return std::any_of(findings.begin(), findings.end(),
                       [&](const ShardFinding& finding) { return finding.problem == problem; });
  }

  /// Everything that was reported, as one text.
  std::string transcript() const {
    std::string out;
    for (const TarMember& member : members) {
      out += "member " + member.name + " " + std::to_string(member.header_offset) + " " +
             std::to_string(member.tar_offset) + " " +
             std::string(reinterpret_cast<const char*>(member.bytes.data()), member.bytes.size()) + "\n";
    }
    for (const ShardFinding& finding : findings) out += text(finding) + "\n";
    return out;
  }

  static std::string text(const ShardFinding& finding) {
    return std::string(shardmill::name(finding.problem)) + " '" + finding.name + "' " +
           std::to_string(finding.offset) + " " + std::to_string(finding.bytes) + " " + finding.text;
  }

  std::vector<TarMember> members;
  std::vector<ShardFinding> findings;
};

inline constexpr std::uint64_t kTestMemberLimit = 1 << 20;

/// Parses `tar`, fed in pieces of `cut` bytes.
inline void parse(std::string_view tar, TarSink& sink, std::size_t cut = 1 << 16) {
  TarParser parser(sink, kTestMemberLimit);
  for (; !tar.empty(); tar.remove_prefix(std::min(cut, tar.size()))) {
    parser.feed(base::as_bytes(tar.substr(0, cut)));
  }
  parser.finish();
}

}  // namespace shardmill::archive
