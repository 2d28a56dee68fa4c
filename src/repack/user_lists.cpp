#include "repack/user_lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "base/hash/hash.hpp"
#include "base/text/units.hpp"
#include "manifest/record_reader.hpp"
#include "manifest/reject.hpp"
#include "manifest/sample_record.hpp"
#include "source/file_name.hpp"

namespace shardmill::repack {

namespace {

constexpr std::size_t kNamedRows = 3;

/// Of the sample of a source, which copies and channels of it share; never 0.
std::uint64_t name_of(const manifest::SampleRecord& sample) {
  // One recording in two formats is one sample.
  const std::string_view source = source::without_extension(sample.source);
  const base::Xxh128 hash =
      base::xxh3_128(base::as_bytes(fmt::format("{}/{}/{}", sample.dataset, source, sample.source_key)));
  std::uint64_t word = 0;
  std::memcpy(&word, hash.bytes.data(), sizeof word);
  return std::max<std::uint64_t>(word, 1);
}

/// The key that a row has which is about one channel of a recording: "call/7_left". The key of the sample has
/// no folder.
std::string channel_key_of(const manifest::SampleRecord& sample) {
  const std::size_t suffix = sample.key.rfind('_');
  return suffix == std::string::npos ? sample.key : sample.source_key + sample.key.substr(suffix);
}

class TableAccount {
 public:
  explicit TableAccount(const pipeline::TableFile& file) : file_(file), met_by_(file.table->rows(), 0) {
    match_.path = file.path;
    match_.rows = file.table->rows();
  }

  void meet(const manifest::SampleRecord& sample) {
    if (!file_.is_for(sample.dataset)) return;
    auto row = pipeline::find_row(file_, sample.source_key, sample.key);
    if (!row) row = pipeline::find_row(file_, channel_key_of(sample), {});
    if (!row) return miss(sample.source_key);
    ++match_.matched_samples;
    const std::uint64_t name = name_of(sample);
    if (met_by_[*row] != 0 && met_by_[*row] != name) {
      throw Error(fmt::format("the row of '{}' fits several samples, one of them '{}' of dataset '{}'",
                              printable(file_.table->row(*row).key), printable(sample.source_key),
                              printable(sample.dataset)),
                  at(file_.path),
                  "give a table to each dataset, NAME=FILE, and keys as the samples have them");
    }
    met_by_[*row] = name;
  }

  /// What was left out needs no row, and a row of it is no mistake.
  void meet(const manifest::Reject& reject) {
    if (!reject.key || !file_.is_for(reject.dataset)) return;
    const auto row = pipeline::find_row(file_, *reject.key, {});
    if (row && met_by_[*row] == 0) met_by_[*row] = 1;
  }

  TableMatch settle(bool is_exact) {
    file_.table->check();
    if (match_.matched_samples == 0 && match_.samples_without_row != 0)
      throw no_match_error(file_, match_.first_samples.front());
    match_.is_exact = is_exact;
    if (!is_exact) return match_;
    match_.rows_without_sample = static_cast<std::uint64_t>(std::count(met_by_.begin(), met_by_.end(), 0U));
    for (std::size_t row = 0; row < met_by_.size() && match_.first_rows.size() < kNamedRows; ++row) {
      if (met_by_[row] == 0) match_.first_rows.push_back(file_.table->row(row).key);
    }
    return match_;
  }

 private:
  void miss(const std::string& key) {
    if (match_.samples_without_row++ < kNamedRows) match_.first_samples.push_back(key);
  }

  const pipeline::TableFile& file_;
  std::vector<std::uint64_t> met_by_;  // of each row, the sample that has it; 0: none
  TableMatch match_;
};

constexpr std::size_t kMostNamed = 3;

/// A list, and which of its keys were found.
class KeyAccount {
 public:
  explicit KeyAccount(const pipeline::KeyFile& file)
      : file_(file), met_(file.keys ? file.keys->size() : 0, false) {}

  bool is_used() const { return file_.keys != nullptr; }

  void meet(std::string_view key) {
    if (!is_used()) return;
    if (const auto number = file_.keys->find(key)) met_[*number] = true;
  }

  void warn(base::Reporter& reporter) const {
    const auto missed = static_cast<std::size_t>(std::count(met_.begin(), met_.end(), false));
    if (missed == 0) return;
    reporter.warn(Error(fmt::format("lists {} that no source has: {}{}", base::format_count(missed, "key"),
                                    first_missed(), missed > kMostNamed ? ", ..." : ""),
                        at(file_.path)));
  }

 private:
  std::string first_missed() const {
    std::string names;
    std::size_t named = 0;
    std::vector<bool> met = met_;
    pipeline::for_each_key(file_.path, [&](std::string_view key) {
      const auto number = named < kMostNamed ? file_.keys->find(key) : std::nullopt;
      if (!number || met[*number]) return;
      met[*number] = true;
      names += fmt::format("{}'{}'", named++ == 0 ? "" : ", ", printable(key));
    });
    return names;
  }

  const pipeline::KeyFile& file_;
  std::vector<bool> met_;
};

}  // namespace

Error no_match_error(const pipeline::TableFile& table, const std::string& example) {
  return Error(
      fmt::format("none of its {} belongs to a sample: it has keys such as '{}', the samples such as '{}'",
                  base::format_count(table.table->rows(), "row"), printable(table.table->row(0).key),
                  printable(example)),
      at(table.path), "the keys of the rows must be those of the samples");
}

void ListedSamples::for_each_sample(const std::function<void(const manifest::SampleRecord&)>& take) const {
  for (const std::string& path : manifests) {
    manifest::RecordReader reader(path);
    for (manifest::SampleRecord sample; reader.next(sample);) take(sample);
  }
}

void ListedSamples::for_each_reject(const std::function<void(const manifest::Reject&)>& take) const {
  for (const std::string& path : rejects) {
    manifest::RecordReader reader(path);
    for (manifest::Reject reject; reader.next(reject);) take(reject);
  }
}

bool knows_all_keys(const pipeline::IntakeOptions& intake, const pipeline::IntakeCounts& counts) {
  return intake.limit == 0 && !counts.left_out.contains("by_weight");
}

std::vector<TableMatch> account_of_tables(const std::vector<pipeline::TableFile>& tables,
                                          const ListedSamples& listed) {
  std::vector<TableAccount> accounts;
  for (const pipeline::TableFile& file : tables) accounts.emplace_back(file);
  if (accounts.empty()) return {};
  const auto meet = [&accounts](const auto& record) {
    for (TableAccount& account : accounts) account.meet(record);
  };
  listed.for_each_sample(meet);
  listed.for_each_reject(meet);
  std::vector<TableMatch> matches;
  for (TableAccount& account : accounts) matches.push_back(account.settle(listed.are_all));
  return matches;
}

void warn_of_unmatched_keys(const pipeline::KeyPatterns& keys, const ListedSamples& listed,
                            base::Reporter& reporter) {
  KeyAccount only(keys.only);
  KeyAccount never(keys.never);
  if (!only.is_used() && !never.is_used()) return;
  listed.for_each_reject([&](const manifest::Reject& reject) {
    if (!reject.key) return;
    only.meet(*reject.key);
    never.meet(*reject.key);
  });
  if (only.is_used()) {
    listed.for_each_sample([&](const manifest::SampleRecord& sample) {
      // The user asks for a sample of a finished dataset by the key that it has there.
      only.meet(sample.key);
      only.meet(sample.source_key);
    });
  }
  only.warn(reporter);
  never.warn(reporter);
}

}  // namespace shardmill::repack
