# Debian packages by CPack: the program, and the files for building with the library. See scripts/package.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME shardmill)
# Whoever makes the package answers for it: Debian's tools read the same two variables.
set(packager "The shardmill developers")
if(DEFINED ENV{DEBFULLNAME})
  set(packager "$ENV{DEBFULLNAME}")
endif()
set(packager_address shardmill@localhost)
if(DEFINED ENV{DEBEMAIL})
  set(packager_address "$ENV{DEBEMAIL}")
endif()
set(CPACK_PACKAGE_CONTACT "${packager} <${packager_address}>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL program development documentation)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME shardmill)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION sound)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
  "Repacks speech datasets out of slow, uneven tar shards into balanced ones,
with manifests, so that every rank gets the same amount of audio.")

set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "slurm-client, shardmill-doc")

set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_NAME shardmill-doc)
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_ARCHITECTURE all)
set(CPACK_COMPONENT_DOCUMENTATION_DESCRIPTION
  "The guides of shardmill: corpora, loaders, clusters, training, formats on disk
and the libraries for C++ and Python.")

# The library is static: whoever links it needs what dependencies.cmake looks for.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libshardmill-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
string(CONCAT CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "pkg-config, libarchive-dev, libboost-program-options-dev, libbz2-dev, libcurl4-openssl-dev, libflac-dev, libfmt-dev, libisal-dev, liblz4-dev, liblzma-dev, libsimdjson-dev, "
  "libsndfile1-dev, libsoxr-dev, libsqlite3-dev, libssl-dev, libtbb-dev, libxxhash-dev, libzstd-dev, zlib1g-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
  "Headers, static library and CMake configuration for find_package(shardmill).")

# What Debian wants to find in every package, made while it is put together.
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/debian_files.cmake)
include(CPack)
