// Instructions that order accesses, for the check of races.
#pragma once

#include "ptx/check/checked.hpp"

namespace nvmlkit::ptx {

// Puts a handler in front of fences, barriers in memory and copies.
void add_order_check(const Form& form, Instruction& out, CheckedForm& made);
// What a load, store or atomic change orders.
void note_order(const Form& form, CheckedForm& made);

}  // namespace nvmlkit::ptx
