#include <cstdio>
#include <darboux/core/error.hpp>
#include <darboux/structure/recipes.hpp>
#include <darboux/version.hpp>

int main() {
  const auto spectrum = darboux::make_structure(darboux::Recipe::coupled, 3).spectrum();
  std::printf("darboux %s: a coupled structure turns at rates from %g to %g\n", darboux::version().data(),
              spectrum.smallest, spectrum.largest);
  try {
    const auto structure = darboux::PoissonStructure::from_poisson_matrix({{0.0, 1.0}, {1.0, 0.0}});
  } catch (const darboux::StructureError& error) {  // the same type inside and outside the library
    std::printf("refused: %s\n", error.what());
    return 0;
  }
  std::puts("a symmetric matrix was accepted as a structure");
  return 1;
}
