# How everything in this project is compiled: language, warnings, sanitizers, compiler cache.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Kind of build" FORCE)
endif()

if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(DARBOUX_CCACHE ccache)
  if(DARBOUX_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${DARBOUX_CCACHE}")
  endif()
endif()

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # Overlaps and sizes in std::string's operator+ that are not there (GCC bug 105651). The latter are seen where headers are precompiled
  # alone, as the standard library then counts as code of ours.
  add_compile_options(-Wno-restrict -Wno-stringop-overflow)
endif()
if(DARBOUX_WERROR)
  add_compile_options(-Werror)
endif()

if(DARBOUX_SANITIZE)
  # The first finding ends the test: a report nobody reads would count as a pass.
  set(flags -fsanitize=${DARBOUX_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_compile_options(${flags})
  add_link_options(${flags})
endif()

# precompile(TARGET HEADER… | REUSE_FROM OTHER): what many files of a target include is parsed once. Not where there is a compiler
# cache, which does better, and which such headers would disturb; its builds also notice an include that is missing. Nor with GCC 12,
# which takes precompiled code of the standard library for ours, and warns of its bug 105651 there in words that are not turned off above.
function(precompile target)
  if(CMAKE_CXX_COMPILER_LAUNCHER OR (CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13))
    return()
  endif()
  if(ARGV1 STREQUAL REUSE_FROM)
    target_precompile_headers(${target} ${ARGN})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()
