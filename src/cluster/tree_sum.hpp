#pragma once

#include <span>
#include <vector>

#include "cluster/group.hpp"

namespace darboux {

/// Sums over pieces of something, of which each process of a group has a run. They are added in one order, that of a binary tree over
/// all pieces, so that the bits of a sum do not depend on who has which: a process adds up the subtrees that it has as a whole, and
/// every process the rest.
class TreeSum {
 public:
  /// Rank r has the pieces from bounds[r] to bounds[r + 1]; the last of them is how many there are.
  TreeSum(Group& group, std::span<const Index> bounds);

  /// `own` has the numbers of the pieces of this process, one after the other, and is overwritten; `total` has as many as one piece.
  /// All processes call it together.
  void add_up(std::span<double> own, std::span<double> total);

 private:
  /// The pieces from `first` to `end`.
  struct Node {
    Index first, end;
    bool operator==(const Node&) const = default;
  };
  class Fold;
  /// Where its second half begins; the first is a power of two.
  [[nodiscard]] static Index middle(const Node& node) noexcept;
  /// The fewest nodes below this one that make up `wanted`.
  static void find_nodes(const Node& node, const Node& wanted, std::vector<Node>& found);

  Group& group_;
  Node root_;
  std::vector<Node> pieces_, subtrees_;  // that this process has
  std::vector<Node> all_subtrees_;       // those of all processes, in order
  std::vector<Index> subtrees_of_, counts_;
  std::vector<double> mine_;
};

}  // namespace darboux
