// make_audio: makes audio files with other programs, and tells what libsndfile (through Python) reads from
// them.
#pragma once

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "support/command_output.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::audio {

struct MadeAudio {
  std::string file;
  std::string format;  // as soundfile names it: "WAV/PCM_16"
  std::uint32_t sample_rate = 0;
  std::uint32_t channels = 0;
  std::uint64_t frames = 0;  // decoded
};

/// Runs a Python script in `folder` with soundfile as sf, numpy as np, run(shell command) and noise(frames,
/// channels), then reads every file it left there.
inline std::vector<MadeAudio> make_audio(const testing::TemporaryFolder& folder, const std::string& script) {
  const std::string path = folder.write("make.py", R"(import os, sys, subprocess, io
import numpy as np, soundfile as sf
os.chdir(sys.argv[1])
def run(command): subprocess.run(command, shell=True, check=True, stderr=subprocess.DEVNULL)
random = np.random.default_rng(7)
def noise(frames, channels=1):
    shape = (frames, channels) if channels > 1 else frames
    return np.clip(random.standard_normal(shape) * 0.1, -1, 1)
)" + script + R"(
for name in sorted(os.listdir('.')):
    with sf.SoundFile(name) as f:
        total = 0
        try:
            while got := len(f.read(4096, dtype='int16')): total += got
        except sf.LibsndfileError: pass  # at the end of a FLAC without a total
        print(name, f.format + '/' + f.subtype, f.samplerate, f.channels, total)
)");
  const std::string out = folder.file("out");
  std::istringstream lines(
      testing::command_output("mkdir " + out + " && /usr/bin/python3 " + path + " " + out));
  std::vector<MadeAudio> made;
  for (MadeAudio audio;
       lines >> audio.file >> audio.format >> audio.sample_rate >> audio.channels >> audio.frames;) {
    audio.file = out + "/" + audio.file;
    made.push_back(audio);
  }
  return made;
}

inline std::string content(const std::string& path) {
  return testing::command_output("cat " + path);
}

}  // namespace shardmill::audio
