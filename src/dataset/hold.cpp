#include "dataset/hold.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/io/folder.hpp"
#include "dataset/output_folder.hpp"
#include "dataset/publish.hpp"
#include "manifest/layout.hpp"
#include "manifest/parity_header.hpp"

namespace shardmill::dataset {

DatasetHold::DatasetHold(const std::string& folder, std::optional<base::WriterLock> lock)
    : folder_(folder),
      lock_(std::move(lock)),
      dataset_(base::version_of(base::inside(folder, manifest::kDataset))) {}

namespace {

/// Whether a parity file shows that shardmill made this dataset, even if its other records are damaged.
bool has_parity(const std::string& folder) {
  const std::string parity = base::inside(folder, manifest::kParityFolder);
  if (!base::exists(parity)) return false;
  const auto entries = base::entries(parity);
  return std::any_of(entries.begin(), entries.end(), [](const std::filesystem::path& entry) {
    try {
      manifest::read_parity_header(entry.string());
      return true;
    } catch (const Error&) {
      return false;
    }
  });
}

void check_dataset_is_ours(const std::string& folder) {
  try {
    check_output_is_ours(folder, OutputKind::dataset);
  } catch (const Error& error) {
    if (error.remedy() != Remedy::not_replaced || !has_parity(folder)) throw;
  }
}

}  // namespace

DatasetHold DatasetHold::to_write(const std::string& folder, std::string_view command,
                                  base::Reporter& reporter) {
  constexpr std::chrono::milliseconds kPause(100);
  check_dataset_is_ours(folder);
  for (bool told = false;;) {
    auto attempt = base::WriterLock::attempt(base::inside(folder, manifest::kLockFile), command);
    if (attempt.lock) {
      if (unfinished_in(folder) == Unfinished::publishing) throw unfinished_error(folder);
      return {folder, std::move(attempt.lock)};
    }
    if (holds_unfinished_run(folder)) {
      throw Error("a run is at work here, and makes the dataset again: " + attempt.holder, at(folder),
                  "wait for its end");
    }
    reporter.check_stop();
    if (!std::exchange(told, true)) reporter.phase("waiting for " + attempt.holder);
    std::this_thread::sleep_for(kPause);
  }
}

DatasetHold DatasetHold::to_read(const std::string& folder) {
  return {folder, std::nullopt};
}

void DatasetHold::check_same() const {
  if (lock_) lock_->check_held();
  if (dataset_ && dataset_ == base::version_of(base::inside(folder_, manifest::kDataset))) return;
  throw Error("the dataset was replaced while it was read", at(folder_), "run the same command again");
}

namespace {

/// What every command that changes files of a dataset writes or removes.
std::vector<std::optional<base::Identity>> records_of(const std::string& folder) {
  const std::string work = base::inside(folder, manifest::kWorkFolder);
  return {base::version_of(base::inside(folder, manifest::kDataset)),
          base::version_of(base::inside(folder, manifest::kChecksums)),
          base::version_of(publish_list_path(work))};
}

}  // namespace

UnlockedRead::UnlockedRead(std::string folder) : folder_(std::move(folder)), records_(records_of(folder_)) {}

void UnlockedRead::check_unchanged() const {
  if (records_ == records_of(folder_)) return;
  throw Error("the dataset was changed while it was read, so the result is unknown", at(folder_),
              "run the same command again");
}

}  // namespace shardmill::dataset
