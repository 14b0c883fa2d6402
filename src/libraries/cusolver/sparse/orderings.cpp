#include "libraries/cusolver/sparse/orderings.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>
#include <utility>

#include "libraries/cusolver/sparse/rows.hpp"

namespace nvmlkit::cusolver::sparse {
namespace {

void sort_once(std::vector<int>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

// The rows that can be reached from `start`, nearest first, each time those of few neighbours first. Gives the distance
// of the last one.
int by_distance(const Graph& graph, int start, std::vector<char>& is_seen, Order& out) {
  std::vector<int> distance(graph.size(), 0);
  const auto first = out.size();
  out.push_back(start);
  is_seen[at(start)] = 1;
  for (auto next = first; next < out.size(); ++next) {
    const auto from = out[next];
    const auto before = out.size();
    for (const int other : graph[at(from)]) {
      if (is_seen[at(other)]) continue;
      is_seen[at(other)] = 1;
      distance[at(other)] = distance[at(from)] + 1;
      out.push_back(other);
    }
    std::sort(out.begin() + static_cast<std::ptrdiff_t>(before), out.end(),
              [&](int a, int b) { return std::pair(graph[at(a)].size(), a) < std::pair(graph[at(b)].size(), b); });
  }
  return distance[at(out.back())];
}

// A row far from another one: the last of a walk, as long as walks from there are longer.
int far_row(const Graph& graph, int start, const std::vector<char>& is_seen) {
  int longest = -1;
  while (true) {
    auto seen = is_seen;
    Order walk;
    const int length = by_distance(graph, start, seen, walk);
    if (length <= longest) return start;
    longest = length;
    start = walk.back();
  }
}

}  // namespace

Graph graph_of(const int* offsets, const int* columns, int n, int base) {
  Graph out(at(n));
  for (int i = 0; i < n; ++i)
    for (int k = offsets[i] - base; k < offsets[i + 1] - base; ++k) {
      const int j = columns[k] - base;
      if (i == j) continue;
      out[at(i)].push_back(j);
      out[at(j)].push_back(i);
    }
  for (auto& list : out) sort_once(list);
  return out;
}

Order natural_order(int n) {
  Order out(at(n));
  std::iota(out.begin(), out.end(), 0);
  return out;
}

Order reverse_cuthill_mckee(const Graph& graph) {
  Order out;
  std::vector<char> is_seen(graph.size(), 0);
  for (int i = 0; i < static_cast<int>(graph.size()); ++i)
    if (!is_seen[at(i)]) by_distance(graph, far_row(graph, i, is_seen), is_seen, out);
  std::reverse(out.begin(), out.end());
  return out;
}

// The elimination itself: the neighbours of a row become neighbours of each other.
Order minimum_degree(Graph graph) {
  std::set<std::pair<std::size_t, int>> waiting;
  for (int i = 0; i < static_cast<int>(graph.size()); ++i) waiting.insert({graph[at(i)].size(), i});
  Order out;
  while (!waiting.empty()) {
    const int gone = waiting.begin()->second;
    waiting.erase(waiting.begin());
    out.push_back(gone);
    const auto neighbours = std::exchange(graph[at(gone)], {});
    for (const int i : neighbours) {
      auto& list = graph[at(i)];
      waiting.erase({list.size(), i});
      std::vector<int> joined;
      std::set_union(list.begin(), list.end(), neighbours.begin(), neighbours.end(), std::back_inserter(joined));
      joined.erase(std::remove_if(joined.begin(), joined.end(), [&](int j) { return j == i || j == gone; }),
                   joined.end());
      list = std::move(joined);
      waiting.insert({list.size(), i});
    }
  }
  return out;
}

std::vector<int> matched_columns(const Graph& rows) {
  const auto n = rows.size();
  std::vector<int> column_of(n, -1), row_of(n, -1), seen_for(n, -1);
  std::vector<std::size_t> next(n);
  for (int start = 0; start < static_cast<int>(n); ++start) {
    // A path of rows, each of which would take the column that the one behind it has. No recursion: paths are long.
    std::vector<int> path{start}, wanted;
    next[at(start)] = 0;
    while (!path.empty()) {
      const int row = path.back();
      if (next[at(row)] == rows[at(row)].size()) {
        path.pop_back();
        if (!wanted.empty()) wanted.pop_back();
        continue;
      }
      const int column = rows[at(row)][next[at(row)]++];
      if (std::exchange(seen_for[at(column)], start) == start) continue;
      wanted.push_back(column);
      if (row_of[at(column)] < 0) break;
      path.push_back(row_of[at(column)]);
      next[at(path.back())] = 0;
    }
    for (std::size_t k = 0; k < path.size(); ++k) {
      row_of[at(wanted[k])] = path[k];
      column_of[at(path[k])] = wanted[k];
    }
  }
  return column_of;
}

std::vector<int> places_of(const Order& order) {
  std::vector<int> out(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) out[at(order[k])] = static_cast<int>(k);
  return out;
}

}  // namespace nvmlkit::cusolver::sparse
