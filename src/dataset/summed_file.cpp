#include "dataset/summed_file.hpp"

#include <filesystem>
#include <optional>
#include <utility>

#include "base/hash/hash.hpp"
#include "base/io/folder.hpp"
#include "pipeline/ordered.hpp"
#include "shardmill/sample.hpp"

namespace shardmill::dataset {

SummedFile::SummedFile(const std::string& folder, std::string name) : name_(std::move(name)) {
  const std::string path = base::inside(folder, name_);
  base::make_folders(std::filesystem::path(path).parent_path());
  file_.emplace(path);
}

void SummedFile::write(std::string_view text) {
  hash_.update(base::as_bytes(text));
  file_->write(text);
}

manifest::Checksum SummedFile::commit() {
  file_->commit();
  return {.sha256 = base::to_hex(hash_.digest()), .path = name_};
}

manifest::Checksum write_whole(const std::string& folder, std::string name, std::string_view text) {
  SummedFile file(folder, std::move(name));
  file.write(text);
  return file.commit();
}

GrowingList::GrowingList(const std::string& folder, std::string name, std::string_view brackets)
    : file_(folder, std::move(name)), end_(brackets.substr(1)) {
  file_.write(brackets.substr(0, 1));
}

void GrowingList::add(std::string_view entry) {
  file_.write(entries_++ == 0 ? "\n" : ",\n");
  file_.write(entry);
}

manifest::Checksum GrowingList::commit() {
  file_.write("\n");
  file_.write(end_);
  file_.write("\n");
  return file_.commit();
}

namespace {

constexpr std::size_t kStepBytes = 1 << 20;

struct Step {
  Bytes bytes;
  bool ends_file = false;
};

/// Reads the files step by step; each file has at least one step.
class StepReader {
 public:
  explicit StepReader(const std::vector<std::string>& paths) : paths_(paths) {}

  std::optional<Step> next() {
    if (file_ == paths_.size()) return std::nullopt;
    Step step;
    if (!open_ && base::exists(paths_[file_])) open_ = base::File::open_read(paths_[file_]);
    if (open_) {
      step.bytes.resize(kStepBytes);
      step.bytes.resize(open_->read(step.bytes));
    }
    step.ends_file = step.bytes.size() < kStepBytes;
    if (step.ends_file) {
      open_.reset();
      ++file_;
    }
    return step;
  }

 private:
  const std::vector<std::string>& paths_;
  std::size_t file_ = 0;
  std::optional<base::File> open_;
};

}  // namespace

JoinedFiles join_files(const std::vector<std::string>& paths, base::AtomicFile& all,
                       pipeline::Workers& workers, base::Reporter& reporter) {
  JoinedFiles joined;
  StepReader reader(paths);
  pipeline::ByteBudget budget(workers.memory_share());
  base::Sha256 hash;
  base::RunningHash quick;
  base::Sha256 hash_of_all;
  const auto read = [&]() -> std::optional<pipeline::Costly<Step>> {
    reporter.check_stop();
    auto step = reader.next();
    if (!step) return std::nullopt;
    return pipeline::Costly<Step>{.item = std::move(*step), .bytes = kStepBytes};
  };
  const auto hash_each = [&](const Step& step) {
    hash.update(step.bytes);
    quick.update(step.bytes);
    if (step.ends_file) {
      joined.quick.push_back(std::exchange(quick, {}).digest());
      joined.sha256.push_back(base::to_hex(hash.digest()));
      hash = {};
    }
  };
  // Each stage keeps the order, so one thread at a time works in it. Together the stages use as many threads
  // as there are stages.
  pipeline::run_ordered<Step>({.items = workers.items_in_flight(kStepBytes), .budget = budget}, workers, read,
                              pipeline::in_order(hash_each),
                              pipeline::in_order([&](const Step& step) { hash_of_all.update(step.bytes); }),
                              pipeline::in_order([&](const Step& step) { all.write(step.bytes); }));
  joined.sha256_of_all = base::to_hex(hash_of_all.digest());
  return joined;
}

}  // namespace shardmill::dataset
