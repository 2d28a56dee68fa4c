#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/json_writer.hpp"
#include "base/text/units.hpp"
#include "cli/command.hpp"
#include "cli/commands/shared_options.hpp"
#include "cli/terminal/console.hpp"
#include "dataset/forms.hpp"
#include "dataset/recipe.hpp"
#include "index/write.hpp"

namespace shardmill::cli {

namespace po = boost::program_options;

namespace {

/// "  wids         shardindex.json, for ...": the lines of each form, below each other.
std::string lines_of_forms() {
  constexpr std::size_t kIndent = 15;
  std::string text;
  for (const dataset::LoaderForm& form : dataset::all_forms()) {
    text += fmt::format("  {:<{}}", form.name, kIndent - 2);
    for (const char c : form.help) text += c == '\n' ? "\n" + std::string(kIndent, ' ') : std::string(1, c);
    text += '\n';
  }
  return text;
}

std::string names_of_forms_from_manifests() {
  std::vector<std::string_view> names;
  for (const dataset::LoaderForm& form : dataset::all_forms()) {
    if (form.needs_manifests) names.push_back(form.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

const std::string& about_index() {
  static const std::string about = fmt::format(
      R"(Writes next to plain tar shards the files that a loader wants there; of the shards it reads only
the headers. The kinds are:
{}Those that are made from manifests need a DIR that repack made:
  {}
In such a DIR, the files are added to SHA256SUMS. `repack --index` writes the same files at once.
The indexes of other shards go to the folder that contains all of them.

With --mix, it prints one configuration over several DIRs for a loader that mixes them while it reads:
nemo: an input_cfg, energon: a metadataset. Shares are those of audio time; nothing else is written.)",
      lines_of_forms(), names_of_forms_from_manifests());
  return about;
}

constexpr CommandText kIndexText{
    .name = "index",
    .summary = "write the indexes and tables that other projects' loaders need",
    .operands = "DIR | SHARD... [--index KIND[,KIND...]] | DIR... --index KIND --mix temperature=T",
    .about = {},
    .example =
        "  shardmill index mixed --index wids,dali\n"
        "  shardmill index shards/*.tar --index energon\n"
        "  shardmill index aishell2 librispeech --index nemo --mix temperature=0.3 > input_cfg.yaml\n"
        "  mv mixed /data/mixed && shardmill index /data/mixed --list-root /data/mixed",
    .instead_of_address =
        "index a copy on a disk, and send its new files; or let repack --index KIND --out s3://... write "
        "them"};

void add_index_options(CommandLine& line) {
  line.group("Output")  //
      ("index", po::value<std::string>()->value_name(index_words())->default_value("wids,dali,energon"),
       "the indexes to write")  //
      ("mix", po::value<std::string>()->value_name("temperature=T"),
       "print a configuration (--index nemo or energon) with shares by hours to the power of T: 1 keeps "
       "them, 0 equal")  //
      ("list-root", po::value<std::string>()->value_name("PATH"),
       "for a DIR that was moved: write data.list, ranks/ and records with shards below PATH; indexes only "
       "with --index");
}

std::string as_json(const index::IndexSummary& summary) {
  std::string text;
  base::JsonWriter json(text, base::JsonWriter::Layout::indented);
  json.begin_object().member("folder", summary.folder).member("shards", summary.shards);
  json.member("samples", summary.samples).key("files").begin_array();
  for (const std::string& file : summary.files) json.value(file);
  json.end_array().key("lists").begin_array();
  for (const std::string& list : summary.lists) json.value(list);
  json.end_array().end_object();
  return text;
}

std::string as_text(const index::IndexSummary& summary) {
  const std::string lists = summary.lists.empty() ? ""
                                                  : fmt::format("{}: {} written again", summary.folder,
                                                                fmt::join(summary.lists, ", "));
  if (summary.files.empty() && !summary.lists.empty()) return lists;
  return fmt::format("{}{}{}: {}, {}, {}", lists, lists.empty() ? "" : "\n", summary.folder,
                     base::format_count(summary.shards, "shard"),
                     base::format_count(summary.samples, "sample"),
                     base::format_count(summary.files.size(), "index file"));
}

index::MixOptions mix_options_of(const CommandLine& line) {
  index::MixOptions options{.folders = line.operands()};
  const std::string kind = line.text("index");
  if (kind == "nemo") {
    options.kind = index::MixKind::nemo;
  } else if (kind == "energon") {
    options.kind = index::MixKind::energon;
  } else {
    throw UsageError("--mix is for --index nemo or --index energon", {}, "give one of them");
  }
  const std::string given = line.text("mix");
  dataset::Recipe recipe;
  try {
    dataset::set_field(recipe, "mix", given);
  } catch (const Error& error) {
    throw UsageError(fmt::format("--mix {} {}", printable(given), error.problem()));
  }
  if (!recipe.temperature) throw UsageError(fmt::format("--mix {} is not temperature=T", printable(given)));
  if (line.has("list-root")) throw UsageError("--mix writes no lists", {}, "leave out --list-root");
  options.temperature = *recipe.temperature;
  return options;
}

std::string as_json(const index::Mix& mix) {
  std::string text;
  base::JsonWriter json(text, base::JsonWriter::Layout::indented);
  json.begin_object().key("datasets").begin_array();
  for (const index::Mix::Part& part : mix.parts) {
    json.begin_object().member("folder", part.folder).member("audio_seconds", part.seconds);
    json.member("share", part.share).member("weight", part.weight).end_object();
  }
  json.end_array().member("config", mix.yaml).end_object();
  return text;
}

int run_mix(const CommandLine& line) {
  const index::Mix mix = index::mix_datasets(mix_options_of(line));
  if (line.common().json) {
    fmt::print("{}\n", as_json(mix));
  } else {
    fmt::print("{}", mix.yaml);
  }
  return kExitDone;
}

int run_index(const CommandLine& line) {
  if (line.operands().empty()) throw UsageError("no DIR or SHARD given", {}, "see shardmill index --help");
  if (line.has("mix")) return run_mix(line);
  const CommonOptions common = line.common();
  const bool wants_indexes = !line.has("list-root") || line.was_given("index");
  const index::IndexOptions options{
      .targets = line.operands(),
      .kinds = wants_indexes ? index_kinds(line.text("index")) : dataset::Forms{},
      .list_root = line.optional_text("list-root").value_or(""),
      .command = line.as_typed()};
  Console console(kIndexText.name, common);
  pipeline::Workers workers(common.threads, common.memory_bytes);
  const auto summary = index::run_index(options, workers, console);
  console.end_progress();
  if (common.json) {
    fmt::print("{}\n", as_json(summary));
  } else if (!common.quiet) {
    fmt::print("{}\n", as_text(summary));
  }
  return kExitDone;
}

}  // namespace

Command index_command() {
  CommandText text = kIndexText;
  text.about = about_index();
  return {.text = text, .add_options = add_index_options, .run = run_index};
}

}  // namespace shardmill::cli
