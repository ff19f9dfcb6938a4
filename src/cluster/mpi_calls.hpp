#pragma once

/// What libdarboux_mpi has for the program, which does not know MPI: plain functions, because that library is loaded only where a
/// launcher started several processes. (Linked with MPI, every start of the program would take several times as long.)
extern "C" {
struct DarbouxMpi {
  int rank;
  int size;
  const char* version;  ///< of the MPI that the library was compiled with
  int is_serialized;    ///< whether any thread may call, one at a time: MPI_THREAD_SERIALIZED or more
  /// Both return 0 or an error of MPI: begins to give blocks of eight bytes to everybody, blocks[r] of them by rank r; and looks
  /// whether that is done. One at a time.
  int (*begin)(const void* mine, const int* blocks, void* all);
  int (*look)(int* is_done);
  void (*describe)(int error, char* text, int room);
  void (*close)();
};
/// Starts MPI. Returns 0, or an error of MPI.
int darboux_mpi_open_2(DarbouxMpi* mpi);
}
