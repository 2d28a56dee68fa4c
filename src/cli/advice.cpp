#include "cli/advice.hpp"

#include <fmt/format.h>

namespace shardmill::cli {

namespace {

/// The advice together with the options that help.
std::string with_options(const std::string& advice, Remedy remedy) {
  const auto joined = [&](std::string_view between, std::string_view words) {
    return advice.empty() ? std::string(words) : fmt::format("{}{}{}", advice, between, words);
  };
  switch (remedy) {
    case Remedy::none:
      break;
    case Remedy::start_over:
      return joined(", or ", "start over with --force");
    case Remedy::skip_bad_samples:
      return joined("; ", "--on-error skip leaves out what is bad and goes on");
    case Remedy::choose_duplicate:
      return joined("; ", "choose with --on-duplicate first or rename");
    case Remedy::one_audio_form:
      return joined("; ", "--sample-rate and --channels mono bring all of it to one form");
    case Remedy::allow_missing_text:
      return joined("; ", "--require-text leaves out such samples, --allow-missing-text takes them");
    case Remedy::require_text:
      return joined("; ", "--require-text leaves out such samples");
    case Remedy::choose_subset:
      return joined("; ",
                    "choose with --subset, for example --subset train; --subset all takes them all, mixed");
    case Remedy::more_memory:
      return advice.empty() ? "give more with --memory" : "--memory " + advice;
  }
  return advice;
}

}  // namespace

std::string text_of(const Error& error) {
  if (error.remedy() == Remedy::none) return error.what();
  return Error(error.problem(), error.where(), with_options(error.advice(), error.remedy())).what();
}

}  // namespace shardmill::cli
