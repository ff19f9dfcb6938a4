# Wheels that run on old systems, too: Zig is their compiler (scripts/dev/wheel.sh), with the headers of an old C library and the
# standard library of LLVM, linked in. CMake includes this after project().
#
# The headers of this system's C library must stay out: packages of headers beside it are seen through links, in a folder of their own.
list(APPEND CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES /usr/include)  # so that no package names it to the compiler
set(headers "${CMAKE_BINARY_DIR}/headers")
file(MAKE_DIRECTORY "${headers}")
foreach(name IN ITEMS boost fmt nlohmann Random123 toml++ zconf.h zlib.h)
  file(CREATE_LINK "/usr/include/${name}" "${headers}/${name}" SYMBOLIC)
endforeach()
include_directories(SYSTEM "${headers}")
add_compile_options(-include cstdio)  # nanobind needs it and does not include it

# Zig does not say where libraries of this system are, nor has it what __builtin_cpu_supports calls.
execute_process(COMMAND gcc -print-multiarch OUTPUT_VARIABLE CMAKE_LIBRARY_ARCHITECTURE
  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND gcc -print-libgcc-file-name OUTPUT_VARIABLE libgcc OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
link_libraries("${libgcc}")
set(ZLIB_USE_STATIC_LIBS ON)
