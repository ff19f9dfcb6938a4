#include <cstdio>
#include <darboux/core/error.hpp>
#include <darboux/linalg/skew_schur.hpp>
#include <darboux/version.hpp>

int main() {
  const darboux::Matrix turn{{0.0, 3.0}, {-3.0, 0.0}};
  std::printf("darboux %s, rate %g\n", darboux::version().data(), darboux::skew_schur(turn).rate.at(0));
  try {
    const darboux::Matrix ragged{{1.0, 2.0}, {3.0}};
  } catch (const darboux::InputError& error) {  // the same type inside and outside the library
    std::printf("refused: %s\n", error.what());
    return 0;
  }
  std::puts("a ragged matrix was accepted");
  return 1;
}
