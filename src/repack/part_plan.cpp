#include "repack/part_plan.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "base/hash/hash.hpp"
#include "base/io/binary_fields.hpp"
#include "base/io/folder.hpp"
#include "base/io/writer_lock.hpp"
#include "base/remote/object.hpp"
#include "base/remote/url.hpp"
#include "base/text/units.hpp"
#include "base/version.hpp"
#include "pipeline/journal.hpp"
#include "repack/home.hpp"
#include "source/source_spec.hpp"

namespace shardmill::repack {

namespace {

constexpr std::string_view kForm = "plan with a recipe";

std::string plan_path(const std::string& out_folder) {
  return work_folder_of(out_folder) + "/plan";
}

}  // namespace

void check_not_secret(const std::string& address) {
  if (base::shown_address(address) == address && !base::has_secrets(address)) return;
  throw UsageError("is an address with a signature or a password, which would be written into the plan",
                   at(base::shown_address(address)),
                   "use a bucket, whose credentials each part takes from its environment");
}

std::string absolute_source(const std::string& argument) {
  const std::string path = source::parse_source(argument).path;
  if (base::is_remote(path)) {
    check_not_secret(path);
    return argument;
  }
  if (path.starts_with('/')) return argument;
  const std::string before = argument.substr(0, argument.size() - path.size());
  const std::string from_here = path.starts_with("./") ? path.substr(2) : path;
  return before + (std::filesystem::current_path() / from_here).string();
}

RepackOptions options_of(const PartPlan& plan, const RepackOptions& place) {
  if (plan.version != base::version()) {
    throw Error(fmt::format("was planned by shardmill {}, and this is {}", plan.version, base::version()),
                at(place.out_folder), "use the same version on all machines");
  }
  RepackOptions options;
  options.sources = plan.sources;
  options.allow_commands = plan.allow_commands;
  options.out_folder = place.out_folder;
  options.work_folder = place.work_folder;
  options.recipe = dataset::recipe_of(plan.recipe);
  options.recipe.final_place = place.recipe.final_place;
  options.max_rejects = plan.max_rejects;
  options.ignore_free_space = true;  // it was checked when the run was planned
  options.command = plan.command;
  return options;
}

std::string command_of_part(const RepackOptions& options, std::string_view part) {
  if (options.work_folder.empty())
    return fmt::format("shardmill repack --out {} --part {}", options.place(), part);
  return fmt::format("shardmill repack --out {} --work {} --part {}", options.place(), options.work_folder,
                     part);
}

std::string command_of_finish(const RepackOptions& options) {
  if (options.work_folder.empty()) return fmt::format("shardmill repack --out {} --finish", options.place());
  return fmt::format("shardmill repack --out {} --work {} --finish", options.place(), options.work_folder);
}

void write_part_plan(const std::string& out_folder, const PartPlan& plan) {
  base::BinaryWriter out;
  out.put(kForm);
  out.put(plan.version);
  out.put(plan.recipe.size());
  for (const auto& [name, value] : plan.recipe) {
    out.put(name);
    out.put(value);
  }
  out.put(plan.sources.size());
  for (const std::string& source : plan.sources) out.put(source);
  out.put(std::uint64_t{plan.allow_commands});
  out.put(plan.max_rejects);
  out.put(plan.command);
  out.put(plan.working_folder);
  out.put(plan.id);
  out.put(plan.parts);
  out.put(plan.shards);
  pipeline::write_journal(plan_path(out_folder), {.fingerprint = plan.fingerprint, .body = out.take()});
}

std::optional<PartPlan> read_part_plan(const std::string& out_folder) {
  auto journal = pipeline::read_journal(plan_path(out_folder));
  if (!journal) return std::nullopt;
  base::BinaryReader in(journal->body);
  if (in.text() != kForm) {
    throw Error("holds a run in parts that an older version of shardmill planned", at(out_folder),
                "finish it with that version", Remedy::start_over);
  }
  PartPlan plan;
  plan.version = in.text();
  for (std::uint64_t left = in.number(); left > 0; --left) {
    std::string name = in.text();
    plan.recipe.emplace_back(std::move(name), in.text());
  }
  for (std::uint64_t left = in.number(); left > 0; --left) plan.sources.push_back(in.text());
  plan.allow_commands = in.number() != 0;
  plan.max_rejects = in.number();
  plan.command = in.text();
  plan.working_folder = in.text();
  plan.id = in.text();
  plan.parts = static_cast<std::uint32_t>(in.number());
  plan.shards = static_cast<std::uint32_t>(in.number());
  plan.fingerprint = std::move(journal->fingerprint);
  return plan;
}

void check_no_parts(const std::string& out_folder) {
  const auto plan = read_part_plan(out_folder);
  if (!plan) return;
  throw Error("holds an unfinished run in " + base::format_count(plan->parts, "part"), at(out_folder),
              Remedy::go_on_in_parts);
}

void check_no_part_at_work(const std::string& out_folder) {
  if (!base::exists(work_folder_of(out_folder))) return;
  for (const std::filesystem::path& entry : base::entries(work_folder_of(out_folder))) {
    const std::string lock = lock_path(entry.string());
    if (const auto holder = base::WriterLock::holder(lock))
      throw Error("another run is at work here: " + *holder, at(lock), "stop it, or wait for its end");
  }
}

std::string part_folder(const std::string& out_folder, std::uint32_t part) {
  return fmt::format("{}/part_{:05}", work_folder_of(out_folder), part);
}

std::string plan_id(const std::string& fingerprint, std::uint32_t parts) {
  return fmt::format("{} in {} parts", base::xxh3_128(base::as_bytes(fingerprint)).hex(), parts);
}

std::string part_fingerprint(const PartPlan& plan, std::uint32_t part) {
  return fmt::format("plan {}\npart {}\n", plan.id, part);
}

std::string held_shards_path(const std::string& out_folder) {
  return work_folder_of(out_folder) + "/held_shards";
}

std::string given_back_path(const std::string& out_folder) {
  return work_folder_of(out_folder) + "/given_back";
}

Division::Division(const RepackPlan& whole, std::uint32_t parts)
    : whole_(whole), ranges_(deal::divide_shards(whole.shards, parts)) {
  std::vector<std::uint64_t> given(parts, 0);
  for (const pipeline::InputStream& stream : whole.inputs.streams) {
    std::vector<std::uint64_t> file_bytes;
    for (const source::SourceFile& file : stream.files) file_bytes.push_back(file.bytes);
    part_of_.push_back(deal::divide_files(file_bytes, ranges_, given));
  }
}

PartShare Division::share(std::uint32_t part) const {
  const auto& [datasets, streams] = whole_.inputs;
  PartShare share{.shards = ranges_[part], .inputs = {.datasets = datasets, .streams = {}}, .allowances = {}};
  for (std::size_t s = 0; s < part_of_.size(); ++s) {
    pipeline::InputStream mine{.name = streams[s].name, .files = {}, .datasets = streams[s].datasets};
    for (std::size_t i = 0; i < part_of_[s].size(); ++i) {
      if (part_of_[s][i] == part) mine.files.push_back(streams[s].files[i]);
    }
    share.inputs.streams.push_back(std::move(mine));
  }
  if (ranges_.size() == 1) return share;  // there is no other part to hold samples back for
  for (std::uint32_t dataset = 0; dataset < datasets.size(); ++dataset) {
    const pipeline::InputAmount mine = amount_of(share.inputs, dataset);
    share.allowances.push_back(deal::allowance(mine.bytes, amount_of(whole_.inputs, dataset).bytes,
                                               mine.files, share.shards, whole_.shards));
  }
  return share;
}

}  // namespace shardmill::repack
