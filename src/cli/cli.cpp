#include "shardmill/cli/cli.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string_view>

#include "shardmill/base/error.hpp"
#include "shardmill/base/reporter.hpp"
#include "shardmill/base/version.hpp"
#include "shardmill/cli/command.hpp"
#include "shardmill/cli/commands.hpp"
#include "shardmill/cli/console.hpp"

namespace shardmill::cli {

namespace {

constexpr int kSignalExitBase = 128;

std::string overview() {
  std::string text =
      "shardmill turns slow or uneven speech shards and corpora into fast, balanced ones.\n\n"
      "usage: shardmill COMMAND [OPTION...]\n\n";
  for (const Command& command : commands()) {
    text += fmt::format("  {:<8} {}\n", command.text.name, command.text.summary);
  }
  return text +
         "\nshardmill COMMAND --help explains a command; shardmill --version tells the version.\n"
         "Exit codes: 0 done and good, 1 failed or damage found, 2 wrong usage, 3 more samples left out than "
         "allowed.\n";
}

const Command& find_command(std::string_view name) {
  const auto all = commands();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Command& command) { return command.text.name == name; });
  if (found == all.end()) {
    throw UsageError(fmt::format("there is no command '{}'", printable(name)), {}, "see shardmill --help");
  }
  return *found;
}

void print(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) == EOF) throw system_error("cannot write to standard output", "-");
}

int run_command(const Command& command, const std::vector<std::string>& arguments) {
  CommandLine line(command.text);
  command.add_options(line);
  line.parse(arguments);
  if (line.wants_help()) {
    print(line.help());
    return kExitDone;
  }
  return command.run(line);
}

int dispatch(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    std::fputs(overview().c_str(), stderr);
    return kExitUsage;
  }
  const std::string& first = arguments.front();
  if (first == "--help" || first == "-h" || first == "help") {
    print(overview());
    return kExitDone;
  }
  if (first == "--version") {
    print(fmt::format("shardmill {}\n", base::version()));
    return kExitDone;
  }
  return run_command(find_command(first), {arguments.begin() + 1, arguments.end()});
}

/// "shardmill convert: " where a command is known.
std::string message_prefix(const std::vector<std::string>& arguments) {
  const auto all = commands();
  const bool known = !arguments.empty() && std::any_of(all.begin(), all.end(), [&](const Command& command) {
    return command.text.name == arguments.front();
  });
  return known ? fmt::format("shardmill {}: ", arguments.front()) : "shardmill: ";
}

int flush_output(int code) {
  if (std::fflush(stdout) == 0) return code;
  throw system_error("cannot write to standard output", "-");
}

/// Ends as a program does that was never told about `signal_number`, so that shells and make see it.
int exit_code_of(int signal_number) {
  return kSignalExitBase + signal_number;
}

}  // namespace

int run(int argc, char** argv) noexcept {
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  const std::string prefix = message_prefix(arguments);
  const auto say = [&prefix](const char* text) { fmt::print(stderr, "{}{}\n", prefix, text); };
  try {
    install_signal_handlers();
    return flush_output(dispatch(arguments));
  } catch (const BrokenPipe&) {
    return exit_code_of(SIGPIPE);
  } catch (const base::Interrupted& stop) {
    say(stop.what());
    return exit_code_of(stop.signal_number());
  } catch (const UsageError& error) {
    say(error.what());
    return kExitUsage;
  } catch (const std::bad_alloc&) {
    say("out of memory (give less with --memory or --threads)");
  } catch (const std::exception& error) {
    say(error.what());
  }
  return kExitFailed;
}

}  // namespace shardmill::cli
