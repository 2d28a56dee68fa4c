#include "cli/cli.hpp"

int main(int argc, char** argv) {
  return shardmill::cli::run(argc, argv);
}
