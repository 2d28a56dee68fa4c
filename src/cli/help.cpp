#include "cli/help.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/system/vector_path.hpp"
#include "base/text/json_writer.hpp"
#include "base/text/letters.hpp"
#include "base/version.hpp"
#include "cli/command.hpp"
#include "cli/commands/shared_options.hpp"
#include "codec/codec.hpp"
#include "dataset/environment.hpp"

namespace shardmill::cli {

namespace {

constexpr std::size_t kWidth = 110;
constexpr std::size_t kDescriptionColumn = 36;
constexpr std::size_t kTopicColumn = 12;
constexpr std::size_t kLongestValue = 40;

constexpr std::string_view kPurpose =
    "shardmill turns slow or uneven speech shards and corpora into fast, balanced ones.";
constexpr std::string_view kExitCodes =
    "0 done and good, 1 failed or damage found, 2 wrong usage, 3 more samples left out than allowed;\n"
    "after a signal 128 and its number: 130 after Ctrl-C (INT), 143 TERM, 129 HUP, 141 if the output was "
    "closed.";

/// Appends `text` to `out`, whose last line has `column` characters; breaks lines at blanks and indents them.
void wrap(std::string& out, std::size_t column, std::size_t indent, std::string_view text) {
  bool begins = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (!begins && column + 1 + end > kWidth) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
      begins = true;
    }
    if (!begins) out += ' ';
    out += text.substr(0, end);
    column += end + (begins ? 0 : 1);
    begins = false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  out += '\n';
}

/// "wids|dali|energon|...": very long lists of words are cut.
std::string short_value(const std::string& value) {
  if (value.size() <= kLongestValue) return value;
  return value.substr(0, value.rfind('|', kLongestValue / 2) + 1) + "...";
}

std::string option_lines(const OptionText& option) {
  std::string text = "  ";
  if (option.short_name != '\0') text += fmt::format("-{}, ", option.short_name);
  text += "--" + option.name;
  if (!option.value.empty()) text += " " + short_value(option.value);
  if (text.size() + 2 > kDescriptionColumn) {
    text += "\n" + std::string(kDescriptionColumn, ' ');
  } else {
    text.resize(kDescriptionColumn, ' ');
  }
  std::string description = option.description;
  if (!option.standard.empty()) description += fmt::format(" (default: {})", option.standard);
  wrap(text, kDescriptionColumn, kDescriptionColumn, description);
  return text;
}

/// "Audio" -> "audio".
std::string topic_of(const OptionText& option) {
  return base::lower(option.group);
}

std::string groups_text(const std::vector<OptionText>& options, std::string_view topic) {
  std::string text;
  std::string group;
  for (const OptionText& option : options) {
    if (topic != kAllTopics && topic_of(option) != topic) continue;
    if (option.group != group) text += fmt::format("\n{}:\n", option.group);
    group = option.group;
    text += option_lines(option);
  }
  return text;
}

/// The first options, in the order in which the command names them.
std::string first_text(const CommandLine& line, const std::vector<OptionText>& options) {
  std::string text = "\nMost used:\n";
  for (const std::string_view name : line.first_options())
    text += option_lines(*std::ranges::find(options, name, &OptionText::name));
  return text;
}

/// A line for each topic that has other options, with their names.
std::string topics_text(const CommandLine& line, const std::vector<OptionText>& options) {
  std::string text = fmt::format(
      "\nAll others (shardmill {} --help TOPIC explains them, --help all everything):\n", line.words().name);
  const std::vector<std::string_view> first = line.first_options();
  for (const std::string& topic : line.topics()) {
    std::string names;
    for (const OptionText& option : options) {
      if (topic_of(option) != topic || std::ranges::find(first, option.name) != first.end()) continue;
      names += (names.empty() ? "--" : " --") + option.name;
    }
    if (names.empty()) continue;  // all of them are among the most used
    std::string head = "  " + topic;
    head.resize(kTopicColumn, ' ');
    text += head;
    wrap(text, kTopicColumn, kTopicColumn, names);
  }
  return text;
}

void check_topic(const CommandLine& line, const std::string& topic) {
  std::vector<std::string> topics = line.topics();
  topics.emplace_back(kAllTopics);
  if (std::ranges::find(topics, topic) != topics.end()) return;
  throw UsageError(
      fmt::format("there is no help on '{}'", printable(topic)), {},
      base::did_you_mean(topic, topics, fmt::format("give one of: {}", fmt::join(topics, ", "))));
}

}  // namespace

std::string_view exit_codes() {
  return kExitCodes;
}

std::string_view purpose() {
  return kPurpose;
}

std::string overview() {
  std::string text = fmt::format("{}\n\nusage: shardmill COMMAND [OPTION...]\n\n", kPurpose);
  for (const Command& command : commands())
    text += fmt::format("  {:<8} {}\n", command.text.name, command.text.summary);
  return text +
         fmt::format(
             "\nshardmill COMMAND --help explains a command; shardmill --version [--json] the version.\n"
             "shardmill --man [COMMAND] prints the manual page; --completion bash|zsh|fish a "
             "script for that shell.\n"
             "Exit codes: {}\n",
             kExitCodes);
}

std::string greeting() {
  return fmt::format(R"({}

Three commands to try; replace SOURCE by shards or a corpus of yours. The first two write nothing:

  shardmill inspect SOURCE                          what the source holds, and what will go wrong in training
  shardmill repack SOURCE --out balanced --dry-run  the shards that repack would make of it
  shardmill repack SOURCE --out balanced            makes them

shardmill --help lists all commands, shardmill COMMAND --help explains one.
)",
                     kPurpose);
}

std::string help_text(const CommandLine& line) {
  const CommandText& words = line.words();
  const std::vector<OptionText> options = line.options();
  const bool has_topics = !words.first.empty();
  const std::string topic = has_topics ? line.help_topic() : std::string(kAllTopics);
  if (!topic.empty()) check_topic(line, topic);
  std::string text = fmt::format("usage: shardmill {} {}\n", words.name, words.operands);
  if (!topic.empty() && topic != kAllTopics) return text + groups_text(options, topic);
  text += fmt::format("\n{}\n", words.about);
  text +=
      topic.empty() ? first_text(line, options) + topics_text(line, options) : groups_text(options, topic);
  return text + fmt::format("\nExit codes: {}\n\nExample:\n{}\n", kExitCodes, words.example);
}

namespace {

#if defined(__clang__)
constexpr std::string_view kCompiler = "clang " __clang_version__;
#else
constexpr std::string_view kCompiler = "gcc " __VERSION__;
#endif

#if defined(__x86_64__)
constexpr std::string_view kMachine = "x86_64";
#elif defined(__aarch64__)
constexpr std::string_view kMachine = "aarch64";
#else
constexpr std::string_view kMachine = "other";
#endif

/// "glibc 2.36".
std::string c_library() {
  std::array<char, 64> name{};
  return ::confstr(_CS_GNU_LIBC_VERSION, name.data(), name.size()) == 0 ? "unknown" : name.data();
}

}  // namespace

std::string build_facts() {
  std::string text;
  base::JsonWriter json(text, base::JsonWriter::Layout::indented);
  json.begin_object().member("version", base::version()).member("compiler", kCompiler);
  json.member("machine", kMachine).member("c_library", c_library());
  json.key("libraries").begin_object();
  for (const auto& [library, version] : dataset::all_versions(library_versions())) {
    if (library != "shardmill") json.member(library, version);
  }
  json.end_object().key("built_without").begin_object();
  for (const auto& [library, effect] : codec::missing_libraries()) json.member(library, effect);
  json.end_object().key("vector_paths").begin_array();
  for (const base::VectorPath path : base::available_vector_paths()) json.value(base::name(path));
  json.end_array().member("vector_path", base::name(base::chosen_vector_path())).end_object();
  return text + "\n";
}

namespace {

/// Escapes a text so that roff prints it as it is.
std::string roff(std::string_view text) {
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    line_begins = c == '\n';
    switch (c) {
      case '\\':
        out += "\\(rs";
        break;
      case '-':
        out += "\\-";
        break;
      case '\'':
        out += "\\(aq";
        break;
      case '`':
        out += "\\(ga";
        break;
      case '^':
        out += "\\(ha";
        break;
      case '~':
        out += "\\(ti";
        break;
      case '|':
        out += "|\\:";  // a long list of words may go on in the next line
        break;
      default:
        out += c;
    }
  }
  return out;
}

/// The same for several paragraphs with blank lines between them.
std::string paragraphs(std::string_view text) {
  std::string out;
  for (;;) {
    const auto end = text.find("\n\n");
    out += roff(text.substr(0, end)) + "\n";
    if (end == std::string_view::npos) return out;
    out += ".PP\n";
    text.remove_prefix(end + 2);
  }
}

std::string head(std::string_view page, std::string_view title) {
  std::string upper(page);
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return fmt::format(
      ".TH {} 1 \"\" \"shardmill {}\" \"User Commands\"\n.ad l\n.nh\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n",
      roff(upper), base::version(), roff(page), roff(title));
}

std::string foot(std::string_view see_also) {
  return fmt::format(".SH \"EXIT STATUS\"\n{}\n.SH \"SEE ALSO\"\n{}\n", roff(exit_codes()), see_also);
}

std::string option_entry(const OptionText& option) {
  std::string text = ".TP\n";
  if (option.short_name != '\0') text += fmt::format("\\fB\\-{}\\fR, ", option.short_name);
  text += fmt::format("\\fB\\-\\-{}\\fR", roff(option.name));
  if (!option.value.empty()) text += fmt::format(" \\fI{}\\fR", roff(option.value));
  text += fmt::format("\n{}\n", roff(option.description));
  if (!option.standard.empty()) text += fmt::format("(default: {})\n", roff(option.standard));
  return text;
}

std::string option_entries(const Command& command) {
  std::string text;
  std::string group;
  for (const OptionText& option : options_of(command).options()) {
    if (option.group != group) text += fmt::format(".SS {}\n", roff(option.group));
    group = option.group;
    text += option_entry(option);
  }
  return text;
}

}  // namespace

std::string manual_page() {
  std::string text = head("shardmill", "fast, balanced shards of speech for training");
  text +=
      fmt::format(".B shardmill\n\\fICOMMAND\\fR [\\fIOPTION\\fR...]\n.SH DESCRIPTION\n{}\n.SH COMMANDS\n",
                  roff(purpose()));
  std::string pages;
  for (const Command& command : commands()) {
    text += fmt::format(".TP\n.B {}\n{}\n", roff(command.text.name), roff(command.text.summary));
    pages += fmt::format(".BR shardmill\\-{} (1),\n", roff(command.text.name));
  }
  return text + foot(pages + ".BR shardmill\\-slurm (1)");  // made from scripts/slurm_repack
}

std::string manual_page(const Command& command) {
  const CommandText& words = command.text;
  std::string text = head(fmt::format("shardmill-{}", words.name), words.summary);
  text += fmt::format(".B shardmill {}\n{}\n.SH DESCRIPTION\n{}", roff(words.name), roff(words.operands),
                      paragraphs(words.about));
  text += ".SH OPTIONS\n" + option_entries(command);
  text += fmt::format(".SH EXAMPLES\n.EX\n{}\n.EE\n", roff(words.example));
  return text + foot(".BR shardmill (1)");
}

}  // namespace shardmill::cli
