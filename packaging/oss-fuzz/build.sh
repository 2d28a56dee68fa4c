#!/bin/bash -eu
# Builds all fuzz targets for OSS-Fuzz into $OUT: each with its seeds, and the libraries beside them, which the machine that
# runs them does not have. $CC, $CXX, their flags and $LIB_FUZZING_ENGINE come from OSS-Fuzz.
# To try it without OSS-Fuzz:
#   SRC=$(mktemp -d) OUT=$(mktemp -d) CC=clang CXX=clang++ CFLAGS= CXXFLAGS= LIB_FUZZING_ENGINE=-fsanitize=fuzzer \
#     packaging/oss-fuzz/build.sh
cd "$(dirname "${BASH_SOURCE[0]}")"
if [ -d "$SRC/shardmill" ]; then cd "$SRC/shardmill"; else cd ../..; fi
build=$SRC/build

# The system's C++ libraries are built with libstdc++, and do not fit libc++.
CXXFLAGS=${CXXFLAGS//-stdlib=libc++/}
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DSHARDMILL_FUZZ=ON \
  "-DSHARDMILL_FUZZING_ENGINE=$LIB_FUZZING_ENGINE" -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX" \
  "-DCMAKE_C_FLAGS=$CFLAGS" "-DCMAKE_CXX_FLAGS=$CXXFLAGS"
cmake --build "$build" --target fuzz_targets

/usr/bin/python3 -B tests/fuzz/seeds.py "$build/corpus"
mkdir -p "$OUT/lib"
for source in tests/fuzz/*_fuzz.cpp; do
  name=$(basename "$source" .cpp)
  cp "$build/tests/$name" "$OUT"
  ldd "$OUT/$name" | awk '$2 == "=>" && $3 ~ "^/" && $1 !~ "^lib(c|m|dl|rt|pthread|resolv)\\.so" { print $3 }' |
    xargs -r cp -n -L -t "$OUT/lib"
  patchelf --force-rpath --set-rpath "\$ORIGIN/lib" "$OUT/$name"
  if [ -d "$build/corpus/$name" ]; then (cd "$build/corpus/$name" && zip -q -r "$OUT/${name}_seed_corpus.zip" .); fi
done
# Libraries that libraries load look for theirs beside them.
for library in "$OUT"/lib/*; do patchelf --force-rpath --set-rpath "\$ORIGIN" "$library"; done
