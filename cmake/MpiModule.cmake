# libdarboux_mpi.so, which the program loads when mpirun or srun starts several processes of it: MPI is linked with nothing else.

include(GNUInstallDirs)
find_package(MPI COMPONENTS CXX)
if(NOT MPI_CXX_FOUND)
  message(FATAL_ERROR "DARBOUX_MPI=ON, but there is no MPI here: install one (on Debian libopenmpi-dev and openmpi-bin, or libmpich-dev and "
    "mpich), or leave the option out")
endif()
add_library(darboux_mpi MODULE "${PROJECT_SOURCE_DIR}/src/cluster/mpi_module.cpp")
target_compile_features(darboux_mpi PRIVATE cxx_std_20)
target_include_directories(darboux_mpi PRIVATE "${PROJECT_SOURCE_DIR}/src")
target_compile_definitions(darboux_mpi PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)  # C++ bindings of MPI, which nobody uses
target_link_libraries(darboux_mpi PRIVATE MPI::MPI_CXX)
target_link_options(darboux_mpi PRIVATE LINKER:--as-needed)
install(TARGETS darboux_mpi LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/darboux")
