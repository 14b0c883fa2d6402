// The iterator of every range that makes its elements from an index when they are looked at.
#pragma once

#include <cstddef>
#include <iterator>

namespace nvmlkit::nvml::detail {

template <class Range, class Element>
class IndexIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = Element;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = Element;

  IndexIterator() = default;
  IndexIterator(const Range* range, unsigned int index) noexcept : range_(range), index_(index) {}
  Element operator*() const { return (*range_)[index_]; }
  IndexIterator& operator++() noexcept {
    ++index_;
    return *this;
  }
  IndexIterator operator++(int) noexcept {
    IndexIterator before = *this;
    ++index_;
    return before;
  }
  bool operator==(const IndexIterator& other) const noexcept { return index_ == other.index_; }

 private:
  const Range* range_ = nullptr;
  unsigned int index_ = 0;
};

}  // namespace nvmlkit::nvml::detail
