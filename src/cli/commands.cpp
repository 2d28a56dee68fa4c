#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/remote/url.hpp"
#include "base/text/letters.hpp"
#include "cli/command.hpp"
#include "cli/commands/repack.hpp"
#include "cli/commands/shared_options.hpp"

namespace shardmill::cli {

std::span<const Command> commands() {
  static const std::array kCommands{repack_command(),  convert_command(), verify_command(), ranks_command(),
                                    inspect_command(), index_command(),   cat_command(),    report_command(),
                                    update_command(),  repair_command(),  doctor_command()};
  return kCommands;
}

const Command& find_command(std::string_view name) {
  const auto all = commands();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Command& command) { return command.text.name == name; });
  if (found == all.end()) {
    std::vector<std::string> names;
    for (const Command& command : all) names.emplace_back(command.text.name);
    throw UsageError(fmt::format("there is no command '{}'", base::shown_address(name)), {},
                     base::did_you_mean(name, names, "see shardmill --help"));
  }
  return *found;
}

CommandLine options_of(const Command& command) {
  CommandLine line(command.text);
  command.add_options(line);
  line.add_common_options();
  return line;
}

}  // namespace shardmill::cli
