#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <darboux/structure/recipes.hpp>
#include <darboux/version.hpp>
#include <nlohmann/json.hpp>

#include "beyond.hpp"
#include "figures.hpp"
#include "fixed_run.hpp"
#include "linalg/dense.hpp"
#include "structure/darboux_basis.hpp"

namespace darboux::experiments {

namespace {

constexpr std::array<Index, 6> dimensions{2, 5, 10, 20, 40, 60};
constexpr std::uint64_t structures = 5;

/// The longest column over the shortest.
double range_of_norms(const Matrix& m) {
  double least = INFINITY, most = 0.0;
  for (Index j = 0; j < m.cols(); ++j) {
    const double norm = frobenius_norm(m.block(0, j, m.rows(), 1));
    least = std::min(least, norm);
    most = std::max(most, norm);
  }
  return most / least;
}

Tables run_cell(Index n, std::uint64_t seed, std::uint64_t count) {
  Tables tables;
  for (std::uint64_t s = 0; s < count; ++s) {
    const std::uint64_t own = 1000 * seed + 2 * s;
    const auto structure = PoissonStructure::from_blocks(random_skew(n, Divisor{2.0}, own), Matrix::identity(n),
                                                         random_skew(n, Divisor{2.0}, own + 1));
    const DarbouxBasis schur = schur_basis(structure);
    const DarbouxBasis gram_schmidt = experiment_basis(structure, BasisMethod::gram_schmidt, own);
    append_row(tables["bases"], {{"n", n},
                                 {"structure", s + 1},
                                 {"least_norm", std::sqrt(nuclear_norm(structure.matrix()))},
                                 {"schur_norm", frobenius_norm(schur.B)},
                                 {"gram_schmidt_norm", frobenius_norm(gram_schmidt.B)},
                                 {"gram_schmidt_range", range_of_norms(gram_schmidt.B)},
                                 {"schur_residual", residual(schur, structure)},
                                 {"gram_schmidt_residual", residual(gram_schmidt, structure)}});
  }
  return tables;
}

double typical(const Table& bases, std::string_view column, Index n) {
  return median(numbers_where(bases, column, {{"n", n}}));
}

Figure norm_figure(const Table& bases) {
  Table data;
  for (const Index n : dimensions)
    for (const auto& [column, label] :
         {std::pair("schur_norm", "Schur"), std::pair("gram_schmidt_norm", "Gram-Schmidt, best of ten")})
      append_row(data, {{"n", n}, {"basis", label}, {"norm", typical(bases, column, n)}});
  using Json = nlohmann::ordered_json;
  const Json spec{{"mark", {{"type", "line"}, {"point", true}, {"tooltip", true}}},
                  {"encoding",
                   {{"x", {{"field", "n"}, {"type", "quantitative"}, {"title", "dimension n (number)"}}},
                    {"y",
                     {{"field", "norm"},
                      {"type", "quantitative"},
                      {"title", "Frobenius norm of B (1)"},
                      {"scale", {{"type", "log"}}}}},
                    {"color", {{"field", "basis"}, {"type", "nominal"}, {"sort", nullptr}, {"title", nullptr}}}}}};
  return {.title = fmt::format("At n = 60 Gram-Schmidt's basis is {:.0f} times as long as the shortest",
                               typical(bases, "gram_schmidt_norm", 60) / typical(bases, "schur_norm", 60)),
          .caption = "Medians over random structures with A = I, k = 2. No Darboux basis is shorter than Schur's.",
          .spec = spec.dump(),
          .height = 280,
          .data = std::move(data)};
}

Findings reduce(const Tables& tables) {
  const Table& bases = tables.at("bases");
  ReportTable table{.columns = {{.title = "n"},
                                {.title = "least possible norm"},
                                {.title = "Schur"},
                                {.title = "Gram-Schmidt, best of ten"},
                                {.title = "residual, Schur", .dispensable = 1},
                                {.title = "residual, Gram-Schmidt", .dispensable = 1}}};
  for (const Index n : dimensions)
    table.rows.push_back({TableCell(static_cast<double>(n), fmt::format("{}", n)),
                          cell_of(typical(bases, "least_norm", n)), cell_of(typical(bases, "schur_norm", n)),
                          cell_of(typical(bases, "gram_schmidt_norm", n)), cell_of(typical(bases, "schur_residual", n)),
                          cell_of(typical(bases, "gram_schmidt_residual", n))});
  const double ratio = typical(bases, "gram_schmidt_norm", 60) / typical(bases, "schur_norm", 60);
  const double range = typical(bases, "gram_schmidt_range", 60);
  const double excess = typical(bases, "schur_norm", 60) / typical(bases, "least_norm", 60) - 1.0;
  Findings found;
  found.claims = {{"section on the change of basis",
                   "vectors of a symplectic Gram-Schmidt basis can have a large range of norms",
                   verdict_of(range > 10.0),
                   fmt::format("In dimension 60 the longest of the best of ten bases is {:.0f} times the shortest, and "
                               "its Frobenius norm {:.0f} times the "
                               "least possible",
                               range, ratio)}};
  found.sections = {
      {.id = "bases",
       .name = "Bases",
       .title = fmt::format(
           "The Schur basis is within {:.0e} of the least norm; Gram-Schmidt's is {:.0f} times longer at n = 60",
           std::max(excess, 1e-16), ratio),
       .text = {"For every Darboux basis ‖B‖² is at least the nuclear norm of 𝔹, which the basis of the real Schur "
                "form attains in "
                "theory, without restarts."},
       .contrasts = contrasts_of(found.claims),
       .table = std::move(table),
       .figures = {norm_figure(bases)}}};
  return found;
}

}  // namespace

Experiment basis_part(const Scale& scale) {
  Experiment part{.name = "bases", .title = "Norms of bases", .cells = {}, .reduce = reduce};
  for (const Index n : dimensions)
    part.cells.push_back(
        {.key = fmt::format("beyond/basis-{}", n),
         .settings =
             {{"version", version()}, {"n", n}, {"structures", structures}, {"restarts", 10}, {"seed", scale.seed}},
         .cost = 1e-3 * static_cast<double>(n),
         .compute = [=, seed = scale.seed](const std::atomic<bool>&) { return run_cell(n, seed, structures); }});
  return part;
}

}  // namespace darboux::experiments
