#pragma once

// Bayesian logistic regression on a matrix of features.

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "darboux/core/export.hpp"
#include "darboux/linalg/matrix.hpp"
#include "darboux/model/model.hpp"

namespace darboux {

struct LogisticOptions {
  bool intercept = true;                    ///< put a column of ones before the features
  double prior_scale = 1.0;                 ///< s: every coefficient is N(0, s²) a priori
  std::optional<double> prior_intercept{};  ///< s of the intercept; prior_scale when absent
  std::vector<std::string> names{};         ///< of the features; beta[1], beta[2], … when empty
};

/// Bayesian logistic regression of y_i ∈ {0, 1} on the rows x_i of a design matrix:
///     log density = −Σ_i log(1 + exp(−t_i x_iβ)) − ½ Σ_j β_j²/s_j²,   t_i = 2 y_i − 1,
///     gradient_j  =  Σ_i t_i x_ij / (1 + exp(t_i x_iβ)) − β_j/s_j².
/// Each term is computed from exp(−|x_iβ|), so that it neither overflows nor cancels.
class DARBOUX_API LogisticRegression final : public Model {
 public:
  using Options = LogisticOptions;

  /// Throws InputError for sizes that do not match, entries that are not finite, and labels other than 0 and 1.
  LogisticRegression(const Matrix& features, std::vector<double> y, const Options& options = {});

  /// The features, after the column of ones if there is an intercept: n × dim. A copy.
  [[nodiscard]] Matrix design() const { return design(0, data_->rows); }
  /// Some of its rows.
  [[nodiscard]] Matrix design(Index first, Index rows) const;
  /// 2y − 1 for every row.
  [[nodiscard]] std::vector<double> signs() const;
  /// 1/s_j² of every coefficient.
  [[nodiscard]] const std::vector<double>& prior_precisions() const noexcept { return data_->prior_precisions; }

  /// XᵀWX + diag(1/s_j²) with W = diag(σ(x_iβ)(1 − σ(x_iβ))): the negative Hessian of the log density.
  [[nodiscard]] Matrix fisher_information(std::span<const double> beta) const;
  /// The maximum of the log density, by Newton's method with step halving from β = 0. Throws Error where it is not
  /// reached.
  [[nodiscard]] std::vector<double> mode(int most_steps = 100) const;

  [[nodiscard]] Index dim() const noexcept override { return data_->columns; }
  [[nodiscard]] ModelTraits traits() const noexcept override;
  [[nodiscard]] std::vector<std::string> names() const override { return names_; }
  [[nodiscard]] bool draw_prior(const RandomKey& key, std::span<double> q) const override;
  [[nodiscard]] std::unique_ptr<Evaluator> make_evaluator() const override;
  /// Rows are observations: log p(y_i | β) = log σ(s_i x_iβ). Their sum and −½ Σ_j β_j²/s_j² are the log density, with no other constant.
  [[nodiscard]] std::unique_ptr<Observations> make_observations() const override;

  struct Data;
  /// The design in single precision, made when it is first asked for.
  class SinglePrecision {
   public:
    [[nodiscard]] const std::vector<float, CacheLineAllocator<float>>& panels(const Data& data);

   private:
    std::once_flag once_;
    std::vector<float, CacheLineAllocator<float>> panels_;
  };

  /// What evaluators read; they share it rather than copy it. The design is stored once, in the order in which kernels go
  /// through it (logistic_kernel.hpp).
  struct Data {
    Index rows, columns;
    std::vector<double, CacheLineAllocator<double>> panels, signs;
    std::vector<double> prior_precisions;
    std::unique_ptr<SinglePrecision> single;
  };

 private:
  std::shared_ptr<const Data> data_;
  std::vector<std::string> names_;
};

}  // namespace darboux
