#include "update/tables.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/io/folder.hpp"
#include "repack/user_lists.hpp"

namespace shardmill::update {

namespace {

/// Whether the table is still the one that it was.
bool is_as_it_was(const pipeline::TableFile& table, const source::TreeOptions& options) {
  std::vector<pipeline::TableFile> now{table};
  now.front().hash.reset();
  pipeline::read_tables(now, options);
  return !table.hash || now.front().hash == table.hash;
}

}  // namespace

std::vector<pipeline::TableFile> tables_for(const UpdateOptions& options,
                                            const std::vector<pipeline::TableFile>& of_dataset,
                                            const source::TreeOptions& tree, base::Reporter& reporter) {
  if (!options.tables.empty() || options.sources.empty()) return options.tables;
  std::vector<pipeline::TableFile> tables;
  for (const pipeline::TableFile& table : of_dataset) {
    if (!base::may_exist(table.path)) {
      reporter.warn(Error("the dataset was made with this table, which is not there any more", at(table.path),
                          "the samples that are added get nothing from it"));
    } else if (is_as_it_was(table, tree)) {
      tables.push_back(table);
    } else {
      throw Error("has changed since the dataset was made with it", at(table.path),
                  "give the new samples together with their table");
    }
  }
  return tables;
}

std::vector<repack::TableMatch> match_tables(const UpdateOptions& options, const repack::RepackPlan& plan,
                                             const Staged& staged) {
  if (options.tables.empty()) return {};
  repack::ListedSamples listed{.manifests = {staged.manifest},
                               .rejects = {staged.reject_log},
                               .are_all = repack::knows_all_keys(plan.recipe.intake, staged.counts)};
  if (!base::exists(staged.reject_log)) listed.rejects.clear();
  return repack::account_of_tables(plan.recipe.intake.tables, listed);
}

void add_tables(const std::vector<pipeline::TableFile>& used, std::vector<pipeline::TableFile>& all) {
  for (const pipeline::TableFile& table : used) {
    // The old table at this path is gone, and the new one covers old samples, too.
    const auto known = std::find_if(all.begin(), all.end(), [&](const pipeline::TableFile& old) {
      return old.dataset == table.dataset && (old.hash == table.hash || old.path == table.path);
    });
    if (known == all.end()) {
      all.push_back(table);
    } else if (known->path == table.path) {
      *known = table;
    }
  }
}

}  // namespace shardmill::update
