#include "model/separation.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "checks.hpp"
#include "darboux/core/error.hpp"

namespace darboux {

namespace {

constexpr double tolerance = 0.01;  // rows that go back by less than this share of the furthest way do not count

/// t_i x_iβ, row by row.
std::vector<double> margins(const Matrix& x, std::span<const double> signs, std::span<const double> beta) {
  std::vector<double> out(signs.size());
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < x.cols(); ++j) out[at(i)] += signs[at(i)] * x(i, j) * beta[at(j)];
  return out;
}

/// The further out a prior lets the mode along β, the further it goes. So the way from the mode under N(0, 30²) to that under N(0, 300²)
/// is looked at, which separated rows go by 2 log 10 or so, and which nothing else does. Where no row is told with confidence under
/// the wide prior, there is nothing to look for.
std::optional<std::vector<double>> separating_way(const Matrix& x, std::span<const double> signs) {
  constexpr double narrow = 30.0, wide = 300.0, least_logit = 4.0, least_way = 1.0;
  std::vector<double> y;
  for (const double sign : signs) y.push_back(sign > 0.0 ? 1.0 : 0.0);
  std::vector<double> way;
  try {
    way = LogisticRegression(x, y, {.intercept = false, .prior_scale = wide}).mode();
    if (std::ranges::max(margins(x, signs, way)) < least_logit) return std::nullopt;
    const std::vector<double> from = LogisticRegression(x, y, {.intercept = false, .prior_scale = narrow}).mode();
    for (std::size_t j = 0; j < way.size(); ++j) way[j] -= from[j];
  } catch (const Error&) {
    return std::nullopt;
  }
  const auto [least, most] = std::ranges::minmax(margins(x, signs, way));
  if (most < least_way || least < -tolerance * most) return std::nullopt;
  return way;
}

class Search {
 public:
  Search(const LogisticRegression& model, Index few)
      : model_(model), signs_(model.signs()), few_(few), is_looked_at_(signs_.size()) {
    for (Index k = 0; k < few; ++k) look_at(k * std::ssize(signs_) / few);
  }

  /// A way that goes back in no row by more than may be is tried to be bettered twice, by rows that it goes back in at all.
  std::optional<Separation> find() {
    constexpr int most_rounds = 8, most_refinements = 2;
    std::optional<Separation> found;
    for (int round = 0, refinements = 0; round < most_rounds; ++round) {
      auto way = way_of_rows();
      if (!way) return std::nullopt;
      const std::vector<double> gone = margins_of_all(*way);
      const double limit = -tolerance * std::ranges::max(gone);
      const bool is_of_all = std::ranges::min(gone) >= limit;
      found = {.way = *std::move(way), .rows = rows_told(gone), .is_of_all = is_of_all};
      const bool grows = add_rows_below(is_of_all ? 0.0 : limit, gone);
      if (is_of_all && (!grows || refinements++ == most_refinements)) break;
    }
    return found;
  }

 private:
  [[nodiscard]] std::optional<std::vector<double>> way_of_rows() const {
    Matrix x(std::ssize(rows_), model_.dim());
    std::vector<double> signs;
    for (Index k = 0; k < x.rows(); ++k) {
      x.set_block(k, 0, model_.design(rows_[at(k)], 1));
      signs.push_back(signs_[at(rows_[at(k)])]);
    }
    return separating_way(x, signs);
  }

  [[nodiscard]] std::vector<double> margins_of_all(std::span<const double> way) const {
    std::vector<double> out;
    for_each_block_of_rows(model_, [&](Index first, const Matrix& x) {
      const auto more = margins(x, std::span(signs_).subspan(at(first), at(x.rows())), way);
      out.insert(out.end(), more.begin(), more.end());
    });
    return out;
  }

  /// Where all go forward, however little, the way itself separates them.
  [[nodiscard]] static Index rows_told(const std::vector<double>& gone) {
    const auto [least, most] = std::ranges::minmax(gone);
    const double some = least > 0.0 ? 0.0 : tolerance * most;
    return std::ranges::count_if(gone, [&](double m) { return m > some; });
  }

  void look_at(Index row) {
    rows_.push_back(row);
    is_looked_at_[at(row)] = 1;
  }

  /// The worst of those that are not looked at yet. Whether there were any.
  bool add_rows_below(double limit, const std::vector<double>& gone) {
    std::vector<Index> back;
    for (Index i = 0; i < std::ssize(gone); ++i)
      if (gone[at(i)] < limit && is_looked_at_[at(i)] == 0) back.push_back(i);
    if (std::ssize(back) > few_) {
      std::ranges::nth_element(back, back.begin() + few_, {}, [&](Index i) { return gone[at(i)]; });
      back.resize(at(few_));
    }
    for (const Index row : back) look_at(row);
    return !back.empty();
  }

  const LogisticRegression& model_;
  std::vector<double> signs_;
  Index few_;
  std::vector<Index> rows_;  // that are looked at
  std::vector<char> is_looked_at_;
};

}  // namespace

void for_each_block_of_rows(const LogisticRegression& model, const std::function<void(Index, const Matrix&)>& visit) {
  constexpr Index most = 1024;
  const Index all = std::ssize(model.signs());
  for (Index first = 0; first < all; first += most) visit(first, model.design(first, std::min(most, all - first)));
}

std::optional<Separation> find_separation(const LogisticRegression& model, Index few) {
  return Search(model, few).find();
}

}  // namespace darboux
