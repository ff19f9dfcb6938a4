# Kernels in *.simd.cpp are compiled once for each kind of processor, each time in a namespace of its name; the program
# chooses when it runs (src/core/dispatch.hpp). Sums and products are fused only where the code says so: all compilers then
# round alike.

set(simd_flags_baseline)
set(simd_flags_avx2 -mavx2 -mfma)
set(simd_flags_avx512 -mavx512f -mavx512bw -mavx512cd -mavx512dq -mavx512vl -mavx2 -mfma)
set(simd_kinds baseline)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|amd64|AMD64")
  list(APPEND simd_kinds avx2 avx512)
endif()

function(target_simd_sources target)
  foreach(kind IN LISTS simd_kinds)
    set(objects ${target}_${kind})
    add_library(${objects} OBJECT ${ARGN})
    target_compile_definitions(${objects} PRIVATE DARBOUX_TARGET=${kind})
    target_compile_options(${objects} PRIVATE ${simd_flags_${kind}} -ffp-contract=off -Wno-psabi)
    target_include_directories(${objects} PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
    set_target_properties(${objects} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
  endforeach()
endfunction()
