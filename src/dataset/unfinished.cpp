#include "dataset/unfinished.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "base/io/folder.hpp"
#include "dataset/output_folder.hpp"
#include "dataset/publish.hpp"
#include "manifest/layout.hpp"
#include "manifest/split_record.hpp"
#include "pipeline/journal.hpp"

namespace shardmill::dataset {

namespace {

bool has(const std::string& folder, std::string_view name) {
  return base::may_exist(folder + "/" + std::string(name));
}

/// The datasets of a split get their names together: before all of them are made, none does.
bool may_publish(const std::string& folder) {
  const std::string outer = std::filesystem::path(base::canonical(folder)).parent_path().string();
  const std::string work = outer + "/" + std::string(manifest::kWorkFolder);
  return !has(work, kSplitBegun) || has(work, manifest::kSplit);
}

/// Where no work is left, but dataset.json is gone.
Error lost_record(const std::string& folder) {
  std::string problem = "the dataset is not finished: there is no dataset.json";
  if (has(folder, manifest::kParityFolder))
    return Error(std::move(problem), at(folder), fmt::format("'shardmill repair {}' makes it again", folder));
  return Error(std::move(problem), at(folder), "the same repack command makes the dataset again");
}

}  // namespace

Unfinished unfinished_in(const std::string& folder) {
  const std::string work = folder + "/" + std::string(manifest::kWorkFolder);
  std::error_code unknown;  // then there is no work to go on with
  if (!std::filesystem::is_directory(work, unknown)) return Unfinished::nothing;
  if (base::may_exist(publish_list_path(work)) && may_publish(folder)) return Unfinished::publishing;
  if (has(work, "plan")) return Unfinished::parts;
  if (base::may_exist(pipeline::journal_path(work))) return Unfinished::run;
  if (has(folder, kUpdateFolder)) return Unfinished::update;
  return holds_unfinished_run(folder) ? Unfinished::run : Unfinished::nothing;
}

Error unfinished_error(const std::string& folder) {
  const bool is_finished = has(folder, manifest::kDataset);
  const std::string as_before = is_finished ? ", and the dataset is as it was before" : "";
  switch (unfinished_in(folder)) {
    case Unfinished::publishing:
      return Error("a command was interrupted while it gave the new files their names", at(folder),
                   fmt::format("'shardmill repair {}' completes it", folder));
    case Unfinished::parts:
      return Error("a run in parts was begun here and is not finished" + as_before, at(folder),
                   fmt::format("'shardmill repack --out {} --finish' goes on with it", folder));
    case Unfinished::update:
      if (!is_finished) break;
      return Error("an update was begun here and interrupted" + as_before, at(folder),
                   "the same update command goes on with it");
    case Unfinished::run:
      if (is_finished) {
        return Error(
            "another run was begun here to replace the dataset, and was interrupted; the dataset is as it "
            "was before",
            at(folder), "the same repack command starts over");
      }
      return Error("the dataset is not finished: repack was interrupted", at(folder),
                   "the same repack command goes on with it");
    case Unfinished::nothing:
      break;
  }
  return lost_record(folder);
}

}  // namespace shardmill::dataset
