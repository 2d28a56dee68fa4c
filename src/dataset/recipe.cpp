#include "dataset/recipe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "manifest/layout.hpp"

namespace shardmill::dataset {

namespace {

template <typename Number>
Number number_option(const DatasetRecords& records, std::string_view name, Number when_none) {
  const std::string text = records.option(name).value_or("");
  if (text == "none") return when_none;
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw Error(fmt::format("its option '{}' is '{}', which is no number", name, printable(text)),
                at(records.path(manifest::kDataset)));
  }
  return value;
}

audio::WantedForm form_option(const DatasetRecords& records) {
  using Container = audio::WantedForm::Container;
  const auto is = [&](std::string_view name, std::string_view value) {
    return records.option(name) == value;
  };
  audio::WantedForm form{.container = is("audio", "wav")    ? Container::wav
                                      : is("audio", "flac") ? Container::flac
                                                            : Container::keep,
                         .mono = is("channels", "mono")};
  if (!is("sample-rate", "keep") && records.option("sample-rate"))
    form.sample_rate = number_option<std::uint32_t>(records, "sample-rate", 0);
  return form;
}

/// Datasets of older versions have neither option: all of a corpus was taken.
source::TreeOptions tree_options(const DatasetRecords& records) {
  source::TreeOptions tree;
  const std::string subsets(records.option("subset").value_or("all"));
  for (std::size_t begin = 0; subsets != "all" && begin <= subsets.size();) {
    const std::size_t end = std::min(subsets.find(',', begin), subsets.size());
    tree.subsets.push_back(subsets.substr(begin, end - begin));
    begin = end + 1;
  }
  const std::string field(records.option("text-field").value_or("default"));
  if (field != "default") tree.text_field = field;
  return tree;
}

pipeline::IntakeOptions intake_options(const DatasetRecords& records) {
  const auto rule = shard::key_rule_by_name(records.option("key-rule").value_or(""));
  if (!rule) throw Error("has no key-rule among its options", at(records.path(manifest::kDataset)));
  pipeline::IntakeOptions intake;
  intake.key_rule = *rule;
  intake.min_seconds = number_option<double>(records, "min-duration", 0);
  intake.max_seconds = number_option<double>(records, "max-duration", intake.max_seconds);
  intake.require_text = records.option("require-text") == "yes";
  intake.limit = number_option<std::uint64_t>(records, "limit", 0);
  intake.tree = tree_options(records);
  intake.keys.include = pipeline::patterns_of(records.option("include").value_or(""));
  intake.keys.exclude = pipeline::patterns_of(records.option("exclude").value_or(""));
  return intake;
}

}  // namespace

Making making_of(const DatasetRecords& records) {
  if (!records.dataset) {
    throw Error("cannot be read, so it is not known how the dataset was made of its sources",
                at(records.path(manifest::kDataset)), "verify without --against");
  }
  Making making{.intake = intake_options(records),
                .form = form_option(records),
                .seed = number_option<std::uint64_t>(records, "seed", 0),
                .rejects_path = records.path(manifest::kRejects)};
  for (const auto& part : records.dataset->datasets) making.weights.emplace(part.dataset, part.weight);
  return making;
}

}  // namespace shardmill::dataset
