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

# Sets `objects` to the object files of all of them.
function(add_simd_objects objects)
  foreach(kind IN LISTS simd_kinds)
    set(library darboux_${kind})
    add_library(${library} OBJECT ${ARGN})
    target_compile_definitions(${library} PRIVATE DARBOUX_TARGET=${kind})
    target_compile_options(${library} PRIVATE ${simd_flags_${kind}} -ffp-contract=off -Wno-psabi)
    target_include_directories(${library} PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
    set_target_properties(${library} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden)
    list(APPEND all $<TARGET_OBJECTS:${library}>)
  endforeach()
  set(${objects} ${all} PARENT_SCOPE)
endfunction()
