#include "source/labels/label_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "base/error.hpp"
#include "base/text/json_reader.hpp"
#include "base/text/units.hpp"
#include "source/labels/time_columns.hpp"
#include "source/labels/time_likeness.hpp"

namespace shardmill::source {

namespace {

/// The columns of one role.
struct Found {
  const TableField* field = nullptr;  // the one that counts
  TimeMeaning meaning{};
  std::vector<std::pair<const TableField*, TimeMeaning>> others{};

  void take(const TableField& other, const TimeMeaning& its) {
    if (field == nullptr || its.rank < meaning.rank) {
      if (field != nullptr) others.emplace_back(field, meaning);
      field = &other;
      meaning = its;
    } else {
      others.emplace_back(&other, its);
    }
  }
  double seconds() const { return seconds_of(*field, *meaning.unit); }
};

struct Columns {
  Found begin;
  Found end;
  Found length;
};

/// Corpora round their times.
constexpr double kNearSeconds = 0.1;

[[noreturn]] void refuse(const TableField& field, bool is_count) {
  const std::string name = printable(field.first);
  throw Error(
      is_count ? fmt::format("the column '{}' counts samples, frames or bytes, and not seconds", name)
               : fmt::format("the column '{}' looks like a time, but its unit is unknown", name),
      {},
      "call times start, end or duration if they are in seconds, start_ms and so on if in milliseconds; a "
      "column that is no time needs another name");
}

void check_others(const std::vector<TableField>& fields, const Columns& known) {
  const bool has_begin = known.begin.field != nullptr;
  const bool has_end = known.end.field != nullptr || known.length.field != nullptr;
  if (has_begin && has_end) return;
  const std::vector<const TableField*> halves = halves_of_pairs(fields);
  for (const TableField& field : fields) {
    if (holds_times(field))
      throw Error(
          fmt::format("the column '{}' holds times inside an object", printable(field.first)), {},
          "give the rows members start and end, or start and duration; a column that is no time needs "
          "another name");
    TimeRole role = meaning_of(field.first).role;
    const bool is_count = role >= TimeRole::count_of_begin;
    if (role != TimeRole::none && !is_count) continue;
    if (role == TimeRole::none) role = likeness_of(field);
    if (role == TimeRole::none && std::ranges::find(halves, &field) != halves.end())
      role = has_begin ? TimeRole::end : TimeRole::begin;
    const bool may_begin = role == TimeRole::begin || role == TimeRole::count_of_begin;
    const bool may_end = role == TimeRole::end || role == TimeRole::count_of_end ||
                         role == TimeRole::count_of_length || (role == TimeRole::length && has_begin);
    if ((may_begin && !has_begin) || (may_end && !has_end)) refuse(field, is_count);
  }
}

std::string contradiction(const Found& found) {
  const double first = found.seconds();
  for (const auto& [field, meaning] : found.others) {
    const double other = seconds_of(*field, *meaning.unit);
    if (!(std::abs(first - other) < kNearSeconds))
      return fmt::format("'{}' and '{}' contradict each other: {} s and {} s", printable(found.field->first),
                         printable(field->first), first, other);
  }
  return {};
}

void set_times(const Columns& known, LabelTimes& times) {
  const bool has_begin = known.begin.field != nullptr;
  times.has_begin = has_begin;
  if (has_begin) times.begin_seconds = known.begin.seconds();
  if (known.length.field != nullptr) times.seconds = known.length.seconds();
  if (known.end.field != nullptr) {
    times.end_seconds = known.end.seconds();
    const double between = times.end_seconds - times.begin_seconds;
    if (known.length.field != nullptr && !(std::abs(between - times.seconds) < kNearSeconds))
      times.problem = fmt::format("its times contradict each other: from {} s to {} s are not {} s",
                                  times.begin_seconds, times.end_seconds, times.seconds);
    times.seconds = between;
  } else if (has_begin && known.length.field != nullptr) {
    times.end_seconds = base::decimal_sum(times.begin_seconds, times.seconds);
  } else if (known.length.field != nullptr) {
    times.keeps_to_seconds = true;
    if (!(times.seconds > 0)) times.problem = fmt::format("lasts {} s", times.seconds);
  }
  times.has_unit = std::ranges::any_of(
      std::array{known.begin, known.end, known.length},
      [](const Found& found) { return found.field != nullptr && !found.meaning.unit->name.empty(); });
  if (times.problem.empty()) times.problem = why_no_stretch(times.begin_seconds, times.end_seconds);
  for (const Found* found : {&known.begin, &known.end, &known.length}) {
    if (found->field != nullptr && times.problem.empty()) times.problem = contradiction(*found);
  }
}

}  // namespace

LabelTimes times_of(const std::vector<TableField>& fields) {
  // Beside an onset, an offset is an end.
  const bool has_onset = std::any_of(fields.begin(), fields.end(), [](const TableField& field) {
    return letters_of(field.first).starts_with("onset") && meaning_of(field.first).role == TimeRole::begin;
  });
  LabelTimes times;
  Columns known;
  for (const TableField& field : fields) {
    const TimeMeaning meaning = meaning_of(field.first);
    const bool is_end =
        meaning.role == TimeRole::end || (has_onset && letters_of(field.first).starts_with("offset"));
    Found* const found = is_end                             ? &known.end
                         : meaning.role == TimeRole::begin  ? &known.begin
                         : meaning.role == TimeRole::length ? &known.length
                                                            : nullptr;
    if (found == nullptr) continue;
    found->take(field, meaning);
    times.columns.push_back(&field);
  }
  check_others(fields, known);
  try {
    set_times(known, times);
  } catch (const Error& error) {
    times.problem = error.problem();
  }
  return times;
}

std::string columns_of_other_times(const base::JsonValue& object, double begin_seconds, double end_seconds) {
  const bool has_end = end_seconds != CorpusUtterance::kToTheEnd;
  bool says_begin = begin_seconds != 0;
  bool says_end = has_end;
  std::string columns;
  std::string lengths;  // which say nothing of a sample that is a whole file
  const auto add = [](std::string& names, std::string_view name) {
    names += fmt::format("{}'{}'", names.empty() ? "" : ", ", printable(name));
  };
  for (const auto& [name, value] : object.members()) {
    const TableField field{std::string(name), value.line()};
    const TimeMeaning meaning = meaning_of(field.first);
    if (meaning.role == TimeRole::none || !number_in(field)) continue;
    const bool is_of_begin = meaning.role == TimeRole::begin || meaning.role == TimeRole::count_of_begin;
    (is_of_begin ? says_begin : says_end) = true;
    if (meaning.role == TimeRole::count_of_begin && !has_end) add(columns, name);
    if (meaning.role >= TimeRole::count_of_begin) continue;
    const double seconds = seconds_of(field, *meaning.unit);
    if (meaning.role == TimeRole::length && !has_end) add(lengths, name);
    const double known = meaning.role == TimeRole::begin ? begin_seconds : end_seconds;
    if (meaning.role != TimeRole::length && !(std::abs(seconds - known) < kNearSeconds)) add(columns, name);
  }
  // One of the two alone may be a fact about the file.
  if (!says_begin || !says_end) return {};
  if (lengths.empty() || (columns.empty() && begin_seconds == 0)) return columns;
  return columns + (columns.empty() ? "" : ", ") + lengths;
}

void LikelyTimes::learn(std::string_view audio, const std::string& facts) {
  constexpr std::size_t kRowsEnough = 2000;
  if (count_ == kRowsEnough) return;
  ++count_;
  Numbers numbers;
  base::JsonParser parser;
  for (const auto& [name, value] : parser.parse("{" + facts + "}").members()) {
    if (const auto number = number_in({std::string(name), value.line()})) numbers.emplace(name, *number);
  }
  rows_[std::string(audio)].push_back(std::move(numbers));
}

bool LikelyTimes::divide(const std::string& begin, const std::string& end) const {
  constexpr std::size_t kLeastPairs = 2;
  std::size_t pairs = 0;
  std::size_t apart = 0;
  for (const auto& [audio, rows] : rows_) {
    if (rows.size() < 2) continue;
    std::vector<std::pair<double, double>> stretches;
    for (const Numbers& row : rows) {
      const auto from = row.find(begin);
      const auto to = row.find(end);
      if (from == row.end() || to == row.end() || !why_no_stretch(from->second, to->second).empty())
        return false;
      stretches.emplace_back(from->second, to->second);
    }
    std::sort(stretches.begin(), stretches.end());
    for (std::size_t i = 1; i < stretches.size(); ++i) {
      ++pairs;
      apart += stretches[i].first >= stretches[i - 1].second - kNearSeconds ? 1 : 0;
    }
  }
  constexpr std::size_t kMostTogether = 10;  // a tenth of the pairs may overlap: people interrupt each other
  return pairs >= kLeastPairs && (pairs - apart) * kMostTogether <= pairs;
}

void LikelyTimes::check() const {
  const auto several =
      std::find_if(rows_.begin(), rows_.end(), [](const auto& each) { return each.second.size() > 1; });
  if (several == rows_.end()) return;
  const Numbers& columns = several->second.front();
  for (const auto& [begin, from] : columns) {
    for (const auto& [end, to] : columns) {
      if (!(from < to) || !divide(begin, end)) continue;
      throw Error(
          fmt::format(
              "several rows are about '{}', and none says which part of it: '{}' and '{}' look like its "
              "begin and its end",
              printable(several->first), printable(begin), printable(end)),
          {}, "call them start and end if they are in seconds, start_ms and end_ms if in milliseconds");
    }
  }
}

void UnitDoubt::learn(double begin_seconds, double end_seconds, bool has_unit) {
  constexpr double kLongSeconds = 100;
  if (end_seconds == CorpusUtterance::kToTheEnd) return;
  ++rows_;
  const bool is_whole = begin_seconds == std::floor(begin_seconds) && end_seconds == std::floor(end_seconds);
  are_whole_ = are_whole_ && is_whole && !has_unit;
  if (end_seconds - begin_seconds >= kLongSeconds) ++long_;
}

void UnitDoubt::check() const {
  constexpr std::uint64_t kLeastRows = 3;
  if (!are_whole_ || rows_ < kLeastRows || 2 * long_ < rows_) return;
  throw Error(
      fmt::format("its times are whole numbers, and as seconds they would make {} of {} longer than 100 s: "
                  "they look like milliseconds",
                  long_, base::format_count(rows_, "sample")),
      {}, "call the columns start_ms and end_ms if they are, and start_s and end_s if they are seconds");
}

std::string why_no_stretch(double begin_seconds, double end_seconds) {
  if (!(begin_seconds >= 0)) return fmt::format("begins at {} s", begin_seconds);
  if (begin_seconds < end_seconds) return {};
  return fmt::format("begins at {} s and ends at {} s", begin_seconds, end_seconds);
}

}  // namespace shardmill::source
