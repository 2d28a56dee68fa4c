#include "pipeline/give_back.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "archive/tar_parser.hpp"
#include "base/io/folder.hpp"
#include "base/io/line_reader.hpp"
#include "manifest/record_reader.hpp"
#include "pipeline/admission_state.hpp"
#include "pipeline/checkpoint/checkpoint.hpp"
#include "pipeline/journal.hpp"

namespace shardmill::pipeline {

namespace {

std::uint32_t number_of(const std::vector<std::string>& datasets, const std::string& name,
                        const std::string& manifest) {
  const auto dataset = std::find(datasets.begin(), datasets.end(), name);
  if (dataset == datasets.end())
    throw Error("names a dataset that is not of this run", at(manifest), Remedy::start_over);
  return static_cast<std::uint32_t>(dataset - datasets.begin());
}

struct SpooledSample {
  Utterance utterance;           // packed.bytes are read later
  std::uint64_t begin = 0;       // place in the tar
  std::uint64_t end = 0;         // end in the tar
  std::uint64_t line_bytes = 0;  // size of its line in the manifest
};

/// Reads the samples of one spool in their order.
class SpoolReader {
 public:
  SpoolReader(const std::string& folder, std::uint32_t shard)
      : tar_(base::File::open_read(spooled_tar_path(folder, shard))),
        walk_(archive::walk_tar(tar_)),
        lines_(spooled_manifest_path(folder, shard)) {}

  /// Throws Error when the files have changed since they were written.
  void check(const SpoolState& spool) const {
    check_file(tar_.path(), spool.tar_mark());
    check_file(lines_.path(), spool.manifest_mark());
  }
  /// Computes the hashes of the files after the cut.
  void mark(SpoolState& spool) const {
    spool.tar_check = hash_of_start(tar_.path(), spool.tar_bytes).digest();
    spool.manifest_check = hash_of_start(lines_.path(), spool.manifest_bytes).digest();
  }

  SpooledSample next(const std::vector<std::string>& datasets) {
    std::string_view line;
    if (!lines_.next(line)) throw Error("ends too early", at(lines_.path()), Remedy::start_over);
    SpooledSample sample{.utterance = read_line(line), .line_bytes = line.size() + 1};
    Utterance& utterance = sample.utterance;
    utterance.dataset = number_of(datasets, utterance.record.dataset, lines_.path());
    const auto begin = walk_.files.begin() + static_cast<std::ptrdiff_t>(member_);
    const auto end = std::find_if(begin, walk_.files.end(), [&](const archive::TarWalk::Place& place) {
      return !place.name.starts_with(utterance.record.key + ".");
    });
    if (begin == end) throw Error("does not fit its manifest", at(tar_.path()), Remedy::start_over);
    member_ += static_cast<std::size_t>(end - begin);
    // The transcript is the member before the audio; without such a member, it is in the manifest.
    utterance.has_text = !utterance.record.text.value_or("").empty() ||
                         (begin->name == utterance.record.key + ".txt" && begin->bytes > 0);
    sample.begin = begin->header_offset;
    sample.end = end == walk_.files.end() ? walk_.end_offset : end->header_offset;
    utterance.packed.audio_name = utterance.record.audio_filepath;
    utterance.packed.audio_offset = utterance.record.tar_offset - sample.begin;
    return sample;
  }

  void read_bytes(SpooledSample& sample) const {
    Bytes& bytes = sample.utterance.packed.bytes;
    bytes.resize(sample.end - sample.begin);
    if (tar_.read_at(bytes, sample.begin) != bytes.size()) throw Error("ends too early", at(tar_.path()));
  }

 private:
  Utterance read_line(std::string_view line) {
    constexpr std::string_view kEnd = "}\n";
    Utterance utterance;
    read_record(parser_.parse(line), utterance.record);
    std::string without_facts;
    append_line(without_facts, utterance.record);
    // The rest of the line is facts. They lie between a comma and the closing brace.
    const std::size_t begin = without_facts.size() - kEnd.size() + 1;
    if (line.size() > begin) utterance.record.facts = line.substr(begin, line.size() - 1 - begin);
    return utterance;
  }

  base::File tar_;
  archive::TarWalk walk_;
  std::size_t member_ = 0;  // the first member of the next sample
  base::LineReader lines_;
  base::JsonParser parser_;
};

/// Moves all samples of one spool after the first `kept` to `held`, and cuts the spool there.
void cut(SpoolReader&& reader, const std::vector<std::string>& datasets, std::uint64_t kept,
         SpoolState& spool, shard::ShardTally& tally, HeldStore& held) {
  const std::uint64_t samples = tally.samples();
  reader.check(spool);
  tally = shard::ShardTally{.datasets = std::vector<shard::ShardTally::Share>(datasets.size())};
  spool = SpoolState{.is_hashed = false};
  for (std::uint64_t i = 0; i < samples; ++i) {
    SpooledSample sample = reader.next(datasets);
    const Utterance& utterance = sample.utterance;
    const auto duration = duration_of(utterance.record.audio);
    if (i < kept) {
      tally.add(utterance.dataset, duration, utterance.has_text);
      spool.tar_bytes = sample.end;
      spool.manifest_bytes += sample.line_bytes;
      continue;
    }
    reader.read_bytes(sample);
    const auto number =
        held.reserve({.dataset = utterance.dataset, .duration = duration}, serialised_bytes(utterance));
    base::BinaryWriter out;
    put(out, utterance);
    held.write(held.entries()[number], out.bytes());
  }
  reader.mark(spool);
}

}  // namespace

std::vector<std::vector<deal::HeldSample>> read_dealt_samples(const std::string& work_folder,
                                                              const std::vector<std::string>& datasets,
                                                              std::uint32_t shards) {
  std::vector<std::vector<deal::HeldSample>> dealt(shards);
  for (std::uint32_t shard = 0; shard < shards; ++shard) {
    const std::string path = spooled_manifest_path(work_folder + "/spool", shard);
    if (!base::exists(path)) continue;
    manifest::SampleRecord record;
    for (manifest::RecordReader reader(path); reader.next(record);)
      dealt[shard].push_back(
          {.dataset = number_of(datasets, record.dataset, path), .duration = duration_of(record.audio)});
  }
  return dealt;
}

void give_back(const std::string& work_folder, const std::vector<std::string>& datasets,
               std::uint64_t samples) {
  const auto journal = read_journal(journal_path(work_folder));
  if (!journal) throw Error("has lost its journal", at(work_folder));
  base::BinaryReader in(journal->body);
  MillState mill = read_mill_state(in);
  AdmissionState admission = read_admission_state(in);
  if (mill.given_back > 0) return;
  mill.given_back = samples;
  HeldStore held(held_path(work_folder));
  held.restore(std::move(mill.held));
  for (std::uint32_t shard = 0; shard < mill.spools.size(); ++shard) {
    shard::ShardTally& tally = mill.tallies[shard];
    const std::uint64_t before = tally.samples();
    if (before == 0) continue;
    cut(SpoolReader(work_folder + "/spool", shard), datasets, before - std::min(before, samples),
        mill.spools[shard], tally, held);
    for (std::size_t d = 0; d < datasets.size(); ++d) {
      mill.dealer.datasets[d].shards[shard] = {.samples = tally.datasets[d].samples,
                                               .duration = tally.datasets[d].duration};
    }
  }
  held.sync();
  mill.held = held.entries();
  base::BinaryWriter out;
  put(out, mill);
  put(out, admission);
  write_journal(journal_path(work_folder), {.fingerprint = journal->fingerprint, .body = out.take()});
}

}  // namespace shardmill::pipeline
