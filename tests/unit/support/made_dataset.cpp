#include "support/made_dataset.hpp"

#include <fstream>
#include <sstream>

#include "archive/tar_building.hpp"
#include "repack/repack.hpp"

namespace shardmill::testing {

MadeDataset::MadeDataset(const Change& change) : folder_(scratch_.file("dataset")) {
  std::vector<std::pair<std::string, std::string>> files;
  for (unsigned i = 0; i < kSamples; ++i) {
    const std::string key = "key" + std::to_string(i);
    files.emplace_back(key + ".txt", "text of " + key);
    files.emplace_back(key + ".wav", made_wav(1600 + 160 * i, i));
  }
  source_ = scratch_.write("source.tar", archive::make_tar(files));
  repack::RepackOptions options;
  options.sources = {"set=" + source_};
  options.out_folder = folder_;
  options.recipe.sizing = {.by = deal::ShardSizing::By::shards, .amount = 2};
  options.command = "shardmill repack for a test";
  if (change) change(options);
  summary_ = repack::run_repack(options, workers_, reporter_);
}

std::string MadeDataset::read(std::string_view inner) const {
  std::ostringstream text;
  text << std::ifstream(path(inner), std::ios::binary).rdbuf();
  return text.str();
}

void MadeDataset::write(std::string_view inner, std::string_view content) const {
  std::ofstream out(path(inner), std::ios::binary);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  if (!out.flush()) throw std::runtime_error("cannot write " + path(inner));
}

void MadeDataset::flip(std::string_view inner, std::size_t at) const {
  std::string content = read(inner);
  content.at(at) = static_cast<char>(content.at(at) ^ 1);
  write(inner, content);
}

}  // namespace shardmill::testing
