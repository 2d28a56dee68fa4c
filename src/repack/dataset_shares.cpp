#include "repack/dataset_shares.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "base/text/units.hpp"
#include "deal/shares.hpp"
#include "pipeline/survey.hpp"

namespace shardmill::repack {

namespace {

constexpr double kMostWeight = 1000;

std::optional<double> value_of(const std::map<std::string, double>& values, const std::string& name) {
  const auto found = values.find(name);
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

/// Adds what the records of a finished dataset say of it.
void add_listed(const pipeline::InputStream& stream, const std::vector<pipeline::DatasetInput>& datasets,
                std::vector<double>& seconds) {
  for (const source::SourceFile& file : stream.files) {
    if (!file.listing) continue;
    for (const auto& share : file.listing->record.shares) {
      for (const std::uint32_t number : stream.datasets) {
        // When the user gave it one name, all of it belongs to the dataset of that name.
        if (stream.datasets.size() == 1 || datasets[number].name == share.dataset)
          seconds[number] += share.seconds;
      }
    }
  }
}

bool is_listed(const pipeline::InputStream& stream) {
  return std::any_of(stream.files.begin(), stream.files.end(),
                     [](const source::SourceFile& file) { return file.listing != nullptr; });
}

Error too_little(std::string_view what, double has, double wanted) {
  return Error(fmt::format("{} about {}, and {} were asked for", what, base::format_audio(has),
                           base::format_audio(wanted)),
               {}, "take less");
}

}  // namespace

std::vector<double> seconds_of_datasets(const pipeline::Inputs& inputs, const pipeline::IntakeOptions& intake,
                                        base::Reporter& reporter) {
  pipeline::IntakeOptions as_it_is = intake;
  as_it_is.form = {};  // the form changes no length
  const auto estimates = pipeline::survey(inputs, as_it_is, reporter).estimates;
  std::vector<double> seconds(inputs.datasets.size(), 0);
  for (std::size_t i = 0; i < inputs.streams.size(); ++i) {
    const pipeline::InputStream& stream = inputs.streams[i];
    if (is_listed(stream)) {
      add_listed(stream, inputs.datasets, seconds);
    } else {
      seconds[stream.datasets.front()] += static_cast<double>(estimates[i].seconds);
    }
  }
  return seconds;
}

std::map<std::string, double> settle_shares(const dataset::Recipe& recipe, const pipeline::Inputs& inputs,
                                            const std::vector<double>& seconds) {
  const std::optional<double> rest_wanted = value_of(recipe.takes, "");
  std::vector<deal::ShareWish> wishes;
  double rest = 0;
  for (std::size_t i = 0; i < inputs.datasets.size(); ++i) {
    const std::string& name = inputs.datasets[i].name;
    const deal::ShareWish wish{.seconds = seconds[i],
                               .weight = value_of(recipe.weights, name),
                               .take = value_of(recipe.takes, name)};
    if (wish.weight && wish.take)
      throw UsageError(
          fmt::format("a weight and an amount to take are both given for the dataset '{}'", name), {},
          "give one of them");
    if (wish.take && *wish.take > wish.seconds)
      throw too_little(fmt::format("the dataset '{}' holds", name), wish.seconds, *wish.take);
    if (!wish.take) rest += wish.weight.value_or(1) * wish.seconds;
    wishes.push_back(wish);
  }
  if (rest_wanted && *rest_wanted > rest) throw too_little("the sources hold", rest, *rest_wanted);
  const std::vector<double> weights = deal::shares(wishes, recipe.temperature, rest_wanted);
  std::map<std::string, double> shares;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] > kMostWeight)
      throw Error(fmt::format("the dataset '{}' would be taken {} times: it is too small for this mix",
                              inputs.datasets[i].name, weights[i]),
                  {}, "give it a weight of its own, or a higher temperature");
    shares[inputs.datasets[i].name] = weights[i];
  }
  return shares;
}

}  // namespace shardmill::repack
