/// Models of the library with one thread and with more.

#include <cstdlib>
#include <vector>

#include "made_up_regression.hpp"
#include "model/fitzhugh_nagumo.hpp"
#include "model/gaussian.hpp"
#include "threads.hpp"

/// threads_bench [THREADS [ROUNDS]]
int main(int argc, char** argv) {
  using namespace darboux;
  const auto number = [&](int place, int otherwise) {
    const int given = place < argc ? std::atoi(argv[place]) : 0;
    return given > 0 ? given : otherwise;
  };
  const int threads = number(1, 2), rounds = number(2, 15);
  const auto regression = [](Index rows, Index columns) {
    return std::make_shared<LogisticRegression>(bench::made_up_regression(rows, columns));
  };
  const std::vector<bench::ThreadedRun> runs{
      {.name = "logistic 1000 x 21", .model = regression(1000, 21), .iterations_of_four = 1000},
      {.name = "logistic 10000 x 50", .model = regression(10000, 50), .iterations_of_four = 400},
      {.name = "FitzHugh-Nagumo", .model = std::make_shared<FitzHughNagumo>(), .iterations_of_four = 1000},
      {.name = "Gaussian, dimension 2",
       .model = std::make_shared<Gaussian>(Gaussian::standard(2)),
       .iterations_of_four = 1000}};
  for (const Index chains : {64, 4})
    for (const bench::ThreadedRun& run : runs) bench::measure_threads(run, chains, threads, rounds);
}
