// Orders of the rows and columns of a symmetric pattern that leave factors with few entries.
#pragma once

#include <vector>

namespace nvmlkit::cusolver::sparse {

// The neighbours of each row in A + A^T, without itself.
using Graph = std::vector<std::vector<int>>;
Graph graph_of(const int* offsets, const int* columns, int n, int base);

// order[k] is the old index of row k.
using Order = std::vector<int>;
Order natural_order(int n);
Order reverse_cuthill_mckee(const Graph& graph);  // a narrow band
Order minimum_degree(Graph graph);                // little fill-in

// A column of its own for as many rows as can have one, -1 for the others. `rows` has the columns of each row.
std::vector<int> matched_columns(const Graph& rows);

// Where each old index goes.
std::vector<int> places_of(const Order& order);

}  // namespace nvmlkit::cusolver::sparse
