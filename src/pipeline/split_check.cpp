#include "pipeline/split_check.hpp"

#include <fmt/format.h>

#include "source/split.hpp"

namespace shardmill::pipeline {

namespace {

/// A smaller archive is soon read up to its second split. It may also hold less than the publisher's.
constexpr std::uint64_t kLargeBytes = std::uint64_t{64} << 20;

/// Adds what the texts of an unpacked corpus say.
void find_splits(const source::SourceFile& file, const std::string& dataset, const IntakeOptions& options,
                 std::map<std::string, std::string>& splits) {
  for (const source::CorpusUtterance& utterance : file.utterances) {
    const std::string_view subset = source::subset_in(utterance.facts);
    if (subset.empty() || !options.keys.wants(utterance.key)) continue;
    const std::string split(name(source::split_of(subset)));
    if (splits.contains(split)) continue;
    splits.emplace(split, fmt::format("'{}' of {} in {}", printable(utterance.key), printable(dataset),
                                      printable(subset)));
  }
}

}  // namespace

void check_splits(const Inputs& inputs, const IntakeOptions& options) {
  if (!options.tree.subsets.empty()) return;
  std::map<std::string, std::string> splits;
  std::string second;  // where a second split was found
  for (const InputStream& stream : inputs.streams) {
    for (const source::SourceFile& file : stream.files) {
      if (file.tree && file.tree->holds_all_splits && file.bytes >= kLargeBytes) {
        throw Error(
            fmt::format("dataset '{}': its publisher packs training and test data together, and shardmill "
                        "does not mix them unless asked to",
                        printable(stream.name)),
            at(file.path), Remedy::choose_subset);
      }
      if (file.parquet && !file.parquet->subset.empty()) {
        const std::string& subset = file.parquet->subset;
        splits.emplace(name(source::split_of(subset)),
                       fmt::format("the rows of {} in {}", printable(stream.name), printable(subset)));
        if (splits.size() > 1 && second.empty()) second = file.path;
      }
      const bool is_published = file.corpus && !file.corpus->name.empty();
      if (!is_published) continue;
      find_splits(file, stream.name, options, splits);
      if (splits.size() > 1 && second.empty()) second = file.path;
    }
  }
  if (splits.size() > 1) throw mixed_splits(splits, second);
}

Error mixed_splits(const std::map<std::string, std::string>& splits, const std::string& path) {
  std::string list;
  for (const auto& [split, named] : splits) list += fmt::format("{}{}", list.empty() ? "" : ", ", named);
  return Error(
      fmt::format("the sources hold several splits, which shardmill does not mix unless asked to: {}", list),
      at(path), Remedy::choose_subset);
}

}  // namespace shardmill::pipeline
