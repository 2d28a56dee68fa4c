# Installs the program, its manual pages and completions, the documentation, and the library. Included by
# src/CMakeLists.txt, whose targets and sources it uses.

# Manual pages and completions: the program writes them from the tables of its --help.
set(command_sources ${shardmill_sources})
list(FILTER command_sources INCLUDE REGEX "^cli/commands/.*_command\\.cpp$")
set(written_folder ${CMAKE_CURRENT_BINARY_DIR}/written)
file(MAKE_DIRECTORY ${written_folder})
function(written_by_program file)
  add_custom_command(OUTPUT ${written_folder}/${file}
    COMMAND shardmill_cli ${ARGN} > ${written_folder}/${file} DEPENDS shardmill_cli)
  set_property(TARGET shardmill_written APPEND PROPERTY SOURCES ${written_folder}/${file})
endfunction()
add_custom_target(shardmill_written ALL)
written_by_program(shardmill.1 --man)
foreach(source IN LISTS command_sources)
  get_filename_component(name ${source} NAME)
  string(REPLACE "_command.cpp" "" name ${name})
  written_by_program(shardmill-${name}.1 --man ${name})
endforeach()
written_by_program(shardmill --completion bash)
written_by_program(_shardmill --completion zsh)
written_by_program(shardmill.fish --completion fish)

# The manual of the script for Slurm is the comment at its head.
set(slurm_script ${PROJECT_SOURCE_DIR}/scripts/slurm_repack)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${slurm_script})
file(READ ${slurm_script} slurm_manual)
string(REGEX REPLACE "^#![^\n]*\n(.*)\nset -euo.*$" "\\1" slurm_manual "${slurm_manual}")
string(REGEX REPLACE "(^|\n)# ?" "\\1" slurm_manual "${slurm_manual}")
string(REPLACE slurm_repack shardmill-slurm slurm_manual "${slurm_manual}")
string(REPLACE - "\\-" slurm_manual "${slurm_manual}")
file(GENERATE OUTPUT ${written_folder}/shardmill-slurm.1 CONTENT
".TH SHARDMILL-SLURM 1 \"\" \"shardmill ${PROJECT_VERSION}\" \"User Commands\"
.SH NAME
shardmill\\-slurm \\- repacks speech shards on a Slurm cluster
.SH DESCRIPTION
.nf
${slurm_manual}
.fi
.SH SEE ALSO
shardmill\\-repack(1), sbatch(1)
")

set(SHARDMILL_ZSH_FOLDER share/zsh/site-functions CACHE STRING "Where the completion for zsh is installed")
install(TARGETS shardmill_cli COMPONENT program)
install(PROGRAMS ${slurm_script} RENAME shardmill-slurm DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
install(DIRECTORY ${written_folder}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program
  FILES_MATCHING PATTERN "*.1")
install(FILES ${written_folder}/shardmill DESTINATION share/bash-completion/completions COMPONENT program)
install(FILES ${written_folder}/_shardmill DESTINATION ${SHARDMILL_ZSH_FOLDER} COMPONENT program)
install(FILES ${written_folder}/shardmill.fish DESTINATION share/fish/vendor_completions.d COMPONENT program)
# The pages, with the paths that their links use, and the example that they use.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documentation)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/README.zh-CN.md ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md
  ${PROJECT_SOURCE_DIR}/SECURITY.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documentation)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/data/example DESTINATION ${CMAKE_INSTALL_DOCDIR}/data
  COMPONENT documentation USE_SOURCE_PERMISSIONS)

# The library for find_package(shardmill), with the headers of the public API.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)
install(TARGETS shardmill EXPORT shardmill_targets)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/shardmill DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/shardmill)
install(EXPORT shardmill_targets NAMESPACE shardmill:: FILE shardmillTargets.cmake DESTINATION ${package_folder})
configure_package_config_file(${PROJECT_SOURCE_DIR}/packaging/shardmillConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/shardmillConfig.cmake
  INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/shardmillConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES dependencies.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/shardmillConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/shardmillConfigVersion.cmake
  DESTINATION ${package_folder})
