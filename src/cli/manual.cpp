#include "cli/manual.hpp"

#include <fmt/format.h>

#include "base/version.hpp"
#include "cli/commands.hpp"

namespace shardmill::cli {

namespace {

constexpr std::string_view kPurpose =
    "shardmill turns slow or uneven speech shards and corpora into fast, balanced ones.";
constexpr std::string_view kExitCodes =
    "0 done and good, 1 failed or damage found, 2 wrong usage, 3 more samples left out than allowed;\n"
    "after a signal 128 and its number: 130 after Ctrl-C (INT), 143 TERM, 129 HUP, 141 nobody reads the "
    "output.";

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
  return fmt::format(".SH \"EXIT STATUS\"\n{}\n.SH \"SEE ALSO\"\n{}\n", roff(kExitCodes), see_also);
}

std::string option_entry(const OptionText& option) {
  std::string text = ".TP\n";
  if (option.short_name != '\0') text += fmt::format("\\fB\\-{}\\fR, ", option.short_name);
  text += fmt::format("\\fB\\-\\-{}\\fR", roff(option.name));
  if (!option.value.empty()) text += fmt::format(" \\fI{}\\fR", roff(option.value));
  text += fmt::format("\n{}\n", roff(option.description));
  if (!option.standard.empty()) text += fmt::format("(standard: {})\n", roff(option.standard));
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

std::string_view exit_codes() {
  return kExitCodes;
}

std::string overview() {
  std::string text = fmt::format("{}\n\nusage: shardmill COMMAND [OPTION...]\n\n", kPurpose);
  for (const Command& command : commands()) {
    text += fmt::format("  {:<8} {}\n", command.text.name, command.text.summary);
  }
  return text +
         fmt::format(
             "\nshardmill COMMAND --help explains a command; shardmill --version tells the version.\n"
             "shardmill --man [COMMAND] is the manual page; --completion bash|zsh a script for that shell.\n"
             "Exit codes: {}\n",
             kExitCodes);
}

std::string greeting() {
  return fmt::format(R"({}

Three commands to try, with shards or a corpus of yours in place of SOURCE; the first two write nothing:

  shardmill inspect SOURCE                          what is in there, and what will go wrong in training
  shardmill repack SOURCE --out balanced --dry-run  the shards that would be made of it
  shardmill repack SOURCE --out balanced            and makes them

shardmill --help lists all commands, shardmill COMMAND --help explains one.
)",
                     kPurpose);
}

std::string manual_page() {
  std::string text = head("shardmill", "fast, balanced shards of speech for training");
  text +=
      fmt::format(".B shardmill\n\\fICOMMAND\\fR [\\fIOPTION\\fR...]\n.SH DESCRIPTION\n{}\n.SH COMMANDS\n",
                  roff(kPurpose));
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
