#include "family.hpp"

#include <darboux/structure/recipes.hpp>
#include <tuple>
#include <utility>

namespace darboux::proofs {

namespace {

using enum IntegratorKind;
using enum Recipe;

/// What members of a family have in common.
struct Base {
  std::string label;
  Method method;
  Recipe recipe;
  bool exact = true;
};

/// Strong enough for a wrong direction to show; copies of phase space need finer steps where it is strong.
PoissonStructure structure_of(Recipe recipe, IntegratorKind kind, Index dim) {
  const bool copies = kind == doubled || kind == explicit_copies;
  return make_structure(recipe, dim, {.size = SpectralStrength{copies ? 0.8 : 1.5}, .seed = 3, .A = {}});
}

class Bases {
 public:
  explicit Bases(Index dim) : dim_(dim) {}

  template <class... Changes>
  void add(const std::string& label, IntegratorKind kind, Recipe recipe, const Changes&... changes) {
    Base base{.label = label, .method = {.structure = structure_of(recipe, kind, dim_)}, .recipe = recipe};
    base.method.kind = kind;
    base.method.integrator.solver.max_iterations = 30;
    if (kind == doubled) {
      base.method.copy_spread = 0.4;  // wide copies and coarse steps: their energy must count
      base.method.integrator.copies.binding = BindingAngle{0.5};
    }
    (changes(base.method), ...);
    all_.push_back(std::move(base));
  }
  void approximate_from(std::size_t first) {
    for (std::size_t i = first; i < all_.size(); ++i) all_[i].exact = false;
  }
  [[nodiscard]] const std::vector<Base>& all() const { return all_; }

 private:
  Index dim_;
  std::vector<Base> all_;
};

auto stages(int count) {
  return [=](Method& m) { m.integrator.stages = count; };
}
void fourth_order(Method& m) {
  m.integrator.order = 4;
  if (m.kind == doubled) m.integrator.copies.binding = BindingStrength{0.5};
}
void microcanonical(Method& m) { m.integrator.motion = MotionKind::microcanonical; }
void paper_order(Method& m) { m.integrator.copies.sequence = CopySequence::paper; }
void strength(Method& m) { m.integrator.copies.binding = BindingStrength{1.0}; }
void unchecked(Method& m) { m.kernel.reverse_check_rate = 0.0; }
void fixed_point(Method& m) { m.integrator.solver.method = SolverMethod::fixed_point; }
void in_single(Method& m) { m.precision = GradientPrecision::single; }
void in_mixed(Method& m) { m.precision = GradientPrecision::mixed; }

/// As a preconditioner of low rank stays after warm-up.
void low_rank(Method& m) {
  const auto n = static_cast<std::size_t>(m.structure.dim());
  std::vector<double> after(n, 1.0);
  after[0] = 0.9, after[1] = 0.5;
  Matrix direction(1, m.structure.dim());
  direction(0, 0) = 0.6, direction(0, 1) = 0.8;
  m.preconditioner = StructuredMatrix::from(LowRankMatrix(
      {.after = after, .directions = direction, .stretches = {1.5}, .before = std::vector<double>(n, 1.0)}));
}

/// In coordinates that are bent, some of them the wrong way.
void bent(Method& m) {
  for (Index i = 0; i < m.structure.dim(); ++i)
    m.shapes.push_back(i % 2 == 0 ? MarginalShape{-0.3, 1.2, -0.5, 1.1} : MarginalShape{0.2, 0.9, 0.6, 0.8});
}

void add_explicit_integrators(Bases& bases) {
  bases.add("leapfrog", leapfrog, canonical);
  bases.add("leapfrog, two stages", leapfrog, canonical, stages(2));
  bases.add("leapfrog, three stages", leapfrog, canonical, stages(3));
  bases.add("leapfrog, order 4", leapfrog, canonical, fourth_order);
  bases.add("microcanonical", leapfrog, canonical, microcanonical);
  bases.add("microcanonical, two stages", leapfrog, canonical, microcanonical, stages(2));
  bases.add("microcanonical, three stages", leapfrog, canonical, microcanonical, stages(3));
  bases.add("magnetic-leapfrog", magnetic_leapfrog, canonical);
  bases.add("magnetic-leapfrog", magnetic_leapfrog, magnetic_position);
  bases.add("magnetic-leapfrog, two stages", magnetic_leapfrog, magnetic_position, stages(2));
  bases.add("magnetic-leapfrog, three stages", magnetic_leapfrog, magnetic_position, stages(3));
  bases.add("magnetic-leapfrog, order 4", magnetic_leapfrog, magnetic_position, fourth_order);
}

void add_implicit_integrators(Bases& bases) {
  for (const Recipe recipe : all_values<Recipe>()) bases.add("midpoint", midpoint, recipe);
  bases.add("midpoint, fixed point", midpoint, coupled, fixed_point);
  bases.add("midpoint, order 4", midpoint, coupled, fourth_order);
  for (const Recipe recipe : all_values<Recipe>()) bases.add("split-midpoint", split_midpoint, recipe);
  bases.add("split-midpoint, two stages", split_midpoint, coupled, stages(2));
  bases.add("split-midpoint, three stages", split_midpoint, coupled, stages(3));
  bases.add("split-midpoint, order 4", split_midpoint, coupled, fourth_order);
}

void add_integrators_on_copies(Bases& bases) {
  for (const Recipe recipe : all_values<Recipe>()) bases.add("doubled", doubled, recipe);
  bases.add("doubled, binding by strength", doubled, coupled, strength);
  bases.add("doubled, the paper's order", doubled, coupled, paper_order);
  bases.add("doubled, order 4", doubled, coupled, fourth_order);
}

void add_other_coordinates(Bases& bases) {
  for (const auto& [label, kind, recipe] : {std::tuple{"leapfrog", leapfrog, canonical},
                                            {"magnetic-leapfrog", magnetic_leapfrog, magnetic_position},
                                            {"midpoint", midpoint, coupled},
                                            {"split-midpoint", split_midpoint, coupled},
                                            {"doubled", doubled, coupled}}) {
    bases.add(std::string(label) + ", low-rank preconditioner", kind, recipe, low_rank);
    bases.add(std::string(label) + ", bent coordinates", kind, recipe, bent);
  }
  for (const int count : {2, 3})
    bases.add(count == 2 ? "leapfrog, two stages, bent coordinates" : "leapfrog, three stages, bent coordinates",
              leapfrog, canonical, stages(count), bent);
  bases.add("microcanonical, low-rank preconditioner", leapfrog, canonical, microcanonical, low_rank);
  bases.add("microcanonical, bent coordinates", leapfrog, canonical, microcanonical, bent);
}

void add_lower_precision(Bases& bases) {
  const std::string single = ", single precision", mixed = ", mixed precision";
  bases.add("leapfrog" + single, leapfrog, canonical, in_single);
  bases.add("leapfrog, three stages" + single, leapfrog, canonical, stages(3), in_single);
  bases.add("leapfrog, order 4" + single, leapfrog, canonical, fourth_order, in_single);
  bases.add("microcanonical, two stages" + single, leapfrog, canonical, microcanonical, stages(2), in_single);
  bases.add("magnetic-leapfrog" + single, magnetic_leapfrog, magnetic_position, in_single);
  bases.add("split-midpoint" + single, split_midpoint, magnetic_position, in_single);
  bases.add("doubled" + single, doubled, coupled, in_single);
  bases.add("midpoint" + mixed, midpoint, coupled, in_mixed);
  bases.add("split-midpoint" + mixed, split_midpoint, coupled, in_mixed);
}

void add_approximate(Bases& bases) {
  const std::size_t first = bases.all().size();
  bases.add("explicit", explicit_copies, magnetic_momentum);
  bases.add("explicit", explicit_copies, coupled);
  bases.add("explicit, the paper's order", explicit_copies, coupled, paper_order);
  bases.add("midpoint, unchecked", midpoint, coupled, unchecked);
  bases.add("split-midpoint, unchecked", split_midpoint, coupled, unchecked);
  bases.approximate_from(first);
}

/// The trajectory rules that an integrator takes. `chees` moves chains as `jittered` does, once warm-up has found its length.
std::vector<std::pair<std::string, Length>> rules_of(const Method& m) {
  const IntegratorTraits traits = Integrator(m.kind, m.structure, m.integrator).traits();
  std::vector<std::pair<std::string, Length>> rules{{"fixed", Length::fixed}, {"steps vary", Length::numbers}};
  if (traits.takes_any_step_size) rules.emplace_back("step sizes vary", Length::sizes);
  const bool takes_trees = !traits.doubled_space && m.integrator.motion == MotionKind::hamiltonian;
  const bool in_range = m.precision != GradientPrecision::single && m.kernel.reverse_check_rate == 1.0;
  if (takes_trees && in_range) rules.emplace_back("nuts", Length::nuts);
  return rules;
}

/// NUTS goes both ways in time anyhow: it has no directions.
std::vector<Method> members_of(Method m) {
  std::vector<Method> members;
  for (const double kept : {0.0, 0.7, 1.0})
    for (const DirectionMode direction : all_values<DirectionMode>()) {
      if (m.length == Length::nuts && direction != DirectionMode::persistent) continue;
      m.kernel.momentum_kept = kept;
      m.kernel.direction = direction;
      m.label = kept == 0.0 ? "full" : kept == 1.0 ? "no" : "partial";
      m.label += " refreshment";
      if (m.length != Length::nuts) m.label += ", " + std::string(name(direction)) + " direction";
      members.push_back(m);
    }
  return members;
}

}  // namespace

std::string Family::key() const {
  std::string key;
  for (const char c : integrator + '/' + structure + '-' + rule)
    if (c != ',' && c != '\'') key += c == ' ' ? '-' : c;
  return key;
}

std::vector<Family> families(const KnownLaw& law) {
  Bases bases(law.dim());
  add_explicit_integrators(bases);
  add_implicit_integrators(bases);
  add_integrators_on_copies(bases);
  add_other_coordinates(bases);
  if (law.model->traits().single_precision_gradients) add_lower_precision(bases);
  add_approximate(bases);
  std::vector<Family> all;
  for (const Base& base : bases.all())
    for (const auto& [label, length] : rules_of(base.method)) {
      Method m = base.method;
      m.length = length;
      all.push_back({.integrator = base.label,
                     .structure = std::string(name(base.recipe)),
                     .rule = label,
                     .exact = base.exact,
                     .members = members_of(m)});
    }
  return all;
}

}  // namespace darboux::proofs
