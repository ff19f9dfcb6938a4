// The one file that is compiled with MPI: a library of its own, which mpi_group.cpp loads.

#include <mpi.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "cluster/mpi_calls.hpp"

namespace {

MPI_Comm everybody = MPI_COMM_NULL;
MPI_Request request = MPI_REQUEST_NULL;
std::vector<int> counts, places;  // of blocks; they have to stay until an exchange is done
std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version;

int begin(const void* mine, const int* blocks, void* all) {
  int place = 0, rank = 0;
  for (std::size_t r = 0; r < counts.size(); ++r) {
    counts[r] = blocks[r];
    places[r] = place;
    place += blocks[r];
  }
  MPI_Comm_rank(everybody, &rank);
  return MPI_Iallgatherv(mine, blocks[rank], MPI_INT64_T, all, counts.data(), places.data(), MPI_INT64_T, everybody,
                         &request);
}

int look(int* is_done) { return MPI_Test(&request, is_done, MPI_STATUS_IGNORE); }

void describe(int error, char* text, int room) {
  std::array<char, MPI_MAX_ERROR_STRING> words{};
  int length = 0;
  MPI_Error_string(error, words.data(), &length);
  const std::string message(words.data());
  text[message.copy(text, static_cast<std::size_t>(room) - 1)] = '\0';
}

void close() {
  MPI_Comm_free(&everybody);
  MPI_Finalize();
}

}  // namespace

int darboux_mpi_open_2(DarbouxMpi* mpi) {
  int provided = 0, length = 0;
  if (const int error = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided)) return error;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (const int error = MPI_Comm_dup(MPI_COMM_WORLD, &everybody)) return error;
  MPI_Comm_set_errhandler(everybody, MPI_ERRORS_RETURN);
  MPI_Comm_rank(everybody, &mpi->rank);
  MPI_Comm_size(everybody, &mpi->size);
  MPI_Get_library_version(version.data(), &length);
  *std::find_if(version.begin(), version.end(), [](char c) { return c == '\n' || c == ',' || c == '\0'; }) = '\0';
  std::replace(version.begin(), version.end(), '\t', ' ');
  mpi->version = version.data();
  mpi->is_serialized = provided >= MPI_THREAD_SERIALIZED ? 1 : 0;
  mpi->begin = begin;
  mpi->look = look;
  mpi->describe = describe;
  mpi->close = close;
  counts.resize(static_cast<std::size_t>(mpi->size));
  places.resize(counts.size());
  return 0;
}
