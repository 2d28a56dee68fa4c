#include "shardmill/commands/publish.hpp"

#include <filesystem>
#include <set>

#include "shardmill/base/binary.hpp"
#include "shardmill/base/error.hpp"
#include "shardmill/base/file.hpp"
#include "shardmill/base/folder.hpp"
#include "shardmill/manifest/layout.hpp"
#include "shardmill/manifest/loader_index.hpp"
#include "shardmill/manifest/recipe_list.hpp"

namespace shardmill::commands {

namespace fs = std::filesystem;

namespace {

std::string list_path(const std::string& folder) {
  return publish_list_path(folder + "/" + std::string(manifest::kWorkFolder));
}

void write_list(const std::string& folder, const Renames& renames) {
  base::BinaryWriter out;
  out.put(renames.size());
  for (const auto& [from, to] : renames) {
    out.put(from);
    out.put(to);
  }
  base::AtomicFile file(list_path(folder));
  file.write(out.bytes());
  file.commit();
}

Renames read_list(const std::string& folder) {
  const std::string text = base::read_text(list_path(folder));
  base::BinaryReader in(base::as_bytes(text));
  Renames renames(in.number());
  for (auto& [from, to] : renames) {
    from = in.text();
    to = in.text();
  }
  return renames;
}

/// Shards, manifests and indexes of an older dataset that the new one does not overwrite.
void remove_stale(const std::string& folder, const Renames& renames) {
  std::set<fs::path> wanted;
  for (const auto& [from, to] : renames) {
    for (fs::path inner = to; !inner.empty(); inner = inner.parent_path())
      wanted.insert(fs::path(folder) / inner);
  }
  for (const std::string_view name :
       {manifest::kWidsIndex, manifest::kSpeechBrainList, manifest::kSpeechBrainTable,
        manifest::kEnergonFolder, manifest::kAmphionFolder}) {
    if (!wanted.contains(fs::path(folder) / name)) base::remove_tree(fs::path(folder) / name);
  }
  for (const std::string_view inner : {manifest::kShardFolder, manifest::kManifestFolder}) {
    for (const fs::path& entry : base::entries(fs::path(folder) / inner)) {
      if (!wanted.contains(entry)) base::remove_file(entry.string());
    }
  }
}

/// The folders that files get their final names in.
std::set<fs::path> folders_of(const std::string& folder, const Renames& renames) {
  std::set<fs::path> folders;
  for (const auto& [from, to] : renames) folders.insert((fs::path(folder) / to).parent_path());
  return folders;
}

void rename_all(const std::string& folder, const Renames& renames) {
  for (const auto& [from, to] : renames) {
    const std::string source = folder + "/" + from;
    const std::string target = folder + "/" + to;
    if (!base::exists(source) && base::exists(target)) continue;  // done before the crash
    // The last one declares the dataset complete: everything else must be durable before it.
    if (&to == &renames.back().second) {
      for (const fs::path& inner : folders_of(folder, renames)) base::sync_folder(inner);
    }
    base::rename_file(source, target);
  }
  base::sync_folder(folder);
}

void carry_out(const std::string& folder, const Renames& renames) {
  for (const fs::path& inner : folders_of(folder, renames)) base::make_folders(inner);
  const std::string complete = folder + "/" + std::string(manifest::kDataset);
  const bool is_last_step_left = base::exists(folder + "/" + renames.back().first);
  if (is_last_step_left) {
    if (base::remove_file(complete)) base::sync_folder(folder);
    base::remove_tree(fs::path(folder) / manifest::kRankFolder);  // planned for the older dataset
    base::remove_file(folder + "/" + std::string(manifest::kReport));
  }
  remove_stale(folder, renames);
  rename_all(folder, renames);
}

}  // namespace

std::string publish_list_path(const std::string& work_folder) {
  return work_folder + "/publish";
}

void publish(const std::string& folder, const Renames& renames) {
  write_list(folder, renames);
  carry_out(folder, renames);
}

bool finish_publishing(const std::string& folder) {
  if (!base::exists(list_path(folder))) return false;
  carry_out(folder, read_list(folder));
  return true;
}

}  // namespace shardmill::commands
