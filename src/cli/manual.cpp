#include <fmt/format.h>

#include "base/version.hpp"
#include "cli/command.hpp"
#include "cli/help.hpp"

namespace shardmill::cli {

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
