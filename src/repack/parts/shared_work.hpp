// SharedWork: how the parts of a run find each other's work. On a disk all of them see the work folder. For a
// dataset in a bucket each step works on its own machine, and what the others need is in the bucket, below
// .shardmill.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/remote/bucket_folder.hpp"
#include "base/remote/sending.hpp"
#include "base/reporter.hpp"
#include "pipeline/part_state.hpp"
#include "repack/options.hpp"

namespace shardmill::repack {

/// A part that runs twice makes the same bytes twice, so parts need no locks in a bucket. On a disk fetch(),
/// and all that sends, does nothing.
class SharedWork {
 public:
  /// Both must outlive it.
  SharedWork(const RepackOptions& options, base::Reporter& reporter);

  /// The folder or address of the dataset whose work folder holds the work of all parts. Only read it.
  const std::string& folder() const { return options_.place(); }

  /// Sends the plan. Call it when the plan is written.
  void send_plan();
  /// Removes all that parts have sent, and the plan.
  void give_up();
  /// Sends a file of the work folder. It does not stay here.
  void send(const std::string& path);

  /// Brings the work of a part to this machine, unless it is there.
  void fetch(std::uint32_t part);
  /// Sends the work of a part that has read its sources. Nothing of it stays here.
  void send_read(std::uint32_t part);
  /// Removes what is here of a part whose work the bucket has: a run was killed before it did so.
  void leave(std::uint32_t part);
  /// The same for work that was fetched: it is of no use where the bucket does not have it any more.
  void drop_fetched(std::uint32_t part);
  /// The same of a file that send() sends.
  void leave(const std::string& path);
  /// Sends what give_back() has changed of a part. Nothing of it stays here.
  void send_given_back(std::uint32_t part);
  /// Sends the finished shards of a part, from the number `first` on, which get their final names. Nothing of
  /// it stays here.
  void send_complete(std::uint32_t part, const pipeline::CompletePart& complete, std::uint32_t first);

  /// The folder that says what a complete part has made: `complete`, its journal and its logs.
  std::string done_folder(std::uint32_t part) const;

  /// Where the shard and the manifest of a complete part are; nullopt on a disk. `number`: in all parts.
  struct Place {
    std::string tar;
    std::string manifest;
  };
  std::optional<Place> place_of(std::uint32_t number) const;

 private:
  std::string local(std::uint32_t part) const;
  void drop(std::uint32_t part);
  std::vector<base::FileToSend> files_of(const std::string& folder) const;
  std::string name_of(const std::string& path) const;
  static std::string journal_of(const std::string& path);
  void send(const std::vector<base::FileToSend>& files, const std::string& journal,
            std::function<void(const std::vector<base::SentFile>&)> before_records = {});

  const RepackOptions& options_;
  base::Reporter& reporter_;
  std::optional<base::BucketFolder> bucket_;  // none: on a disk
};

/// The checksums of all files that parts have sent under their final names.
std::vector<base::SentFile> sent_by_parts(const base::BucketFolder& bucket);
/// Removes all work of parts from the bucket, unfinished uploads included. The plan goes last.
void remove_shared_work(const base::BucketFolder& bucket);

}  // namespace shardmill::repack
