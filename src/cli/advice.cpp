#include "cli/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/system/command.hpp"
#include "cli/command.hpp"
#include "cli/command_line.hpp"

namespace shardmill::cli {

namespace {

/// One way to put a remedy into words: for commands that have all of `options`.
struct Clause {
  std::vector<std::string> options;
  std::string_view text;
  std::string_view with_amount{};  // for advice that is an amount of memory, which replaces {}
};

/// The clauses of a remedy, best first. `between` separates other advice from the clause.
struct Words {
  std::string_view between{};
  std::vector<Clause> clauses{};
};

Words words_for(Remedy remedy) {
  switch (remedy) {
    case Remedy::none:
      break;
      // clang-format off
    case Remedy::start_over:
      return {", or ", {{{"force"}, "start over with --force"}}};
    case Remedy::skip_bad_samples:
      return {"; ", {
          {{"on-error", "max-rejects"},
           "--on-error skip leaves out bad samples and goes on, --max-rejects says how many may be left out"},
          {{"on-error"}, "--on-error skip leaves out bad samples and goes on"}}};
    case Remedy::allow_losses:
      return {"; ", {
          {{"max-rejects"}, "the exit code is 3 then; --max-rejects N, or all, accepts the loss"}}};
    case Remedy::allow_any_loss:
      return {"; ", {{{"max-rejects"}, "the exit code is 3 then; --max-rejects all accepts any loss"}}};
    case Remedy::skip_any_loss:
      return {"; ", {
          {{"on-error", "max-rejects"}, "the exit code is 3 then; --on-error skip --max-rejects all accepts any loss"}}};
    case Remedy::choose_duplicate:
      return {"; ", {
          {{"on-duplicate", "shards"},
           "--on-duplicate prefix puts the name of its dataset in front of each key, which sets those of different "
           "datasets apart; rename takes both and adds a number to the later key, and first takes only the one "
           "that is read first",
           // The advice says why a prefix does not help.
           "{}: --on-duplicate rename takes both and adds a number to the later key, first takes only the one that is "
           "read first, and prefix,rename or prefix,first put the name in front, too, for keys of several datasets"},
          {{"on-duplicate"}, "choose with --on-duplicate first or rename",
           "{}: choose with --on-duplicate first or rename"}}};
    case Remedy::replace_changed:
      return {"; ", {
          {{"on-duplicate", "remove-keys"},
           "--on-duplicate first keeps the old sample; with --remove-keys and a file of the keys that changed as "
           "well, the new ones replace them"}}};
    case Remedy::one_audio_form:
      return {"; ", {
          {{"sample-rate", "channels"}, "--sample-rate, --channels mono and --bits 16 convert all audio to one form"},
          {{}, "shardmill repack converts all audio to one form with --sample-rate and --channels mono"}}};
    case Remedy::one_audio_form_or_stop:
      return {"; ", {
          {{"sample-rate", "channels", "require-uniform"},
           "--sample-rate, --channels mono and --bits 16 convert it to one form, --require-uniform makes it an error"},
          {{"sample-rate", "channels"}, "--sample-rate, --channels mono and --bits 16 convert it to one form"}}};
    case Remedy::allow_missing_text:
      return {"; ", {
          {{"require-text", "allow-missing-text"},
           "--require-text leaves out such samples, --allow-missing-text accepts them"},
          {{"require-text"}, "--require-text leaves out such samples"},
          {{"allow-missing-text"}, "--allow-missing-text accepts such samples"}}};
    case Remedy::require_text:
      return {"; ", {
          {{"require-text"}, "--require-text leaves out such samples"},
          {{}, "shardmill repack --require-text leaves out such samples when it makes a dataset"}}};
    case Remedy::give_table:
      return {"", {
          {{"metadata", "allow-missing-text"}, "its transcripts may be in --metadata",
           "--metadata {} takes its transcripts from there; --allow-missing-text accepts audio without text"},
          {{}, "its transcripts may be in a table", "shardmill repack --metadata {} takes its transcripts from there"}}};
    case Remedy::give_labels_beside:
      return {"", {
          {{"labels", "allow-missing-text"}, "its samples may be in --labels",
           "--labels {} takes the samples and their transcripts from there; --allow-missing-text accepts audio "
           "without text"},
          {{}, "its samples may be in a table", "shardmill repack --labels {} takes its samples from there"}}};
    case Remedy::give_audio_list:
      return {"", {
          {{"allow-missing-text"}, "give the table that lists the audio as the source",
           "give the table that lists the audio as the source: {}; --allow-missing-text accepts audio without text"},
          {{}, "give the table that lists the audio as the source",
           "give the table that lists the audio as the source: {}"}}};
    case Remedy::name_text_field:
      return {"", {
          {{"text-field", "allow-missing-text"}, "name the field with --text-field",
           "--text-field {} names the field with the transcripts; --allow-missing-text accepts audio without text"},
          {{}, "name the field with --text-field of shardmill repack",
           "shardmill repack --text-field {} names the field with the transcripts"}}};
    case Remedy::give_labels:
      return {"; ", {{{"labels"}, "--labels NAME=FILE names them"}}};
    case Remedy::allow_audio_alone:
      return {"; ", {
          {{"text-field", "allow-missing-text"},
           "--allow-missing-text accepts audio without text; --text-field NAME names the field that has it"},
          {{"allow-missing-text"}, "--allow-missing-text accepts audio without text"}}};
    case Remedy::allow_lost_audio:
      return {"; ", {
          {{"require-text", "allow-missing-text"},
           "--require-text goes on with the audio that is there and has a transcript, --allow-missing-text with all of it"},
          {{"allow-missing-text"}, "--allow-missing-text goes on with the audio that is there"}}};
    case Remedy::allow_commands:
      return {"; ", {{{"allow-commands"}, "--allow-commands runs all commands of wav.scp: read them first"}}};
    case Remedy::choose_subset:
      return {"; ", {
          {{"subset"}, "choose with --subset, for example --subset train; --subset all takes all of them, mixed"},
          {{}, "shardmill repack chooses with --subset when it makes a dataset, for example --subset train"}}};
    case Remedy::more_memory:
      return {"", {{{"memory"}, "give more with --memory", "--memory {}"}}};
    case Remedy::fewer_open_files:
      return {"", {
          {{"memory", "interleave"}, "give more with --memory, or read fewer files at a time with --interleave",
           "--memory {}: --interleave"},
          {{}, "give more with --memory", "--memory {}: --interleave of shardmill repack"}}};
    case Remedy::fewer_threads:
      return {", or ", {{{"threads"}, "give a lower --threads"}}};
    case Remedy::other_folder:
      return {", or ", {{{"out"}, "choose another --out"}}};
    case Remedy::other_work_folder:
      return {", or ", {{{"work"}, "name a new or empty folder with --work"}}};
    case Remedy::not_replaced:
      return {", or ", {
          {{"out", "force"}, "choose another --out; --force replaces only files that shardmill wrote"},
          {{"out"}, "choose another --out"}}};
    case Remedy::other_folder_or_replace:
      return {", or ", {
          {{"out", "force"}, "choose another --out; --force replaces it"},
          {{"out"}, "choose another --out"}}};
    case Remedy::replace:
      return {"; ", {{{"force"}, "--force replaces it"}}};
    case Remedy::make_again:
      return {"; ", {{{"force"}, "--force makes all of it again"}}};
    case Remedy::ignore_free_space:
      return {", or ", {
          {{"out", "ignore-free-space"}, "choose another --out; --ignore-free-space tries it anyway"},
          {{"out"}, "choose another --out"},
          {{"ignore-free-space"}, "--ignore-free-space tries it anyway"}}};
    case Remedy::plain_shards:
      return {", or ", {
          {{"codec"}, "make plain shards with --codec none"},
          {{}, "make plain shards with shardmill repack --codec none"}}};
    case Remedy::list_root:
      return {", or ", {{{"list-root"}, "give --list-root, the folder where loaders find them"}}};
    case Remedy::other_depfile:
      return {", or ", {{{"depfile"}, "give --depfile another name"}}};
    case Remedy::no_depfile:
      return {", or ", {{{"depfile"}, "leave --depfile out"}}};
    case Remedy::go_on_in_parts:
      return {"; ", {
          {{"part", "finish", "force"}, "go on with --part and --finish, or start over with --force"}}};
    case Remedy::plan_again:
      return {", then ", {{{"parts", "force"}, "plan the run again with --parts N --force"}}};
    case Remedy::not_in_parts:
      return {", or ", {{{"parts"}, "run without --parts"}}};
    case Remedy::split_by_key:
      return {"; ", {
          {{"speaker-from", "split-by", "exclude-keys"},
           "--speaker-from takes the speaker from the key",
           "--speaker-from {0}=REGEX takes it from the key{1}, --speaker-field {0}=FIELD from a field, and --metadata "
           "{0}=FILE from a table; "
           "--split-by key takes single samples, so that a speaker may be in several splits; --on-error skip leaves "
           "out samples without one, if at most a tenth of the dataset are"}}};
    case Remedy::split_by_amounts:
      return {"; ", {{{"split"}, "give amounts, such as --split dev=2h,test=2h"}}};
      // clang-format on
  }
  return {};
}

/// The names of the options of `command`.
std::set<std::string> options_in(const std::string& command) {
  std::set<std::string> options;
  for (const OptionText& option : options_of(find_command(command)).options()) options.insert(option.name);
  return options;
}

/// The first clause that fits `command`: all of its options exist there. Empty `command`: the first clause.
std::optional<Clause> fitting(const std::vector<Clause>& clauses, const std::string& command) {
  if (clauses.empty()) return std::nullopt;
  if (command.empty()) return clauses.front();
  const std::set<std::string> known = options_in(command);
  for (const Clause& clause : clauses) {
    if (std::ranges::all_of(clause.options, [&](const auto& name) { return known.contains(name); }))
      return clause;
  }
  return std::nullopt;
}

/// Whether the advice of the remedy is values of options.
bool is_of_values(Remedy remedy) {
  return remedy == Remedy::give_table || remedy == Remedy::give_labels_beside ||
         remedy == Remedy::give_audio_list || remedy == Remedy::name_text_field;
}

/// Each line of the advice is a value of one option, which is given for each. Behind a tab is a field with
/// the transcripts. All are quoted as a shell needs it.
std::string as_values(const std::string& advice, const std::vector<std::string>& options) {
  const std::string again = options.empty() ? " " : fmt::format(" --{} ", options.front());
  std::string text;
  std::string value;
  const auto end_value = [&] { text += base::shell_quoted(std::exchange(value, {})); };
  for (const char c : advice) {
    if (c != '\n' && c != '\t') {
      value += c;
      continue;
    }
    end_value();
    text += c == '\n' ? again : " --text-field ";
  }
  end_value();
  return text;
}

/// The advice is a dataset, and behind a tab an example: an expression and the speaker that it finds.
std::string of_speakers(const Clause& clause, const std::string& advice) {
  if (advice.empty()) return std::string(clause.text);
  const std::size_t tab = advice.find('\t');
  const std::string example = tab == std::string::npos ? std::string() : advice.substr(tab + 1);
  return fmt::format(fmt::runtime(clause.with_amount), advice.substr(0, tab), example);
}

/// The advice together with the options that help.
std::string with_options(const std::string& advice, Remedy remedy, const std::string& command) {
  const Words words = words_for(remedy);
  const auto clause = fitting(words.clauses, command);
  if (!clause) return advice;
  if (remedy == Remedy::split_by_key) return of_speakers(*clause, advice);
  if (advice.empty()) return std::string(clause->text);
  if (!clause->with_amount.empty())
    return fmt::format(fmt::runtime(clause->with_amount),
                       is_of_values(remedy) ? as_values(advice, clause->options) : advice);
  return fmt::format("{}{}{}", advice, words.between, clause->text);
}

}  // namespace

std::string text_of(const Error& error, const std::string& command) {
  if (error.remedy() == Remedy::none) return error.what();
  return Error(error.problem(), error.where(), with_options(error.advice(), error.remedy(), command)).what();
}

}  // namespace shardmill::cli
