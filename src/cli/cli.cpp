#include "cli/cli.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "base/remote/object.hpp"
#include "base/reporter.hpp"
#include "base/system/process.hpp"
#include "base/version.hpp"
#include "cli/advice.hpp"
#include "cli/command.hpp"
#include "cli/help.hpp"

namespace shardmill::cli {

namespace {

constexpr int kSignalExitBase = 128;

/// Call this right after writing to standard output has failed.
[[noreturn]] void throw_output_error() {
  if (errno == EPIPE) throw BrokenPipe("the output was closed");
  throw system_error("cannot write to standard output", "-");
}

void print(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) == EOF) throw_output_error();
}

int run_command(const Command& command, const std::vector<std::string>& arguments) {
  CommandLine line = options_of(command);
  line.parse(arguments);
  if (line.wants_help()) {
    print(help_text(line));
    return kExitDone;
  }
  return command.run(line);
}

int dispatch(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    base::write_to_standard_error(greeting());
    return kExitUsage;
  }
  const std::string& first = arguments.front();
  if (first == "--help" || first == "-h" || first == "help") {
    print(overview());
    return kExitDone;
  }
  if (first == "--version") {
    const bool wants_json = arguments.size() > 1 && arguments[1] == "--json";
    print(wants_json ? build_facts() : fmt::format("shardmill {}\n", base::version()));
    return kExitDone;
  }
  if (first == "--man") {
    print(arguments.size() == 1 ? manual_page() : manual_page(find_command(arguments[1])));
    return kExitDone;
  }
  if (first == "--completion") {
    print(completion_script(arguments.size() == 1 ? "" : arguments[1]));
    return kExitDone;
  }
  return run_command(find_command(first), {arguments.begin() + 1, arguments.end()});
}

/// The name of the command; empty if there is no such command.
std::string known_command(const std::vector<std::string>& arguments) {
  const auto all = commands();
  const bool known = !arguments.empty() && std::any_of(all.begin(), all.end(), [&](const Command& command) {
    return command.text.name == arguments.front();
  });
  return known ? arguments.front() : std::string();
}

/// True if the command continues where it was stopped when it is run again. The others start again.
bool goes_on(const std::vector<std::string>& arguments) {
  constexpr std::array<std::string_view, 3> kThoseThatDo{"repack", "convert", "update"};
  return !arguments.empty() && std::ranges::find(kThoseThatDo, arguments.front()) != kThoseThatDo.end();
}

int flush_output(int code) {
  if (std::fflush(stdout) == 0) return code;
  throw_output_error();
}

/// The exit code of a program that `signal_number` killed, so that shells and make see what happened.
int exit_code_of(int signal_number) {
  return kSignalExitBase + signal_number;
}

/// Handles exceptions in threads of libraries, for example when a thread cannot be started: ends with a
/// message instead of a crash.
[[noreturn]] void end_with_message() noexcept {
  try {
    if (const auto failure = std::current_exception()) std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    base::write_to_standard_error("shardmill: cannot go on: ");
    base::write_to_standard_error(error.what());
    base::write_to_standard_error("\n");
  } catch (...) {
    base::write_to_standard_error("shardmill: cannot go on\n");
  }
  std::_Exit(kExitFailed);
}

}  // namespace

int run(int argc, char** argv) noexcept {
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  const std::string command = known_command(arguments);
  const std::string prefix = command.empty() ? "shardmill: " : fmt::format("shardmill {}: ", command);
  const auto say = [&prefix](std::string_view text) {
    base::write_to_standard_error(fmt::format("{}{}\n", prefix, text));
  };
  try {
    std::set_terminate(end_with_message);
    base::give_back_freed_memory();
    base::keep_remote_facts();
    base::keep_secrets_out_of_cores();
    base::open_standard_streams();
    base::silence_libraries();
    base::install_stop_signals();
    return flush_output(dispatch(arguments));
  } catch (const BrokenPipe&) {
    return exit_code_of(SIGPIPE);
  } catch (const base::Interrupted& stop) {
    say(fmt::format(
        "{}{}", stop.what(),
        goes_on(arguments) ? " (finished work is kept: run the same command again to continue)" : ""));
    return exit_code_of(stop.signal_number());
  } catch (const SeveralErrors& several) {
    for (const Error& error : several.errors()) say(text_of(error, command));
  } catch (const UsageError& error) {
    say(text_of(error, command));
    return kExitUsage;
  } catch (const Error& error) {
    say(text_of(error, command));
  } catch (const std::bad_alloc&) {
    say("out of memory (give less with --memory or --threads)");
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::broken_pipe) return exit_code_of(SIGPIPE);
    say(error.what());
  } catch (const std::exception& error) {
    say(error.what());
  }
  return kExitFailed;
}

}  // namespace shardmill::cli
