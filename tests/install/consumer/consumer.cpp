// Somebody else's program that uses the installed library: prints the key and the text of each sample.
#include <cstdio>
#include <string>

#include "shardmill/shard.hpp"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    shardmill::read_shard(argv[1], {}, [](shardmill::Sample&& sample) {
      const shardmill::Member* text = sample.find("txt");
      const std::string words =
          text == nullptr
              ? ""
              : std::string(reinterpret_cast<const char*>(text->bytes.data()), text->bytes.size());
      std::printf("%s %s\n", sample.key.c_str(), words.c_str());
      return true;
    });
  } catch (const shardmill::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
