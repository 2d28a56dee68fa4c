#include "cli/advice.hpp"

#include <fmt/format.h>

#include <string_view>

namespace shardmill::cli {

namespace {

/// What is said for a remedy, and between the advice and that.
struct Words {
  std::string_view between;
  std::string_view words;
};

Words words_for(Remedy remedy) {
  switch (remedy) {
    case Remedy::none:
      break;
    case Remedy::start_over:
      return {", or ", "start over with --force"};
    case Remedy::skip_bad_samples:
      return {"; ", "--on-error skip leaves out what is bad and goes on"};
    case Remedy::choose_duplicate:
      return {"; ", "choose with --on-duplicate first or rename"};
    case Remedy::one_audio_form:
      return {"; ", "--sample-rate and --channels mono bring all of it to one form"};
    case Remedy::one_audio_form_or_stop:
      return {"; ",
              "--sample-rate and --channels mono bring it to one form, --require-uniform makes it an error"};
    case Remedy::allow_missing_text:
      return {"; ", "--require-text leaves out such samples, --allow-missing-text takes them"};
    case Remedy::require_text:
      return {"; ", "--require-text leaves out such samples"};
    case Remedy::allow_audio_alone:
      return {"; ", "--allow-missing-text takes the audio without text"};
    case Remedy::allow_lost_audio:
      return {"; ", "--allow-missing-text goes on with what is there"};
    case Remedy::allow_commands:
      return {"; ", "--allow-commands runs all commands of wav.scp: read them first"};
    case Remedy::choose_subset:
      return {"; ", "choose with --subset, for example --subset train; --subset all takes them all, mixed"};
    case Remedy::more_memory:
      return {"", "give more with --memory"};
    case Remedy::fewer_open_files:
      return {"", "give more with --memory, or read fewer files at a time with --interleave"};
    case Remedy::fewer_threads:
      return {", or ", "give a lower --threads"};
    case Remedy::other_folder:
      return {", or ", "choose another --out"};
    case Remedy::not_replaced:
      return {", or ", "choose another --out; --force does not replace what is not shardmill's"};
    case Remedy::other_folder_or_replace:
      return {", or ", "choose another --out; --force replaces it"};
    case Remedy::replace:
      return {"; ", "--force replaces it"};
    case Remedy::make_again:
      return {"; ", "--force makes all of it again"};
    case Remedy::ignore_free_space:
      return {", or ", "choose another --out; --ignore-free-space tries it all the same"};
    case Remedy::plain_shards:
      return {", or ", "make plain shards with --codec none"};
    case Remedy::list_root:
      return {", or ", "give --list-root"};
    case Remedy::other_depfile:
      return {", or ", "give --depfile another name"};
    case Remedy::no_depfile:
      return {", or ", "leave --depfile out"};
    case Remedy::go_on_in_parts:
      return {"; ", "go on with --part and --finish, or start over with --force"};
    case Remedy::not_in_parts:
      return {", or ", "run without --parts"};
    case Remedy::split_by_key:
      return {"; ",
              "--split-by key takes single samples without regard to who speaks: then a speaker may be in "
              "several "
              "splits; or leave out such samples with --exclude-keys"};
    case Remedy::split_by_amounts:
      return {"; ", "give amounts, such as --split dev=2h,test=2h"};
  }
  return {};
}

/// The advice together with the options that help.
std::string with_options(const std::string& advice, Remedy remedy) {
  const Words words = words_for(remedy);
  if (advice.empty()) return std::string(words.words);
  if (remedy == Remedy::more_memory) return "--memory " + advice;
  if (remedy == Remedy::fewer_open_files) return fmt::format("--memory {}: --interleave", advice);
  return fmt::format("{}{}{}", advice, words.between, words.words);
}

}  // namespace

std::string text_of(const Error& error) {
  if (error.remedy() == Remedy::none) return error.what();
  return Error(error.problem(), error.where(), with_options(error.advice(), error.remedy())).what();
}

}  // namespace shardmill::cli
