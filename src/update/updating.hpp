// Updating: one update of one dataset, in steps that a caller may make for several datasets side by side.
// dry_run: what an update would do.
// rewrite: writes the shards that an update changes, and says what each shard of the dataset is then.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "check/member_check.hpp"
#include "dataset/publish.hpp"
#include "pipeline/workers.hpp"
#include "repack/finish.hpp"
#include "repack/records.hpp"
#include "update/decision.hpp"
#include "update/options.hpp"
#include "update/request.hpp"
#include "update/staging.hpp"
#include "update/stock.hpp"

namespace shardmill::update {

/// Where new files lie until they get their places.
std::string ready_folder(const Request& request);

/// A shard of the updated dataset, or the samples that wait.
struct UpdatedShard {
  check::ShardContents contents;
  repack::FinishedShard files;  // without the tally
};

struct Rewritten {
  std::vector<UpdatedShard> shards;     // all, in their order
  std::optional<UpdatedShard> pending;  // none: no sample waits
  std::uint64_t bytes = 0;              // that were written
};

/// Locates the samples of the stock and writes those that move. Throws Error where the disk is too small.
Rewritten rewrite(const Request& request, const Facts& facts, const Decision& decision, Stock& stock,
                  pipeline::Workers& workers, base::Reporter& reporter);

/// A new dataset whose files are durable and have no names yet.
struct PreparedUpdate {
  UpdateSummary summary;
  dataset::Renames renames;
  std::set<std::string> kept;  // files of the old dataset that stay

  /// False if there is nothing to publish, because nothing changes.
  bool is_complete() const { return summary.outcome == UpdateSummary::Outcome::written; }
};

class Updating {
 public:
  /// Looks up the request. All arguments must outlive it. Throws Error as look_up() does.
  Updating(const UpdateOptions& options, std::shared_ptr<Removal> removal, pipeline::Workers& workers,
           base::Reporter& reporter);

  bool is_done() const { return request_.is_done(); }
  bool is_last_update() const { return request_.is_last_update(); }
  UpdateSummary already_done() const;
  /// Comes before the next two. Tells the removal which of its names were found.
  void read_manifests();
  UpdateSummary dry_run() const;
  /// Writes all files of the new dataset. The caller publishes them.
  PreparedUpdate prepare();

 private:
  void check_manifests() const;
  void check_protected_shards() const;
  void check_holds(const std::string& path, const std::string& sha256) const;
  std::optional<Staged> read_sources();
  Staged stage_sources(const Known& known);
  bool tells_nothing_new(const Staged& staged) const;
  UpdateSummary nothing_new(const pipeline::IntakeCounts& counts) const;
  void compare(const Staged& staged);
  void warn_of_changed(const Staged& staged);
  std::string rejects(const Changes& changes) const;
  dataset::Recipe updated_recipe(const Changes& changes) const;
  PreparedUpdate record(const Changes& changes, const Rewritten& rewritten);
  bool keeps_shares(const UpdateSummary& summary) const;
  void judge(UpdateSummary& summary) const;
  void tell(UpdateSummary& summary, const Changes& changes, const Rewritten& rewritten) const;

  pipeline::Workers& workers_;
  base::Reporter& reporter_;
  repack::RunClock clock_;
  std::vector<repack::TableMatch> tables_;
  Request request_;
  Facts facts_;
};

/// Exact for the samples that are removed, an estimate for those that are added. Writes nothing.
UpdateSummary dry_run(const Request& request, const Facts& facts, pipeline::Workers& workers,
                      base::Reporter& reporter);

}  // namespace shardmill::update
