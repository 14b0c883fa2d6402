// Branches, calls, barriers, ends.
#include "ptx/builtins/builtins.hpp"
#include "ptx/decode/form.hpp"
#include "ptx/parse/link.hpp"

namespace nvmlkit::ptx {
namespace {

std::vector<std::uint32_t> param_offsets(Form& f, const Term& list) {
  std::vector<std::uint32_t> out;
  for (const auto& t : list.items) {
    if (t.kind != Term::Kind::symbol || !t.variable || t.variable->space != Space::param)
      f.fail("only parameters in .param variables are simulated");
    out.push_back(static_cast<std::uint32_t>(t.variable->offset));
  }
  return out;
}

// What is handed over must have the size of what is taken.
void check_sizes(Form& f, const Term* list, const std::vector<Variable>& formals, const char* what) {
  const auto given = list ? list->items.size() : 0;
  if (given != formals.size()) f.fail(std::string("another number of ") + what);
  for (std::size_t k = 0; k < given; ++k)
    if (list->items[k].variable->size < formals[k].size) f.fail(std::string("a smaller one among the ") + what);
}

}  // namespace

namespace decoders {

void control(Form& f) {
  switch (f.op()) {
    case Op::bra_:
      f.out.kind = Kind::branch;
      f.out.immediate = f.label(f.term(0));
      break;
    case Op::brx_:
      f.out.kind = Kind::branch_table;
      f.out.a = f.source(0, Type::u32);
      f.out.side = f.table(f.term(1));
      break;
    case Op::ret_:
      f.out.kind = Kind::ret;
      break;
    case Op::exit_:
      f.out.kind = Kind::exit;
      break;
    default:
      f.out.kind = Kind::trap;
      break;
  }
}

void calls(Form& f) {
  f.out.kind = Kind::call;
  std::size_t at = 0;
  CallSite site;
  const Term* results = nullptr;
  const Term* arguments = nullptr;
  if (f.term(0).kind == Term::Kind::vector) results = &f.term(at++);
  const auto& callee = f.term(at++);
  if (at < f.count() && f.term(at).kind == Term::Kind::vector) arguments = &f.term(at++);
  if (results) site.results = param_offsets(f, *results);
  if (arguments) site.arguments = param_offsets(f, *arguments);
  if (callee.kind == Term::Kind::reg) {
    f.out.a = f.source(callee, Type::u64);
  } else {
    const auto& functions = f.names().functions;
    const auto known = functions.find(callee.name);
    if (callee.kind != Term::Kind::symbol || known == functions.end())
      f.fail(ErrorKind::unknown_function, "'" + std::string(callee.name) + "' is no function",
             std::string(callee.name));
    const auto* const defined = definition_of(*known->second);
    site.function = defined ? defined : known->second;
    if (site.function->is_entry) f.fail("a kernel cannot be called");
    check_sizes(f, results, site.function->results, "results");
    check_sizes(f, arguments, site.function->parameters, "arguments");
    if (!defined) {
      site.builtin = builtin_named(callee.name);
      if (site.builtin < 0) f.fail_undefined(*known->second);
    }
  }
  f.out.side = static_cast<std::uint32_t>(f.function().calls.size());
  f.function().calls.push_back(std::move(site));
}

void barriers(Form& f) {
  if (f.has("warp")) {
    f.out.kind = Kind::converge;
    f.out.c = f.source(0, Type::b32);
    f.out.handler = [](Warp&, const Instruction&, Mask) {};
    return;
  }
  f.out.kind = Kind::barrier;
  if (f.has("cluster")) {
    f.out.detail = f.has("arrive") ? 'A' : 'W';
    if (f.has("arrive") == f.has("wait") || f.count() != 0) f.fail_types();
    return;
  }
  if (f.count() == 0) f.fail(ErrorKind::operands, "so many operands it does not take");
  if (f.has("red")) {
    const auto what = f.one_of({"popc", "and", "or"});
    if (what.empty() || f.count() < 3) f.fail_types();
    f.out.detail = what == "popc" ? 'p' : what == "and" ? '&' : '|';
    f.out.d = f.target(0, what == "popc" ? Type::u32 : Type::pred);
    f.out.a = f.source(1, Type::u32);
    if (f.count() > 3) f.out.b = f.source(2, Type::u32);
    const auto& p = f.term(f.count() - 1);
    f.out.c = f.predicate(p);
    f.out.flag = p.negated;
    return;
  }
  f.out.detail = f.has("arrive") ? 'a' : 's';
  f.out.a = f.source(0, Type::u32);
  if (f.count() > 1) f.out.b = f.source(1, Type::u32);
}

}  // namespace decoders
}  // namespace nvmlkit::ptx
