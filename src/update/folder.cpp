#include "update/folder.hpp"

#include <filesystem>

#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "dataset/output_folder.hpp"
#include "dataset/publish.hpp"
#include "manifest/layout.hpp"
#include "pipeline/journal.hpp"
#include "repack/folder.hpp"

namespace shardmill::update {

namespace fs = std::filesystem;

std::string work_of(const std::string& folder) {
  return folder + "/" + std::string(dataset::kUpdateFolder);
}

void check_folder(const std::string& folder) {
  const auto holds = [&](std::string_view name) { return base::exists(folder + "/" + std::string(name)); };
  if (!holds(manifest::kDataset) && !holds(manifest::kRun))
    throw Error("is no dataset of shardmill: there is neither dataset.json nor run.json", at(folder),
                "shardmill repack makes one");
  dataset::check_output_is_ours(folder, dataset::OutputKind::dataset);
}

void check_no_other_run(const std::string& folder) {
  const std::string work = repack::work_folder_of(folder);
  if (!base::exists(work)) return;
  for (const fs::path& entry : base::entries(work)) {
    const std::string name = entry.filename().string();
    if (name == "lock" || name == fs::path(dataset::kUpdateFolder).filename() ||
        name == manifest::kStagedIndexes)
      continue;
    if (base::is_part_of_atomic_file(entry)) continue;  // a list of what to publish, killed as it was written
    throw Error("another run was begun here and is not finished", at(folder),
                "the same repack command goes on with it");
  }
}

void clean_up_failure(const std::string& folder, const base::WriterLock& lock) noexcept {
  try {
    lock.check_held();
    const std::string work = work_of(folder);
    const bool is_worth_keeping = base::exists(pipeline::journal_path(work + "/stage")) ||
                                  base::exists(dataset::publish_list_path(repack::work_folder_of(folder)));
    if (!is_worth_keeping) base::remove_tree(work);
  } catch (const std::exception&) {
    // The error that led here is the one to report. The next run will find what is left.
  }
}

}  // namespace shardmill::update
