#!/usr/bin/env python3
"""Tests of scripts/check_sizes: which functions it finds in C++, and how long it says that they are."""

import unittest
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

loader = SourceFileLoader("check_sizes", str(Path(__file__).resolve().parents[2] / "scripts/check_sizes"))
check_sizes = module_from_spec(spec_from_loader(loader.name, loader))
loader.exec_module(check_sizes)

CODE = """#include <a>
#define OPEN {
namespace a {
namespace {
constexpr int table[] = {
    1'000, 2,
};
enum class Kind { one, two };
const auto square = [](double x) {  // } in a comment
  return x * x;
};
}  // namespace
template <class T>
struct alignas(64) Thing {
  int size{0};
  Thing(int n, Options o = {})
      : size{n},
        more_(o) {
    grow();
  }
 private:
  bool operator==(const Thing& other) const noexcept {
    return size == other.size;
  }
};
void Outer::inner(
    int x) {
  if (x) {
    call([] { return R"(}}})"; });
  }
  const char c = '}';
}
TEST_F(Suite, Name) {
}
int declared(int x);
std::vector<int> all() { return {1, 2}; }
}  // namespace a
"""


class Functions(unittest.TestCase):
    def test_begin_with_their_signature_and_end_with_their_brace(self):
        self.assertEqual(
            list(check_sizes.functions(CODE)),
            [
                (9, "square", 3),
                (16, "Thing", 5),
                (22, "operator==", 3),
                (26, "Outer::inner", 7),
                (33, "TEST_F(Suite, Name)", 2),
                (36, "all", 1),
            ],
        )


if __name__ == "__main__":
    unittest.main()
