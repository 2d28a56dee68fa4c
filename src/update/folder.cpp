#include "update/folder.hpp"

#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "dataset/output_folder.hpp"
#include "dataset/publish.hpp"
#include "dataset/unfinished.hpp"
#include "manifest/layout.hpp"
#include "pipeline/journal.hpp"
#include "repack/folder.hpp"
#include "repack/part_plan.hpp"

namespace shardmill::update {

std::string work_of(const std::string& folder) {
  return folder + "/" + std::string(dataset::kUpdateFolder);
}

void check_folder(const std::string& folder) {
  const auto holds = [&](std::string_view name) { return base::exists(folder + "/" + std::string(name)); };
  if (!holds(manifest::kDataset) && !holds(manifest::kRun))
    throw Error("is not a dataset of shardmill: there is neither dataset.json nor run.json", at(folder),
                "shardmill repack makes one");
  dataset::check_output_is_ours(folder, dataset::OutputKind::dataset);
}

void check_no_other_run(const std::string& folder, bool is_forced) {
  const dataset::Unfinished unfinished = dataset::unfinished_in(folder);
  const bool is_finished = base::exists(folder + "/" + std::string(manifest::kDataset));
  const bool is_in_the_way = unfinished == dataset::Unfinished::publishing ||
                             (unfinished == dataset::Unfinished::run && !is_finished) ||
                             (unfinished == dataset::Unfinished::parts && !(is_finished && is_forced));
  if (!is_in_the_way) return;
  const Error error = dataset::unfinished_error(folder);
  const bool may_be_dropped = unfinished == dataset::Unfinished::parts && is_finished;
  throw Error(error.problem(), error.where(), error.advice(),
              may_be_dropped ? Remedy::start_over : Remedy::none);
}

void drop_unfinished(const std::string& folder) {
  if (dataset::unfinished_in(folder) == dataset::Unfinished::parts) {
    repack::check_no_part_at_work(folder);
    repack::remove_work(repack::work_folder_of(folder));
  }
  base::remove_tree(work_of(folder));
}

void clean_up_failure(const std::string& folder, const base::WriterLock& lock) noexcept {
  try {
    lock.check_held();
    const std::string work = work_of(folder);
    const bool is_worth_keeping = base::exists(pipeline::journal_path(work + "/stage")) ||
                                  base::exists(dataset::publish_list_path(repack::work_folder_of(folder)));
    if (!is_worth_keeping) base::remove_tree(work);
  } catch (const std::exception&) {
    // The error that led here is the one to report. The next run will find the rest.
  }
}

}  // namespace shardmill::update
