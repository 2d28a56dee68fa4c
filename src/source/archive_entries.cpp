#include "source/archive_entries.hpp"

#include <algorithm>
#include <utility>

#include "source/archive_index.hpp"
#include "source/entries/part.hpp"

namespace shardmill::source {

namespace {

class Entries final : public EntryStream {
 public:
  Entries(base::File& file, const EntryOptions& options) : options_(options), collector_(options_) {
    parts_.push_back(open_part(file.duplicate(), {.folder = {}, .place = file.path()}, collector_));
    if (is_container(file)) bytes_ = file.size();
  }

  bool read(std::vector<ArchiveItem>& items) override {
    if (parts_.empty()) return false;
    // What comes by this call, and the archives in it, are not confirmed before the next.
    if (parts_.size() == 1) confirmed_ = std::max(confirmed_, parts_.front()->confirmed_bytes());
    const bool more = parts_.back()->read();
    if (auto nested = parts_.back()->take_nested()) {
      ended_.push_back(!more);
      parts_.push_back(std::move(nested));
    } else if (!more) {
      end_part();
    }
    for (ArchiveItem& item : collector_.found) items.push_back(std::move(item));
    collector_.found.clear();
    return !parts_.empty();
  }

  std::uint64_t consumed_bytes() const override {
    return parts_.empty() ? last_consumed_ : parts_.front()->consumed_bytes();
  }
  std::uint64_t plain_bytes() const override {
    return parts_.empty() ? last_plain_ : parts_.front()->plain_bytes();
  }
  std::uint64_t confirmed_bytes() const override { return confirmed_; }
  std::uint64_t doubts() const override { return collector_.doubts; }

 private:
  /// The innermost archive ends; those around it go on, with further archives that were found in them first.
  void end_part() {
    while (!parts_.empty()) {
      if (parts_.size() == 1) {
        last_consumed_ = std::max(parts_.front()->consumed_bytes(), bytes_);
        last_plain_ = parts_.front()->plain_bytes();
      }
      parts_.pop_back();
      if (parts_.empty()) return;
      const bool has_ended = ended_.back();
      if (auto next = parts_.back()->take_nested()) {
        parts_.push_back(std::move(next));
        return;
      }
      ended_.pop_back();
      if (!has_ended) return;
    }
  }

  EntryOptions options_;
  Collector collector_;
  std::vector<std::unique_ptr<Part>> parts_;  // the outermost first
  std::vector<bool> ended_;                   // of all but the innermost: whether it was read to its end
  std::uint64_t bytes_ = 0;                   // of a container
  std::uint64_t confirmed_ = 0;
  std::uint64_t last_consumed_ = 0;
  std::uint64_t last_plain_ = 0;
};

}  // namespace

std::unique_ptr<EntryStream> open_entries(base::File& file, const EntryOptions& options) {
  return std::make_unique<Entries>(file, options);
}

}  // namespace shardmill::source
