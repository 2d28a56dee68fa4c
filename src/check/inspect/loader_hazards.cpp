#include "check/inspect/loader_hazards.hpp"

#include <algorithm>

#include "dataset/loader_limits.hpp"
#include "shard/keys.hpp"

namespace shardmill::check {

namespace {

using Extensions = std::map<std::string, Contents::Extension>;

/// The extension that most audio members have; the end of the map when there is no audio.
Extensions::const_iterator usual_audio(const Extensions& extensions) {
  auto usual = extensions.end();
  for (auto each = extensions.begin(); each != extensions.end(); ++each) {
    if (!shard::is_audio_extension(each->first)) continue;
    if (usual == extensions.end() || each->second.members > usual->second.members) usual = each;
  }
  return usual;
}

}  // namespace

void check_shard_name(ShardReport& shard) {
  if (!dataset::has_nemo_name(shard.path))
    shard.issues.add(issue::kShardName, {.where = {.path = shard.path}});
}

void check_text_members(ShardReport& shard) {
  const auto found = shard.contents.extensions.find("txt");
  if (found == shard.contents.extensions.end() || !shard.contents.has_audio()) return;
  shard.issues.add(issue::kTextMembers, {.where = {.path = shard.path}}, found->second.members);
}

void check_containers(DatasetReport& dataset) {
  Extensions all;
  for (const ShardReport& shard : dataset.shards) {
    for (const auto& [extension, amount] : shard.contents.extensions)
      all[extension].members += amount.members;
  }
  const auto usual = usual_audio(all);
  if (usual == all.end()) return;
  for (const ShardReport& shard : dataset.shards) {
    IssueList issues;
    for (const auto& [extension, amount] : shard.contents.extensions) {
      if (extension == usual->first || !shard::is_audio_extension(extension)) continue;
      issues.add(issue::kMixedContainers, {.where = {.path = shard.path}, .what = extension}, amount.members);
    }
    dataset.issues.merge(issues);
  }
}

}  // namespace shardmill::check
