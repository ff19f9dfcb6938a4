#include "cluster/tree_sum.hpp"

#include <algorithm>
#include <bit>

namespace darboux {

/// Adds up numbers of nodes that follow each other, those of one after those of the other, in their own place.
class TreeSum::Fold {
 public:
  Fold(std::span<const Node> nodes, std::span<double> numbers, std::size_t of_each)
      : nodes_(nodes), numbers_(numbers), of_each_(of_each) {}

  /// The sum over a node that comes next, from those that make it up.
  std::span<double> next(const Node& node) {
    if (nodes_[done_] == node) return numbers_.subspan(of_each_ * done_++, of_each_);
    const std::span<double> sum = next({.first = node.first, .end = middle(node)});
    const std::span<const double> second = next({.first = middle(node), .end = node.end});
    for (std::size_t i = 0; i < of_each_; ++i) sum[i] += second[i];
    return sum;
  }

 private:
  std::span<const Node> nodes_;
  std::span<double> numbers_;
  std::size_t of_each_, done_ = 0;
};

TreeSum::TreeSum(Group& group, std::span<const Index> bounds)
    : group_(group), root_{.first = 0, .end = bounds.back()}, counts_(static_cast<std::size_t>(group.size())) {
  for (std::size_t r = 0; r < counts_.size(); ++r) {
    const std::size_t before = all_subtrees_.size();
    find_nodes(root_, {.first = bounds[r], .end = bounds[r + 1]}, all_subtrees_);
    subtrees_of_.push_back(static_cast<Index>(all_subtrees_.size() - before));
    if (static_cast<int>(r) != group.rank()) continue;
    subtrees_.assign(all_subtrees_.begin() + static_cast<Index>(before), all_subtrees_.end());
    for (Index k = bounds[r]; k < bounds[r + 1]; ++k) pieces_.push_back({.first = k, .end = k + 1});
  }
}

Index TreeSum::middle(const Node& node) noexcept {
  return node.first + static_cast<Index>(std::bit_ceil(static_cast<std::size_t>(node.end - node.first)) / 2);
}

void TreeSum::find_nodes(const Node& node, const Node& wanted, std::vector<Node>& found) {
  if (node.end <= wanted.first || wanted.end <= node.first) return;
  if (wanted.first <= node.first && node.end <= wanted.end) {
    found.push_back(node);
    return;
  }
  find_nodes({.first = node.first, .end = middle(node)}, wanted, found);
  find_nodes({.first = middle(node), .end = node.end}, wanted, found);
}

void TreeSum::add_up(std::span<double> own, std::span<double> total) {
  const std::size_t size = total.size();
  mine_.clear();
  Fold pieces(pieces_, own, size);
  for (const Node& subtree : subtrees_) {
    const std::span<const double> sum = pieces.next(subtree);
    mine_.insert(mine_.end(), sum.begin(), sum.end());
  }
  for (std::size_t r = 0; r < counts_.size(); ++r) counts_[r] = subtrees_of_[r] * static_cast<Index>(size);
  std::ranges::copy(Fold(all_subtrees_, group_.gather(mine_, counts_), size).next(root_), total.begin());
}

}  // namespace darboux
