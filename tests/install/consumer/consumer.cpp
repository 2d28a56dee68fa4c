// Somebody else's program that uses the installed library.
#include <cstdio>

#include "shardmill/base/error.hpp"
#include "shardmill/base/file.hpp"

int main() {
  try {
    shardmill::base::File::open_read("/no/such/file");
  } catch (const shardmill::Error& error) {
    std::puts(error.what());
    return 0;
  }
  return 1;
}
