#include "cli/commands/repack_command.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "audio/probe.hpp"
#include "base/text/units.hpp"
#include "cli/commands/codec_options.hpp"
#include "cli/commands/doctor_command.hpp"
#include "cli/commands/index_option.hpp"
#include "cli/commands/repack_parts.hpp"
#include "cli/commands/source_options.hpp"
#include "cli/output/repack_summary.hpp"
#include "cli/terminal/console.hpp"
#include "commands/repack.hpp"

namespace shardmill::cli {

namespace po = boost::program_options;

namespace {

constexpr CommandText kText{
    .name = "repack",
    .summary = "the main job: read, mix, balance and write shards, and record what is in them",
    .operands = "[NAME=]SOURCE... --out DIR [OPTION...]",
    .about =
        "Reads samples from shards of any compression, mixes the datasets in proportion to their size, and "
        "writes\n"
        "shards that all hold the same number of samples and the same audio time, with manifests beside "
        "them.\n"
        "A SOURCE is a shard, a folder of shards, a list file or a quoted glob pattern; or a raw corpus: "
        "kaldi:DIR,\n"
        "wenet:FILE, nemo:FILE, librispeech:DIR, aishell:DIR, aishell2:DIR, audio:DIR (files with .txt "
        "beside "
        "them),\n"
        "mostly told by their shape without the prefix; or a finished dataset, dataset:DIR, of which all "
        "fields are\n"
        "kept (a NAME replaces the names of its datasets). Sources with the same NAME are one dataset. "
        "Interrupted or\n"
        "killed, the same command goes on where it stopped; on a finished DIR it says so and does nothing.",
    .example =
        "  shardmill repack aishell2=a2/*.tar.bz2 librispeech=libri/ --out mixed --shards 64\n"
        "  shardmill repack data.list --out mixed --shard-duration 1h --multiple-of 32 --codec zstd"};

po::typed_value<std::string>* text_option(const std::string& name) {
  return po::value<std::string>()->value_name(name);
}

po::typed_value<std::string>* text_option(const std::string& name, const char* standard) {
  return text_option(name)->default_value(standard);
}

po::typed_value<std::vector<std::string>>* pattern_option() {
  return po::value<std::vector<std::string>>()->value_name("PATTERN")->composing();
}

void add_options(CommandLine& line) {
  line.group("How many shards")                                                                       //
      ("shards", text_option("N"), "this many")                                                       //
      ("shard-duration", text_option("TIME"), "as many as hold about this much audio each")           //
      ("shard-size", text_option("SIZE"), "as many as are about this large, uncompressed")            //
      ("shard-samples", text_option("N"), "as many as hold about this many samples (default: 1000)")  //
      ("multiple-of", text_option("M", "1"), "round to a multiple of M: ranks x loader workers");
  line.group("What is written")  //
      ("out", text_option("DIR"), "folder for the dataset, made where missing (required)");
  add_codec_options(line);
  line.group("What is written")                                                            //
      ("prefix", text_option("NAME", "audio"), "shards are NAME_000000000.tar and so on")  //
      ("text", text_option("both|members|manifest", "both"),
       "transcripts as KEY.txt members, in the manifests, or both")  //
      ("index", text_option(index_words(), "none"),
       "indexes for other projects' loaders beside the shards (see shardmill index --help)")  //
      ("list-root", text_option("PATH"), "stands in data.list before shards/ (default: DIR, absolute)");
  line.group("Audio")  //
      ("audio", text_option("keep|wav|flac", "keep"),
       "the container; values stay as they are, and what is in it already is copied")                    //
      ("sample-rate", text_option("HZ", "keep"), "resample what has another rate, as sox rate -v does")  //
      ("channels", text_option("keep|mono", "keep"), "mono: the mean of all channels")                   //
      ("require-uniform", "stop when rates or channels are mixed, instead of a warning");
  add_key_rule_option(line, "Which samples");
  add_allow_commands_option(line, "Which samples");
  line.group("Which samples")                                          //
      ("min-duration", text_option("TIME"), "leave out shorter ones")  //
      ("max-duration", text_option("TIME"), "leave out longer ones")   //
      ("require-text", "leave out those without a transcript")         //
      ("allow-missing-text",
       "take datasets of which more than a tenth has no transcript: such are an error otherwise")  //
      ("include", pattern_option(),
       "only keys that match PATTERN, as the shell matches (*, ?, [a-z]; * also "
       "matches /); may be given several times")                   //
      ("exclude", pattern_option(), "no keys that match PATTERN")  //
      ("limit", text_option("N"), "stop after N samples: for a trial run");
  line.group("Mixing")  //
      ("interleave", text_option("K", "16"),
       "files of a dataset that are read at a time, so that all cores work and neighbours come from K files; "
       "1: one after the other")                                                              //
      ("seed", text_option("S", "0"), "shuffles the order of the source files; 0: as given")  //
      ("weight", po::value<std::vector<std::string>>()->value_name("NAME=W")->composing(),
       "takes a dataset W times: 2 = twice, with distinct keys; 0.5 = a half, chosen by the seed");
  line.group("Trouble")  //
      ("on-error", text_option("stop|skip", "stop"),
       "at a bad sample or damaged shard: stop, or skip and record it")  //
      ("max-rejects", text_option("N|all", "0"),
       "with skip: exit code 3 when more than N samples were left out for an error, or when a source file "
       "could "
       "not be read whole and how many samples that lost is not known, also when the same command runs "
       "again; "
       "dataset.json is then dated 1970, so that make does not take it for done; all: whatever was lost")  //
      ("on-duplicate", text_option("stop|first|rename", "stop"),
       "when a key comes again: stop, first (keep that; of datasets, that of the one given first) or rename");
  line.group("Running")                                                         //
      ("dry-run", "plan and estimate, write nothing")                           //
      ("force", "start over, and replace what is in DIR")                       //
      ("wait", "wait while another run works in DIR, then find its work done")  //
      ("ignore-free-space",
       "begin also where the filesystem has less room than the estimate says is needed")  //
      ("depfile", text_option("FILE"), "for make: writes what DIR/dataset.json depends on, when it is there");
  add_parts_options(line);
}

template <typename Choice>
struct Named {
  std::string_view name;
  Choice value;
};

template <typename Choice, std::size_t kCount>
Choice choice(const CommandLine& line, const std::string& option, const Named<Choice> (&choices)[kCount]) {
  const std::string given = line.text(option);
  std::string known;
  for (const auto& each : choices) {
    if (each.name == given) return each.value;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", each.name);
  }
  throw UsageError(fmt::format("--{} {} is unknown", option, printable(given)), {}, "give one of " + known);
}

std::uint64_t number(const CommandLine& line, const std::string& option) {
  const std::string given = line.text(option);
  const bool digits =
      !given.empty() && given.size() < 19 && given.find_first_not_of("0123456789") == std::string::npos;
  if (!digits) throw UsageError(fmt::format("--{} {} is not a number", option, printable(given)));
  return std::stoull(given);
}

std::uint64_t positive(const CommandLine& line, const std::string& option) {
  const std::uint64_t value = number(line, option);
  if (value == 0) throw UsageError(fmt::format("--{} must be at least 1", option));
  return value;
}

std::uint32_t interleave(const CommandLine& line) {
  constexpr std::uint64_t kMostFiles = 256;
  const std::uint64_t files = positive(line, "interleave");
  if (files > kMostFiles)
    throw UsageError(fmt::format("--interleave {} is too many", files), {},
                     fmt::format("at most {} files are open at a time", kMostFiles));
  return static_cast<std::uint32_t>(files);
}

deal::ShardSizing sizing(const CommandLine& line) {
  using By = deal::ShardSizing::By;
  deal::ShardSizing sizing{.multiple_of = positive(line, "multiple-of")};
  int given = 0;
  const auto take = [&](const char* option, By by, auto read) {
    if (!line.has(option)) return;
    ++given;
    sizing.by = by;
    sizing.amount = read(option);
  };
  take("shards", By::shards, [&](const char* option) { return positive(line, option); });
  take("shard-samples", By::samples, [&](const char* option) { return positive(line, option); });
  take("shard-size", By::bytes, [&](const char* option) { return base::parse_size(line.text(option)); });
  take("shard-duration", By::seconds, [&](const char* option) {
    return static_cast<std::uint64_t>(std::ceil(base::parse_duration_seconds(line.text(option))));
  });
  if (given > 1) {
    throw UsageError(
        "more than one of --shards, --shard-duration, --shard-size and --shard-samples is given");
  }
  if (sizing.amount == 0) throw UsageError("a shard must hold something: give more than 0");
  if (sizing.by == By::shards && sizing.amount % sizing.multiple_of != 0) {
    throw UsageError(fmt::format("--shards {} is no multiple of {}", sizing.amount, sizing.multiple_of), {},
                     "leave out --multiple-of, or give another number");
  }
  return sizing;
}

std::map<std::string, double> weights(const CommandLine& line) {
  std::map<std::string, double> weights;
  for (const std::string& given : line.texts("weight")) {
    const std::size_t equals = given.find('=');
    char* end = nullptr;
    const double weight = equals == std::string::npos ? -1 : std::strtod(given.c_str() + equals + 1, &end);
    if (end == nullptr || *end != '\0' || !(weight > 0) || weight > 1000) {
      throw UsageError(fmt::format("--weight {} is not NAME=W with W above 0", printable(given)));
    }
    weights[given.substr(0, equals)] = weight;
  }
  return weights;
}

audio::WantedForm wanted_form(const CommandLine& line) {
  using Container = audio::WantedForm::Container;
  audio::WantedForm form;
  form.container = choice<Container>(
      line, "audio", {{"keep", Container::keep}, {"wav", Container::wav}, {"flac", Container::flac}});
  form.mono = choice<bool>(line, "channels", {{"keep", false}, {"mono", true}});
  if (line.text("sample-rate") != "keep") {
    const std::uint64_t rate = positive(line, "sample-rate");
    if (rate > audio::kMaxSampleRate)
      throw UsageError(fmt::format("--sample-rate {} is no sample rate in Hz", rate));
    form.sample_rate = static_cast<std::uint32_t>(rate);
  }
  return form;
}

source::MissingText missing_text(const CommandLine& line) {
  using source::MissingText;
  if (line.has("allow-missing-text")) return MissingText::allowed;
  return line.has("require-text") ? MissingText::unless_all : MissingText::refused;
}

pipeline::IntakeOptions intake(const CommandLine& line) {
  using namespace pipeline;
  IntakeOptions intake;
  intake.key_rule = key_rule_choice(line);
  intake.text = choice<TextPlace>(
      line, "text",
      {{"both", TextPlace::both}, {"members", TextPlace::members}, {"manifest", TextPlace::manifest}});
  intake.on_error = choice<OnError>(line, "on-error", {{"stop", OnError::stop}, {"skip", OnError::skip}});
  intake.on_duplicate = choice<OnDuplicate>(
      line, "on-duplicate",
      {{"stop", OnDuplicate::stop}, {"first", OnDuplicate::first}, {"rename", OnDuplicate::rename}});
  if (line.has("min-duration")) intake.min_seconds = base::parse_duration_seconds(line.text("min-duration"));
  if (line.has("max-duration")) intake.max_seconds = base::parse_duration_seconds(line.text("max-duration"));
  if (intake.min_seconds > intake.max_seconds) throw UsageError("--min-duration is more than --max-duration");
  intake.require_text = line.has("require-text");
  intake.missing_text = missing_text(line);
  intake.form = wanted_form(line);
  intake.require_uniform = line.has("require-uniform");
  intake.keys = {.include = line.texts("include"), .exclude = line.texts("exclude")};
  if (line.has("limit")) intake.limit = positive(line, "limit");
  return intake;
}

/// Tests make checkpoints come often; nobody else should have to think about them.
pipeline::CheckpointInterval checkpoints() {
  pipeline::CheckpointInterval interval;
  if (const char* text = std::getenv("SHARDMILL_CHECKPOINT_BYTES")) {
    interval.input_bytes = base::parse_size(text);
    if (interval.input_bytes == 0) throw UsageError("SHARDMILL_CHECKPOINT_BYTES must be at least 1");
  }
  return interval;
}

}  // namespace

repack::RepackOptions repack_options_of(const CommandLine& line) {
  if (line.operands().empty()) throw UsageError("no SOURCE given", {}, "see shardmill repack --help");
  if (!line.has("out")) throw UsageError("--out DIR is missing", {}, "see shardmill repack --help");
  const CodecChoice codec = codec_choice(line);
  repack::RepackOptions options;
  options.sources = line.operands();
  options.allow_commands = allows_commands(line);
  options.out_folder = line.text("out");
  options.depfile = line.optional_text("depfile").value_or("");
  options.list_root = line.optional_text("list-root").value_or("");
  options.sizing = sizing(line);
  options.codec = codec.codec;
  options.level = codec.level;
  options.seekable = codec.seekable;
  options.prefix = line.text("prefix");
  options.indexes = index_kinds(line.text("index"));
  options.intake = intake(line);
  options.interleave = interleave(line);
  options.seed = number(line, "seed");
  options.weights = weights(line);
  const bool takes_any_loss = line.text("max-rejects") == "all";
  options.max_rejects = takes_any_loss ? repack::kAnyNumber : number(line, "max-rejects");
  options.dry_run = line.has("dry-run");
  options.force = line.has("force");
  options.wait = line.has("wait");
  options.ignore_free_space = line.has("ignore-free-space");
  options.checkpoints = checkpoints();
  options.command = line.as_typed();
  options.libraries = library_versions();
  return options;
}

namespace {

int run(const CommandLine& line) {
  if (speaks_of_parts(line)) return run_parts(line);
  const CommonOptions common = line.common();
  const repack::RepackOptions options = repack_options_of(line);
  Console console(kText.name, common);
  pipeline::Workers workers(common.threads, common.memory_bytes);
  const repack::RepackSummary summary = commands::run_repack(options, workers, console);
  console.end_progress();
  if (common.json) {
    fmt::print("{}\n", summary_as_json(summary, options));
  } else if (!common.quiet) {
    fmt::print("{}", summary_as_text(summary, options));
  }
  return verdict(summary, options, console);
}

}  // namespace

Command repack_command() {
  return {.text = kText, .add_options = add_options, .run = run};
}

}  // namespace shardmill::cli
