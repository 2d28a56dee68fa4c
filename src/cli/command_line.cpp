#include "cli/command_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "base/error.hpp"
#include "base/io/folder.hpp"
#include "base/remote/object.hpp"
#include "base/remote/url.hpp"
#include "base/system/command.hpp"
#include "base/system/machine.hpp"
#include "base/text/letters.hpp"
#include "base/text/units.hpp"

namespace shardmill::cli {

namespace po = boost::program_options;

namespace {

constexpr const char* kOperands = "operands";

std::vector<std::string> names_in(const po::options_description& options) {
  std::vector<std::string> names;
  for (const auto& option : options.options()) {
    if (option->long_name() != kOperands) names.push_back("--" + option->long_name());
  }
  return names;
}

/// The parser would take an option for the value of the one before it: "--out --dry-run".
void check_no_option_is_a_value(const std::vector<std::string>& arguments,
                                const po::options_description& options) {
  const auto known = [&](const std::string& argument) -> const po::option_description* {
    if (!argument.starts_with("--") || argument == "--") return nullptr;
    return options.find_nothrow(argument.substr(2, argument.find('=') - 2), false);
  };
  for (std::size_t i = 0; i + 1 < arguments.size() && arguments[i] != "--"; ++i) {
    const po::option_description* option = known(arguments[i]);
    const bool takes_next = option != nullptr && arguments[i].find('=') == std::string::npos &&
                            option->semantic()->min_tokens() > 0;
    if (!takes_next || known(arguments[i + 1]) == nullptr) continue;
    throw UsageError(fmt::format("{} has no value: {} comes right behind it", arguments[i], arguments[i + 1]),
                     {}, fmt::format("it takes {}", option->format_parameter()));
  }
}

/// The parser's own message for an empty value is hard to understand.
void check_values_given(const std::vector<std::string>& arguments, const po::options_description& options) {
  for (std::size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    if (!arguments[i].starts_with("--")) continue;
    const std::size_t equals = arguments[i].find('=');
    const bool is_empty = equals != std::string::npos ? equals + 1 == arguments[i].size()
                                                      : i + 1 < arguments.size() && arguments[i + 1].empty();
    if (!is_empty) continue;
    const std::string name = arguments[i].substr(2, equals == std::string::npos ? equals : equals - 2);
    const po::option_description* option = options.find_nothrow(name, false);
    if (option != nullptr && option->semantic()->max_tokens() != 0)
      throw UsageError(fmt::format("--{} has an empty value", name), {},
                       fmt::format("it takes {}; leave it out for the default", option->format_parameter()));
  }
}

/// Words of other tools, and what does the same here. The option that is meant comes first.
struct Foreign {
  std::string_view words;  // with blanks between
  std::string_view option;
  std::string_view advice;
};
constexpr Foreign kForeign[] = {
    {"resample sr r ar rate samplerate sampling-rate target-sr target-sample-rate resample-rate",
     "sample-rate", "--sample-rate 16000 resamples"},
    {"mono downmix to-mono c ac remix channel map-channel", "channels", "--channels mono|left|right|split"},
    {"bit-depth bits-per-sample b encoding subtype sample-fmt", "bits", "--bits 16"},
    {"jobs nj num-jobs num-workers num-threads nproc processes n-jobs", "threads", "--threads N"},
    {"output output-dir output-path out-dir outdir o dest target target-dir shards-dir", "out", "--out DIR"},
    {"input inputs i input-dir data-dir source sources manifest manifests manifest-path wav-scp", kOperands,
     "a source without an option: [NAME=]PATH"},
    {"num-shards nshards n-shards", "shards", "--shards N"},
    {"shard-hours shard-time", "shard-duration", "--shard-duration 1h"},
    {"num-utts-per-shard maxcount samples-per-shard utts-per-shard", "shard-samples", "--shard-samples N"},
    {"maxsize max-shard-size", "shard-size", "--shard-size 1GiB"},
    {"overwrite replace y", "force", "--force"},
    {"compress compression gzip zstd", "codec", "--codec zstd|lz4|gzip"},
    {"shuffle shuffle-seed random-seed", "seed", "--seed S"},
    {"format audio-format force-codec acodec t flac wav", "audio", "--audio flac|wav"},
    {"max-len max-length max-dur", "max-duration", "--max-duration 20s"},
    {"min-len min-length min-dur", "min-duration", "--min-duration 1s"},
    {"skip-errors ignore-errors skip-bad keep-going", "on-error", "--on-error skip"},
    {"segments supervisions cuts", "labels", "--labels [NAME=]FILE"},
    {"transcripts transcript text texts table csv tsv", "metadata", "--metadata [NAME=]FILE"},
    {"text-column text-key transcript-field", "text-field", "--text-field [NAME=]FIELD"},
    {"speaker-column spk-field", "speaker-field", "--speaker-field [NAME=]FIELD"},
    {"val valid validation dev test val-size dev-size test-size train-test-split", "split",
     "--split dev=2h,test=2h"},
    {"gpus num-gpus", "ranks", "--ranks N"},
    {"gpus nproc-per-node num-gpus num-ranks ranks", "world-size", "--world-size N"},
    {"verbose", "progress", "--progress plain"},
    {"dryrun check-only simulate n", "dry-run", "--dry-run"},
    {"silent", "quiet", "--quiet"},
};

/// What to write instead of an option that another tool has; empty if nothing is known.
std::string advice_for_foreign(std::string_view given, const po::options_description& options) {
  while (given.starts_with('-')) given.remove_prefix(1);
  std::string wanted = fmt::format(" {} ", base::lower(std::string(given)));
  std::replace(wanted.begin(), wanted.end(), '_', '-');
  if (const std::string own = wanted.substr(1, wanted.size() - 2);
      options.find_nothrow(own, false) != nullptr)
    return fmt::format("it is --{} here", own);
  for (const Foreign& foreign : kForeign) {
    if (fmt::format(" {} ", foreign.words).find(wanted) == std::string::npos) continue;
    if (options.find_nothrow(std::string(foreign.option), false) != nullptr)
      return fmt::format("it is {} here", foreign.advice);
  }
  return {};
}

/// The address in "NAME=PREFIX:s3://bucket/key"; empty: it is a path of this machine.
std::string_view address_in(std::string_view place) {
  const std::size_t end = place.find("://");
  if (end == std::string_view::npos) return {};
  std::size_t begin = end;
  while (begin > 0 && ((place[begin - 1] >= 'a' && place[begin - 1] <= 'z') ||
                       (place[begin - 1] >= '0' && place[begin - 1] <= '9') || place[begin - 1] == '+'))
    --begin;
  const bool is_first = begin == 0 || place[begin - 1] == '=' || place[begin - 1] == ':';
  return begin < end && is_first ? place.substr(begin) : std::string_view();
}

/// With the address as it may be shown; from now on the program knows which secrets belong to it.
std::string with_known_address(std::string argument) {
  const std::size_t end = argument.find("://");
  if (end == std::string::npos) return argument;
  std::size_t begin = end;
  while (begin > 0 && std::isalnum(static_cast<unsigned char>(argument[begin - 1])) != 0) --begin;
  const std::string scheme = base::lower(argument.substr(begin, end - begin));
  if (scheme == "http" || scheme == "https" || scheme == "s3") argument.replace(begin, end - begin, scheme);
  const std::string address(address_in(argument));
  return argument.substr(0, argument.size() - address.size()) +
         (base::is_remote(address) ? base::known_address(address) : base::shown_address(address));
}

bool lacks_a_slash(std::string_view place, std::string_view scheme) {
  return place.starts_with(scheme) && !place.substr(scheme.size()).starts_with('/') &&
         !base::may_exist(std::string(place));
}

/// "http:/host" is no path that anybody has, and may hold a password.
void check_slashes(std::string_view argument) {
  const std::string_view behind_name = argument.substr(std::min(argument.size(), argument.find('=') + 1));
  for (const std::string_view scheme : {"http:/", "https:/", "s3:/"}) {
    if (!lacks_a_slash(argument, scheme) && !lacks_a_slash(behind_name, scheme)) continue;
    throw UsageError("an address has two slashes there", at(std::string(scheme) + "…"),
                     fmt::format("write {}/", scheme));
  }
}

/// The root that `next` gives after `before`: "--list-root PATH" or "--list-root=PATH"; empty: it gives none.
std::string_view list_root_in(const std::vector<std::string>& before, std::string_view next) {
  constexpr std::string_view kOption = "--list-root";
  if (!before.empty() && before.back() == kOption) return next;
  const bool is_joined = next.starts_with(kOption) && next.substr(kOption.size()).starts_with('=');
  return is_joined ? next.substr(kOption.size() + 1) : std::string_view();
}

/// Everyone can read a list: it must hold no secret, and nothing may be left out of its root without a word.
void check_public(std::string_view option, const std::string& value) {
  const bool is_signed = value.find("://") != std::string::npos && value.find("X-Amz-") != std::string::npos;
  if (with_known_address(value).size() == value.size() && !is_signed) return;
  throw UsageError(fmt::format("--{}: a list cannot hold what follows '?', or a name and a password", option),
                   at(base::shown_address(value.substr(0, value.find('?')))),
                   "give the address without them: whoever reads the list has to add them");
}

/// Throws UsageError if `place` is an address that `command` does not take. `instead`: what to do then;
/// empty: it takes those that can be read.
void check_is_here(const std::string& place, std::string_view command, std::string_view instead) {
  const std::string_view address = address_in(place);
  if (address.empty() || (instead.empty() && base::is_remote(address))) return;
  if (!base::is_remote(place) && base::may_exist(place)) return;
  const std::string shown = base::shown_address(place);
  if (!base::is_remote(address))
    throw UsageError("is on another machine; of these only http://, https:// and s3:// are read", at(shown),
                     "copy it to a disk of this machine first, or mount it");
  throw UsageError(fmt::format("is an address, and {} writes only to disks of this machine", command),
                   at(shown), fmt::format(fmt::runtime(instead), shown));
}

}  // namespace

CommandLine::CommandLine(const CommandText& text) : text_(text) {}

po::options_description_easy_init CommandLine::group(const std::string& title) {
  const auto found =
      std::find_if(groups_.begin(), groups_.end(), [&](const auto& entry) { return entry.first == title; });
  if (found != groups_.end()) return found->second.add_options();
  groups_.emplace_back(title, po::options_description(title));
  return groups_.back().second.add_options();
}

void CommandLine::add_common_options() {
  auto running = group("Running");
  running("threads,j", po::value<int>()->value_name("N"),
          "number of threads (default: the cores that this process may use)");
  running("memory", po::value<std::string>()->value_name("SIZE")->default_value("1GiB"),
          "limit on the bytes in flight");
  running("progress", po::value<std::string>()->value_name("auto|bar|plain|none")->default_value("auto"),
          "progress on standard error; plain: a line now and then");
  running("quiet,q", "no progress and no summary, only warnings and errors");
  running("json", "print the result as one JSON document");
  if (text_.first.empty()) {
    running("help,h", "show this text");
    return;
  }
  const std::string topics = fmt::format("{}|{}", kAllTopics, fmt::join(this->topics(), "|"));
  running("help,h", po::value<std::string>()->value_name(topics)->implicit_value(""),
          "show the most used options, those of one topic, or all");
}

void CommandLine::parse(const std::vector<std::string>& typed) {
  std::vector<std::string> arguments;
  for (const std::string& argument : typed) {
    const std::string_view root = list_root_in(arguments, argument);
    if (!root.empty()) check_public("list-root", std::string(root));
    check_slashes(argument);
    arguments.push_back(with_known_address(argument));
  }
  arguments_ = arguments;
  as_typed_ = fmt::format("shardmill {}", text_.name);
  for (const std::string& argument : arguments) as_typed_ += " " + base::shell_quoted(argument);
  po::options_description all;
  for (const auto& [title, options] : groups_) all.add(options);
  all.add_options()(kOperands, po::value<std::vector<std::string>>());
  check_values_given(arguments, all);
  check_no_option_is_a_value(arguments, all);
  po::positional_options_description positional;
  positional.add(kOperands, -1);
  try {
    namespace style = po::command_line_style;
    // Shortened names are not accepted, because an option that is added later could change their meaning in
    // a Makefile.
    const int exact = style::unix_style & ~style::allow_guessing;
    po::store(po::command_line_parser(arguments).options(all).positional(positional).style(exact).run(),
              values_);
    po::notify(values_);
  } catch (const po::unknown_option& error) {
    const std::string given = error.get_option_name().substr(0, error.get_option_name().find('='));
    std::string advice = advice_for_foreign(given, all);
    if (advice.empty())
      advice = base::did_you_mean(given, names_in(all), fmt::format("see shardmill {} --help", text_.name));
    throw UsageError(fmt::format("there is no option {}", given), {}, advice);
  } catch (const po::error& error) {
    throw UsageError(error.what(), {}, fmt::format("see shardmill {} --help", text_.name));
  }
  if (has(kOperands)) operands_ = values_[kOperands].as<std::vector<std::string>>();
  for (const std::string& operand : operands_) check_is_here(operand, text_.name, text_.instead_of_address);
  if (has("out")) check_is_here(text("out"), text_.name, text_.instead_of_out_address);
}

std::vector<std::string_view> CommandLine::first_options() const {
  std::vector<std::string_view> names;
  for (std::string_view rest = text_.first; !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    names.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return names;
}

std::vector<std::string> CommandLine::topics() const {
  std::vector<std::string> topics;
  for (const auto& [title, options] : groups_) topics.push_back(base::lower(title));
  return topics;
}

std::string CommandLine::help_topic() const {
  if (!text_.first.empty() && has("help") && !text("help").empty()) return text("help");  // --help=TOPIC
  for (std::size_t i = 0; i + 1 < arguments_.size(); ++i) {
    const bool asks = arguments_[i] == "--help" || arguments_[i] == "-h";
    if (asks && !arguments_[i + 1].starts_with('-')) return arguments_[i + 1];
  }
  return {};
}

std::vector<OptionText> CommandLine::options() const {
  std::vector<OptionText> texts;
  for (const auto& [title, options] : groups_) {
    for (const auto& option : options.options()) {
      OptionText text{.group = title, .name = option->long_name(), .description = option->description()};
      const std::string names = option->format_name();  // "-j [ --threads ]" or "--memory"
      if (names[1] != '-') text.short_name = names[1];
      text.value = option->format_parameter();  // "SIZE (=1GiB)"
      if (const auto standard = text.value.find(" (="); standard != std::string::npos) {
        text.standard = text.value.substr(standard + 3, text.value.size() - standard - 4);
        text.value.resize(standard);
      }
      texts.push_back(std::move(text));
    }
  }
  return texts;
}

std::optional<std::string> CommandLine::optional_text(const std::string& option) const {
  if (!has(option)) return std::nullopt;
  return text(option);
}

std::vector<std::string> CommandLine::texts(const std::string& option) const {
  if (!has(option)) return {};
  return values_[option].as<std::vector<std::string>>();
}

std::vector<std::string> CommandLine::given() const {
  std::vector<std::string> names;
  for (const auto& [name, value] : values_) {
    if (!value.defaulted() && name != kOperands) names.push_back(name);
  }
  return names;
}

bool CommandLine::was_given(std::string_view name) const {
  const auto found = values_.find(std::string(name));
  return found != values_.end() && !found->second.defaulted();
}

CommonOptions CommandLine::common() const {
  CommonOptions common;
  const int threads = has("threads") ? number("threads") : static_cast<int>(base::usable_cores());
  if (threads < 1 || threads > 4096) {
    throw UsageError(fmt::format("--threads {} is not a number of threads", threads), {}, "give 1 to 4096");
  }
  common.threads = static_cast<unsigned>(threads);
  common.memory_bytes = base::parse_size(text("memory"));
  common.is_memory_given = !values_["memory"].defaulted();
  const std::string progress = text("progress");
  if (progress == "auto") {
    common.progress = ProgressMode::automatic;
  } else if (progress == "bar") {
    common.progress = ProgressMode::bar;
  } else if (progress == "plain") {
    common.progress = ProgressMode::plain;
  } else if (progress == "none") {
    common.progress = ProgressMode::none;
  } else {
    throw UsageError(fmt::format("--progress {} is unknown", progress), {}, "give auto, bar, plain or none");
  }
  common.quiet = has("quiet");
  common.json = has("json");
  return common;
}

}  // namespace shardmill::cli
