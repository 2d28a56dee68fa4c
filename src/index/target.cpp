#include "index/target.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "check/sound_shards.hpp"
#include "codec/codec.hpp"
#include "dataset/records.hpp"
#include "manifest/layout.hpp"
#include "manifest/path_lists.hpp"
#include "source/source_set.hpp"

namespace shardmill::index {

namespace fs = std::filesystem;

namespace {

codec::Codec codec_of(const std::string& path) {
  std::vector<std::byte> first(codec::kDetectBytes);
  first.resize(base::File::open_read(path).read_at(first, 0));
  return codec::detect(first);
}

/// The deepest folder that contains all of them.
fs::path common_folder(const std::vector<std::string>& paths) {
  fs::path common = fs::path(paths.front()).parent_path();
  for (const std::string& path : paths) {
    const auto inside = [&] {
      const fs::path relative = fs::path(path).lexically_relative(common);
      return !relative.empty() && *relative.begin() != "..";
    };
    while (!inside()) common = common.parent_path();
  }
  return common;
}

/// Names the folder, too.
void check_shard_codec(const IndexOptions& options, codec::Codec codec, const std::string& folder) {
  try {
    dataset::check_codec(options.kinds, codec);
  } catch (const UsageError& error) {
    throw UsageError(error.problem(), at(folder), error.advice(), error.remedy());
  }
}

}  // namespace

Target dataset_target(const std::string& folder, const IndexOptions& options, pipeline::Workers& workers,
                      base::Reporter& reporter) {
  Target target{.folder = folder};
  const check::SoundDataset sound = check::sound_dataset(folder, workers, reporter);
  const std::string root = sound.records.list_root();
  for (const check::SoundShard& shard : sound.shards) {
    check_shard_codec(options, shard.codec, folder);
    target.samples += shard.record.samples;
    target.shards.push_back({.path = shard.path,
                             .name = shard.path.substr(folder.size() + 1),
                             .manifest = base::inside(folder, manifest::manifest_path(target.shards.size())),
                             .listed = manifest::listed_path(root, shard.record.path),
                             .sha256 = shard.record.sha256});
  }
  return target;
}

Target shard_target(const IndexOptions& options) {
  for (const dataset::LoaderForm* const form : options.kinds) {
    if (form->needs_manifests)
      throw UsageError(
          fmt::format("the {} list is made from manifests, which these shards do not have", form->name),
          at(options.targets.front()), "shardmill repack writes them");
  }
  const source::SourceSet found = source::find_sources(
      options.targets, {.on_unusable = source::OnUnusable::stop, .corpora = false, .allow_commands = false});
  std::vector<std::string> paths;
  for (const source::SourceDataset& dataset : found.datasets) {
    for (const source::SourceFile& file : dataset.files) paths.push_back(base::canonical(file.path));
  }
  std::error_code unreadable;  // ignored: an unreadable file would not have been found
  const bool is_folder = options.targets.size() == 1 && fs::is_directory(options.targets.front(), unreadable);
  Target target{.folder =
                    is_folder ? base::canonical(options.targets.front()) : common_folder(paths).string()};
  for (const std::string& path : paths) {
    if (const codec::Codec codec = codec_of(path); codec != codec::Codec::none)
      throw Error(fmt::format("is compressed with {}: an index says where samples lie in a plain tar",
                              codec::name(codec)),
                  at(path), "shardmill convert --codec none makes it plain");
    target.shards.push_back(
        {.path = path, .name = fs::path(path).lexically_relative(target.folder).string(), .manifest = {}});
  }
  return target;
}

}  // namespace shardmill::index
