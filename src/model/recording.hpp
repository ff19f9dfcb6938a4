#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "darboux/core/batch.hpp"
#include "darboux/model/recorded.hpp"
#include "model/tape.hpp"

namespace darboux {

/// A tape while a function writes it, by computing with Recorded numbers.
///
/// Sums are gathered as they grow: c₀ + Σ c_i x_i becomes one node, and only when something else than a sum needs its value. The
/// same function of the same node is one node. Nothing is computed, unless the function compares numbers: then all nodes so far
/// are, by the same kernels that replay the tape, so that a replay at the same point has the same answers.
class Recording {
 public:
  /// At a point q, which tells the way at branches.
  explicit Recording(std::span<const double> q);
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording() = default;

  [[nodiscard]] std::vector<Recorded> variables();
  [[nodiscard]] Tape finish(const Recorded& result);
  [[nodiscard]] Tape refuse();

  // What Recorded numbers do.
  static Recorded sum(const Recorded& a, const Recorded& b);
  static Recorded product(const Recorded& a, const Recorded& b);
  static Recorded quotient(const Recorded& a, const Recorded& b);
  static Recorded power(const Recorded& base, const Recorded& exponent);
  static Recorded function(Operation operation, const Recorded& a);
  static Recorded function(Operation operation, const Recorded& a, const Recorded& b);
  static std::int8_t compare(RecordedComparison::Kind kind, const Recorded& a, const Recorded& b);

 private:
  struct Term {
    double factor;
    std::uint32_t node;
  };
  struct Sum {
    std::vector<Term> terms;
    std::uint32_t computed_terms = 0;  // so many of them are a node already
    std::uint32_t node = 0;
  };
  /// What makes two nodes the same.
  struct Key {
    std::uint32_t what, first = 0, second = 0;
    double factor = 1.0, constant = 0.0;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const noexcept;
  };
  enum : std::uint32_t { view_of_node = 1000, view_of_sum, plain_number };

  static constexpr std::uint32_t short_sum = 8;  // so few terms are rather copied than made a node

  static Recording& of(const Recorded& a, const Recorded& b);
  Recorded view(std::uint32_t node, double factor = 1.0);
  static Recorded scaled(Recorded a, double factor);
  /// The same without factor and constant.
  static Recorded bare(const Recorded& a);
  [[nodiscard]] bool grows(const Recorded& a) const;
  void append(const Recorded& a, std::uint32_t sum);

  std::uint32_t node_of(const Recorded& a);
  /// A node of which `a` is factor times.
  std::uint32_t node_up_to_factor(const Recorded& a, double& factor);
  std::uint32_t node_of_sum(const Recorded& a);
  std::uint32_t function_node(Operation operation, std::uint32_t first, std::uint32_t second, double constant = 0.0);
  template <class Make>
  std::uint32_t shared(const Key& key, Make make);
  std::uint32_t add_node(Operation operation, std::uint32_t first, std::uint32_t second, double constant);
  /// To the terms from `begin` on.
  void add_term(std::uint32_t begin, double factor, std::uint32_t node);
  double value(std::uint32_t node);

  static constexpr std::size_t lanes = 4;  // of the group that compares; all have the same numbers

  Tape tape_;
  std::vector<Sum> sums_;
  std::unordered_map<Key, std::uint32_t, Hash> known_;
  std::vector<std::uint32_t> place_;  // of the latest term with each node, if it has one
  LaneVector<double> values_;         // of the nodes computed so far
};

}  // namespace darboux
