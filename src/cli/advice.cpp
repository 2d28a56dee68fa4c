#include "cli/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "cli/commands.hpp"

namespace shardmill::cli {

namespace {

/// What is said for a remedy. What names an option that a command lacks is not said there.
struct Words {
  std::string_view between;  // the advice and this
  std::string_view words;
  std::string_view also{};       // goes on with the sentence
  bool does_also_stand = false;  // `also` helps where `words` are not said
  std::string_view elsewhere{};  // for commands that lack the options
};

Words words_for(Remedy remedy) {
  switch (remedy) {
    case Remedy::none:
      break;
    case Remedy::start_over:
      return {", or ", "start over with --force"};
    case Remedy::skip_bad_samples:
      return {.between = "; ",
              .words = "--on-error skip leaves out what is bad and goes on",
              .also = ", --max-rejects says how much may be left out"};
    case Remedy::choose_duplicate:
      return {"; ", "choose with --on-duplicate first or rename"};
    case Remedy::one_audio_form:
      return {.between = "; ",
              .words = "--sample-rate and --channels mono bring all of it to one form",
              .elsewhere =
                  "shardmill repack brings all of it to one form with --sample-rate and --channels mono"};
    case Remedy::one_audio_form_or_stop:
      return {.between = "; ",
              .words = "--sample-rate and --channels mono bring it to one form",
              .also = ", --require-uniform makes it an error"};
    case Remedy::allow_missing_text:
      return {.between = "; ",
              .words = "--require-text leaves out such samples",
              .also = ", --allow-missing-text takes them",
              .does_also_stand = true};
    case Remedy::require_text:
      return {.between = "; ",
              .words = "--require-text leaves out such samples",
              .elsewhere = "shardmill repack --require-text leaves out such samples when it makes a dataset"};
    case Remedy::allow_audio_alone:
      return {"; ", "--allow-missing-text takes the audio without text"};
    case Remedy::allow_lost_audio:
      return {"; ", "--allow-missing-text goes on with what is there"};
    case Remedy::allow_commands:
      return {"; ", "--allow-commands runs all commands of wav.scp: read them first"};
    case Remedy::choose_subset:
      return {
          .between = "; ",
          .words = "choose with --subset, for example --subset train",
          .also = "; --subset all takes them all, mixed",
          .elsewhere =
              "shardmill repack chooses with --subset when it makes a dataset, for example --subset train"};
    case Remedy::more_memory:
      return {"", "give more with --memory"};
    case Remedy::fewer_open_files:
      return {"", "give more with --memory, or read fewer files at a time with --interleave"};
    case Remedy::fewer_threads:
      return {", or ", "give a lower --threads"};
    case Remedy::other_folder:
      return {", or ", "choose another --out"};
    case Remedy::not_replaced:
      return {.between = ", or ",
              .words = "choose another --out",
              .also = "; --force does not replace what is not shardmill's"};
    case Remedy::other_folder_or_replace:
      return {.between = ", or ", .words = "choose another --out", .also = "; --force replaces it"};
    case Remedy::replace:
      return {"; ", "--force replaces it"};
    case Remedy::make_again:
      return {"; ", "--force makes all of it again"};
    case Remedy::ignore_free_space:
      return {.between = ", or ",
              .words = "choose another --out",
              .also = "; --ignore-free-space tries it all the same",
              .does_also_stand = true};
    case Remedy::plain_shards:
      return {.between = ", or ",
              .words = "make plain shards with --codec none",
              .elsewhere = "make plain shards with shardmill repack --codec none"};
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

using Options = std::set<std::string>;

Options options_in(const std::string& command) {
  Options options;
  for (const OptionText& option : options_of(find_command(command)).options()) options.insert(option.name);
  return options;
}

/// True when the command has every option that the text names.
bool has_all(const std::optional<Options>& options, std::string_view text) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz-";
  if (!options) return true;
  for (std::size_t begin = text.find("--"); begin != text.npos; begin = text.find("--", begin)) {
    begin += 2;
    const std::size_t end = std::min(text.find_first_not_of(kLetters, begin), text.size());
    if (!options->contains(std::string(text.substr(begin, end - begin)))) return false;
  }
  return true;
}

std::string sentence(const Words& words, const std::optional<Options>& options) {
  constexpr std::size_t kComma = 2;  // bytes of what `also` begins with
  const bool has_also = !words.also.empty() && has_all(options, words.also);
  if (!words.words.empty() && has_all(options, words.words))
    return fmt::format("{}{}", words.words, has_also ? words.also : "");
  if (has_also && words.does_also_stand) return std::string(words.also.substr(kComma));
  return std::string(words.elsewhere);
}

/// The advice together with the options that help.
std::string with_options(const std::string& advice, Remedy remedy, const std::optional<Options>& options) {
  const Words words = words_for(remedy);
  const std::string said = sentence(words, options);
  if (advice.empty()) return said;
  if (remedy == Remedy::more_memory) return "--memory " + advice;
  if (remedy == Remedy::fewer_open_files) {
    return fmt::format(
        "--memory {}{}", advice,
        has_all(options, words.words) ? ": --interleave" : ", which shardmill repack has --interleave for");
  }
  if (said.empty()) return advice;
  return fmt::format("{}{}{}", advice, words.between, said);
}

}  // namespace

std::string text_of(const Error& error, const std::string& command) {
  if (error.remedy() == Remedy::none) return error.what();
  const auto options = command.empty() ? std::nullopt : std::optional(options_in(command));
  return Error(error.problem(), error.where(), with_options(error.advice(), error.remedy(), options)).what();
}

}  // namespace shardmill::cli
