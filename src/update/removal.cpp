#include "update/removal.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text/units.hpp"
#include "shard/keys.hpp"
#include "shard/sample_text.hpp"

namespace shardmill::update {

namespace {

/// The first few names that were not found, as an error shows them.
class Missing {
 public:
  void add(std::string_view name) {
    constexpr std::size_t kShown = 3;
    if (++count_ <= kShown)
      shown_ += fmt::format("{}'{}'", shown_.empty() ? "" : ", ", printable(std::string(name)));
    else if (count_ == kShown + 1)
      shown_ += " and more";
  }
  std::size_t count() const { return count_; }
  const std::string& shown() const { return shown_; }

 private:
  std::size_t count_ = 0;
  std::string shown_;
};

void mark(std::vector<bool>& found, std::optional<std::size_t> number) {
  if (number) found[*number] = true;
}

}  // namespace

Removal::Removal(const UpdateOptions& options)
    : keys_(read(options.remove_keys)),
      speakers_(read(options.remove_speakers)),
      datasets_(options.remove_datasets),
      datasets_found_(datasets_.size(), false),
      speaker_datasets_(speakers_.list.size()) {
  if (!keys_.path.empty() && keys_.list.size() == 0) throw Error("lists no keys", at(keys_.path));
  if (!speakers_.path.empty() && speakers_.list.size() == 0)
    throw Error("lists no speakers", at(speakers_.path));
}

Removal::Names Removal::read(const std::string& path) {
  Names names{.path = path};
  if (!path.empty()) names.list = pipeline::KeyList::read(path);
  names.found.assign(names.list.size(), false);
  return names;
}

Removal::Match Removal::match(const manifest::WholeSampleRecord& record) const {
  Match match;
  if (!keys_.path.empty()) {
    match.key = keys_.list.find(record.key);
    const std::string copied = shard::copied_key(record.key, record.source_key);
    if (!match.key && !copied.empty()) match.key = keys_.list.find(copied);
  }
  const auto dataset = std::find(datasets_.begin(), datasets_.end(), record.dataset);
  if (dataset != datasets_.end()) match.dataset = static_cast<std::size_t>(dataset - datasets_.begin());
  if (speakers_.path.empty()) return match;
  const std::string speaker = shard::speaker_in(record.facts);
  if (speaker.empty()) return match;
  match.speaker = speakers_.list.find(speaker);
  match.speaker_of_dataset = speakers_.list.find(record.dataset + "/" + speaker);
  return match;
}

bool Removal::takes(const manifest::WholeSampleRecord& record) const {
  return match(record).any();
}

bool Removal::takes_speaker_of(const manifest::WholeSampleRecord& record) const {
  const Match match = this->match(record);
  return match.speaker || match.speaker_of_dataset;
}

bool Removal::find(const manifest::WholeSampleRecord& record) {
  const Match match = this->match(record);
  if (!match.any()) return false;
  const std::lock_guard lock(mutex_);
  mark(keys_.found, match.key);
  mark(speakers_.found, match.speaker);
  mark(speakers_.found, match.speaker_of_dataset);
  mark(datasets_found_, match.dataset);
  if (match.speaker || match.speaker_of_dataset)
    found_speakers_.emplace(record.dataset, shard::speaker_in(record.facts));
  if (match.speaker) {
    std::string& dataset = speaker_datasets_[*match.speaker];
    if (dataset.empty()) dataset = record.dataset;
    if (dataset != record.dataset)
      throw Error(fmt::format("a speaker {} is in {} and in {}, and these may be two people",
                              printable(shard::speaker_in(record.facts)),
                              printable(std::min(dataset, record.dataset)),
                              printable(std::max(dataset, record.dataset))),
                  at(speakers_.path), "nothing was removed; write DATASET/SPEAKER in that line");
  }
  return true;
}

void Removal::check_found(const Names& names, std::string_view what, std::string_view advice) {
  if (names.path.empty()) return;
  Missing missing;
  std::vector<bool> met = names.found;
  pipeline::for_each_key(names.path, [&](std::string_view name) {
    const auto number = names.list.find(name);
    if (!number || met[*number]) return;
    met[*number] = true;
    missing.add(name);
  });
  if (missing.count() == 0) return;
  throw Error(fmt::format("names {} that the dataset does not have: {}",
                          base::format_count(missing.count(), what), missing.shown()),
              at(names.path), fmt::format("nothing was removed; {}", advice));
}

void Removal::check_datasets_found() const {
  Missing missing;
  for (std::size_t i = 0; i < datasets_.size(); ++i) {
    if (!datasets_found_[i]) missing.add(datasets_[i]);
  }
  if (missing.count() == 0) return;
  throw Error(fmt::format("there are no samples of {}", missing.shown()), {},
              "nothing was removed; give names of datasets as the manifests have them");
}

void Removal::check_all_found() const {
  check_found(keys_, "key", "give keys as the manifests have them");
  check_found(speakers_, "speaker", "give speakers as the manifests have them");
  check_datasets_found();
}

base::Xxh128 Removal::hash() const {
  std::vector<std::string> datasets = datasets_;
  std::sort(datasets.begin(), datasets.end());
  std::string text = keys_.list.hash().hex() + speakers_.list.hash().hex();
  for (const std::string& name : datasets) text += "\n" + name;
  return base::xxh3_128(base::as_bytes(text));
}

}  // namespace shardmill::update
