#include "base/error.hpp"
#include "base/system/command.hpp"
#include "base/text/json_reader.hpp"
#include "base/text/json_writer.hpp"
#include "doctor/node.hpp"

namespace shardmill::doctor {

namespace {

constexpr std::uint64_t kMostAnswerBytes = std::uint64_t{1} << 20;
constexpr std::string_view kTrialAnswer = "shardmill asked: ";
constexpr std::size_t kShardsOfCodec = 4;
constexpr std::size_t kLongestTrialProblem = 300;

// Does not import from the working folder. A reader takes its shards from the start, again and again, until
// its time is up.
constexpr const char* kTrialScript = R"(
import sys
if sys.path and sys.path[0] == "":
    del sys.path[0]
import io, itertools, json, subprocess, tarfile, time
job = json.loads(sys.argv[1])
AUDIO = {"wav", "flac", "mp3", "ogg", "opus", "m4a", "aac", "wma"}
PROGRAMS = {"bzip2": "bzip2", "gzip": "gzip", "xz": "xz", "zstd": "zstd", "lz4": "lz4"}

def words(error):
    return f"{type(error).__name__}: {error}"

def from_tar(archive):
    for member in archive:
        if member.isfile():
            yield member.name.rpartition(".")[2].lower(), archive.extractfile(member).read()

def members(path, codec):
    if codec == "none":
        with open(path, "rb") as file, tarfile.open(fileobj=file, mode="r:") as archive:
            yield from from_tar(archive)
        return
    with subprocess.Popen([PROGRAMS[codec], "-dc", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as program:
        try:
            with tarfile.open(fileobj=program.stdout, mode="r|") as archive:
                yield from from_tar(archive)
        finally:
            program.kill()

def tar_reader(decode):
    def read(paths, codec):
        for path in paths:
            for kind, data in members(path, codec):
                if kind in AUDIO:
                    yield decode(io.BytesIO(data))
    return read

def decoders():
    try:
        import torch
        torch.set_num_threads(1)
        import torchaudio
        def load(file):
            sound, rate = torchaudio.load(file)
            return sound.shape[1] / rate
        yield "tarfile and torchaudio", load
    except BaseException:
        pass
    try:
        import soundfile
        def read(file):
            sound, rate = soundfile.read(file, dtype="float32")
            return len(sound) / rate
        yield "tarfile and soundfile", read
    except BaseException:
        pass

def timed(name, codec, read):
    trial = {"reader": name, "codec": codec, "samples": 0, "audio_seconds": 0.0, "seconds": 0.0, "problem": ""}
    try:
        begin = time.perf_counter()
        while trial["seconds"] < job["seconds"]:
            before = trial["samples"]
            samples = iter(read())
            for seconds in samples:
                trial["samples"] += 1
                trial["audio_seconds"] += seconds
                trial["seconds"] = time.perf_counter() - begin
                if trial["seconds"] >= job["seconds"]:
                    break
            if hasattr(samples, "close"):
                samples.close()
            if trial["samples"] == before:
                raise ValueError("no audio was found")
    except Exception as error:
        trial["problem"] = words(error)
    return trial

def measured():
    for paths in job["shards"].values():
        for path in paths:
            with open(path, "rb") as file:
                while file.read(1 << 20):
                    pass
    for name, decode in decoders():
        read = tar_reader(decode)
        for codec, paths in job["shards"].items():
            yield timed(name, codec, lambda: read(paths, codec))
    if job["folder"] and len(job["shards"]) == 1:
        try:
            from shardmill.torch import ShardDataset, decode_audio
        except BaseException:
            return
        def length(sample):
            sound, rate = decode_audio(sample)
            return sound.shape[1] / rate
        yield timed("shardmill.torch", next(iter(job["shards"])), lambda: ShardDataset(job["folder"], decode=length))

print("\nshardmill asked: " + json.dumps({"trials": list(measured())}), flush=True)
)";

std::string problem_text(std::string text) {
  if (text.size() > kLongestTrialProblem) text.resize(kLongestTrialProblem);
  return printable(text);
}

/// Some shards of each codec, by the codec's name.
std::map<std::string, std::vector<std::string>> paths_by_codec(const std::vector<ranks::RankShard>& shards) {
  std::map<std::string, std::vector<std::string>> paths;
  for (const ranks::RankShard& shard : shards) {
    auto& of_codec = paths[std::string(codec::name(shard.codec))];
    if (of_codec.size() < kShardsOfCodec && shard.load.samples > 0) of_codec.push_back(shard.path);
  }
  std::erase_if(paths, [](const auto& of_codec) { return of_codec.second.empty(); });
  return paths;
}

std::string trial_job(const std::map<std::string, std::vector<std::string>>& shards,
                      const std::string& folder, double seconds) {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object().member("seconds", seconds).member("folder", folder).key("shards").begin_object();
  for (const auto& [codec, paths] : shards) {
    json.key(codec).begin_array();
    for (const std::string& path : paths) json.value(path);
    json.end_array();
  }
  json.end_object().end_object();
  return text;
}

LoaderSurvey read_trials(std::string_view line) {
  base::JsonParser parser;
  LoaderSurvey survey;
  for (const base::JsonValue& trial : parser.parse(line)["trials"].elements()) {
    survey.trials.push_back({.reader = printable(trial["reader"].text()),
                             .codec = printable(trial["codec"].text()),
                             .samples = trial["samples"].unsigned_integer(),
                             .audio_seconds = trial["audio_seconds"].number(),
                             .seconds = trial["seconds"].number(),
                             .problem = problem_text(std::string(trial["problem"].text()))});
  }
  if (survey.trials.empty()) survey.problem = "it has no reader of audio: neither torchaudio nor soundfile";
  return survey;
}

}  // namespace

LoaderSurvey read_loaders(std::string_view output) {
  const auto found = output.rfind(kTrialAnswer);
  const LoaderSurvey nonsense{.trials = {}, .problem = "it gave an answer that is not valid"};
  if (found == std::string_view::npos) return nonsense;
  const std::string_view line = output.substr(found + kTrialAnswer.size());
  try {
    return read_trials(line.substr(0, line.find('\n')));
  } catch (const Error&) {
    return nonsense;
  }
}

LoaderSurvey survey_loaders(const std::string& python, const std::vector<ranks::RankShard>& shards,
                            const std::string& folder, double seconds, std::chrono::milliseconds limit) {
  const auto paths = paths_by_codec(shards);
  if (paths.empty()) return {.trials = {}, .problem = "the shards have no samples"};
  const base::CommandResult result = base::run_bounded(
      {python, "-c", kTrialScript, trial_job(paths, folder, seconds)}, limit, kMostAnswerBytes);
  return result.is_good() ? read_loaders(result.out)
                          : LoaderSurvey{.trials = {}, .problem = ending(result, limit)};
}

}  // namespace shardmill::doctor
