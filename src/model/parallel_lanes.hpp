#pragma once

#include "darboux/model/model.hpp"

namespace darboux {

/// A model whose evaluators ask about several points at once, on threads of their own, where every point is a call of its own
/// anyway and the model allows it. For what happens before there are blocks of chains: looking for starts. The answers are the
/// same to the last bit.
class ParallelLanes final : public Model {
 public:
  /// The inner model must outlive it.
  ParallelLanes(const Model& inner, int threads);

  [[nodiscard]] Index dim() const noexcept override { return inner_.dim(); }
  [[nodiscard]] ModelTraits traits() const noexcept override { return inner_.traits(); }
  [[nodiscard]] std::vector<ModelFact> describe() const override { return inner_.describe(); }
  [[nodiscard]] std::optional<NamedAxis> named_axis() const override { return inner_.named_axis(); }
  [[nodiscard]] std::vector<ModelData> kept_data() const override { return inner_.kept_data(); }
  [[nodiscard]] std::vector<std::string> remarks() const override { return inner_.remarks(); }
  [[nodiscard]] std::vector<std::string> names() const override { return inner_.names(); }
  [[nodiscard]] Index natural_size() const override { return inner_.natural_size(); }
  void constrain(std::span<const double> q, const DrawKey& key, std::span<double> out) const override {
    inner_.constrain(q, key, out);
  }
  void unconstrain(std::span<const double> natural, std::span<double> q) const override {
    inner_.unconstrain(natural, q);
  }
  [[nodiscard]] bool draw_prior(const RandomKey& key, std::span<double> q) const override {
    return inner_.draw_prior(key, q);
  }
  [[nodiscard]] std::unique_ptr<Evaluator> make_evaluator() const override;

 private:
  const Model& inner_;
  int threads_;
};

}  // namespace darboux
