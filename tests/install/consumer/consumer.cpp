// Somebody else's program that uses the installed library.
#include <cstdio>

#include "shardmill/base/file.hpp"
#include "shardmill/codec/codec.hpp"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    auto file = shardmill::base::File::open_read(argv[1]);
    const auto reader = shardmill::codec::open(file);
    while (auto piece = reader->next()) {
      piece->prepare();
      for (auto bytes = piece->read(); !bytes.empty(); bytes = piece->read()) {
        std::fwrite(bytes.data(), 1, bytes.size(), stdout);
      }
    }
  } catch (const shardmill::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
