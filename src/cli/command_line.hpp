// CommandLine: the options of one command, their help, and what the user gave.
#pragma once

#include <boost/program_options.hpp>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardmill::cli {

enum class ProgressMode { automatic, bar, plain, none };

/// Options that every command takes.
struct CommonOptions {
  unsigned threads = 1;
  std::uint64_t memory_bytes = 0;
  bool is_memory_given = false;
  ProgressMode progress = ProgressMode::automatic;
  bool quiet = false;
  bool json = false;
};

/// The texts in a command's help, other than its options.
struct CommandText {
  std::string_view name;      // "convert"
  std::string_view summary;   // one line for the table of commands
  std::string_view operands;  // "SOURCE... --out DIR"
  std::string_view about;     // a paragraph
  std::string_view example;   // shell lines
  std::string_view first{};  // names of the options that --help shows first, with blanks; empty: it shows all
  // What to do when an operand, or --out, is an address ("{}"); empty: the command takes addresses.
  std::string_view instead_of_address{};
  std::string_view instead_of_out_address{};
};

/// `--help all` explains every option.
inline constexpr std::string_view kAllTopics = "all";

/// One option, as its help shows it.
struct OptionText {
  std::string group{};
  std::string name{};      // without dashes
  char short_name = '\0';  // \0: it has none
  std::string value{};     // "DIR"; "none|zstd": one of these; "a|b[,...]": some; empty: takes none
  std::string standard{};  // the default, where the help names one
  std::string description{};
};

/// The value of an option that takes several of these names with commas between them: "wenet|nemo[,...]".
template <typename Names>
std::string several_of(const Names& names) {
  std::string text;
  for (const auto& one : names) text.append(text.empty() ? "" : "|").append(name(one));
  return text + "[,...]";
}

class CommandLine {
 public:
  explicit CommandLine(const CommandText& text);

  /// A titled group of options. Groups are shown in the order of the first calls. In a command that shows
  /// only some options first, the title is one word, because `--help audio` shows the group "Audio".
  boost::program_options::options_description_easy_init group(const std::string& title);

  /// Adds the options that every command takes. They come last.
  void add_common_options();

  /// All options, by group.
  std::vector<OptionText> options() const;

  /// Throws UsageError with a hint for an unknown option.
  /// Of addresses the program sees and records only what may be shown.
  void parse(const std::vector<std::string>& typed);

  bool wants_help() const { return has("help"); }
  /// The topic after --help; empty without a topic.
  std::string help_topic() const;
  /// The names of the topics: the titles of all groups in lower case.
  std::vector<std::string> topics() const;
  std::vector<std::string_view> first_options() const;
  /// The name of the command and the texts of its help.
  const CommandText& words() const { return text_; }

  bool has(const std::string& option) const { return values_.count(option) != 0; }
  std::string text(const std::string& option) const { return values_[option].as<std::string>(); }
  std::optional<std::string> optional_text(const std::string& option) const;
  /// All values of an option that may be given several times.
  std::vector<std::string> texts(const std::string& option) const;
  int number(const std::string& option) const { return values_[option].as<int>(); }
  const std::vector<std::string>& operands() const { return operands_; }
  /// The arguments of parse().
  const std::vector<std::string>& arguments() const { return arguments_; }
  /// The names of the options that were given, without those that have their defaults.
  std::vector<std::string> given() const;
  bool was_given(std::string_view name) const;
  /// The command with its arguments, quoted for a shell.
  const std::string& as_typed() const { return as_typed_; }

  /// The options that all commands share. Throws UsageError for values outside their ranges.
  CommonOptions common() const;

 private:
  CommandText text_;
  std::list<std::pair<std::string, boost::program_options::options_description>> groups_;  // by title
  boost::program_options::variables_map values_;
  std::vector<std::string> arguments_;
  std::vector<std::string> operands_;
  std::string as_typed_;
};

}  // namespace shardmill::cli
