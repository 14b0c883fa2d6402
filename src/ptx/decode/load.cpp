// Makes modules: the places of their variables at once, the code of their functions at once or when it is first needed.
#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>
#include <set>
#include <tuple>

#include "ptx/check/checked.hpp"
#include "ptx/check/extents.hpp"
#include "ptx/compile/compiled.hpp"
#include "ptx/module.hpp"
#include "ptx/parse/link.hpp"
#include "ptx/parse/parser.hpp"

namespace nvmlkit::ptx {
namespace {

using SharedVariables = std::unordered_map<const Function*, std::set<const Variable*>>;

void note_shared(const std::vector<Term>& terms, std::set<const Variable*>& used) {
  for (const auto& t : terms) {
    if (t.variable && t.variable->space == Space::shared) used.insert(t.variable);
    note_shared(t.items, used);
  }
}

// The bytes of shared memory that a function needs. Its variables lie in the order of the module, as ptxas places those
// of a kernel. An extern array begins behind all of them.
void sum_up_shared(Function& function, const std::set<const Variable*>& used) {
  std::set<const Variable*> all;
  for (const auto* v : used)
    if (const auto* const own = definition_of(*v); own && !own->is_extern()) all.insert(own);
  auto& spans = function.shared_spans;
  std::uint64_t end = 0;
  std::vector<const Variable*> order(all.begin(), all.end());
  std::ranges::sort(order, {}, &Variable::offset);  // the same one in each process
  for (const auto* v : order) {
    spans.push_back({v->offset, v->size});
    end = aligned(end, v->align) + v->size;
  }
  function.shared_bytes = end;
}

// What the functions refer to and need, by themselves and through what they call. Those that are called and are not
// among them are known already. A call leaves its caller the registers that it had: those of the longest of both count.
void sum_up(const std::vector<Body*>& bodies, SharedVariables& used) {
  for (auto* const body : bodies) {
    auto& own = used[body->function];
    for (const auto& s : body->statements) note_shared(s.terms, own);
    for (const auto* v : body->shared)  // ptxas gives them a place, also if nothing refers to them
      if (v->space == Space::shared) own.insert(v);
  }
  for (bool grows = true; grows;) {
    grows = false;
    for (auto* const body : bodies) {
      auto& function = *body->function;
      auto& own = used[&function];
      const auto before =
          std::tuple(own.size(), function.registers, function.values_of_block, function.calls_by_address);
      for (const auto& site : function.calls) {
        if (!site.function) {
          function.calls_by_address |= site.builtin < 0;
          continue;
        }
        function.calls_by_address |= site.function->calls_by_address;
        own.insert(used[site.function].begin(), used[site.function].end());
        function.registers = std::max(function.registers, site.function->registers);
        function.values_of_block |= site.function->values_of_block;
      }
      grows |=
          before != std::tuple(own.size(), function.registers, function.values_of_block, function.calls_by_address);
    }
  }
  for (auto* const body : bodies) sum_up_shared(*body->function, used[body->function]);
}

// Adds the address of the image where it is needed, from one of the fixups on.
void fix(Module& module, std::size_t from, std::uint64_t address) {
  const auto add = [&](void* at, std::uint64_t size) {
    std::uint64_t value = 0;
    std::memcpy(&value, at, size);
    value += address;
    std::memcpy(at, &value, size);
  };
  for (; from < module.fixups.size(); ++from) {
    const auto& fixup = module.fixups[from];
    auto& function = *fixup.function;
    function.image_address = address;
    (fixup.in_constants ? function.image_constants : function.image_instructions).push_back(fixup.index);
    if (!fixup.in_constants)
      function.code[fixup.index].immediate += address;
    else
      for (unsigned lane = 0; lane < kLanes; ++lane) add(function.constants.data() + fixup.index + lane * 8, 8);
  }
}

// Back to what the function was before its body was looked at.
void forget_body(Function& f) {
  f.code.clear();
  f.constants.clear();
  f.operands.clear();
  f.meanings.clear();
  f.accesses.clear();
  f.checked.clear();
  f.calls.clear();
  f.shared_spans.clear();
  f.image_instructions.clear();
  f.image_constants.clear();
  f.tables.clear();
  f.not_simulated.clear();
  f.register_bytes = f.local_bytes = f.frame_param_bytes = f.registers = 0;
  f.values_of_block = 0;
  f.calls_by_address = false;
}

// For checks: where each variable lies.
void note_extents(Module& module) {
  module.extents = std::make_unique<ModuleExtents>();
  for (const auto& v : module.variables)
    if (!v.is_extern()) (v.space == Space::shared ? module.extents->shared : module.extents->image).add(v);
  module.extents->shared.sort();
  module.extents->image.sort();
}

}  // namespace

// Global and constant variables lie in one image, shared ones one behind the other, and behind those the memory that a
// launch asks for.
void lay_out(Module& module) {
  for (auto& v : module.variables) {
    auto& end = v.space == Space::shared ? module.shared_bytes : module.image_bytes;
    if (v.is_extern()) continue;
    v.offset = aligned(end, v.align);
    end = v.offset + v.size + checking.gap;
  }
  module.shared_bytes = aligned(module.shared_bytes, 16);
  for (auto& v : module.variables)
    if (v.is_extern() && v.space == Space::shared) module.shared_bytes = aligned(module.shared_bytes, v.align);
  for (auto& v : module.variables)
    if (v.is_extern() && v.space == Space::shared) v.offset = module.shared_bytes;
  if (checking.is_on()) note_extents(module);
}

// The functions of a module that are not decoded yet.
struct Undecoded {
  std::shared_ptr<const std::string> text;
  std::mutex mutex;
  Source source;
  SharedVariables shared;
  std::optional<std::uint64_t> image;

  void decode(const Function& wanted);

 private:
  Body& body_of(const Function& f);
  void add_calls(const Function& f, std::vector<const Function*>& wanted);
};

// One that deferring refused is read already.
Body& Undecoded::body_of(const Function& f) {
  const auto at = source.deferred.find(&f);
  if (at != source.deferred.end()) return parse_body(*text, source, at->second);
  return *std::ranges::find(source.bodies, &f, &Body::function);
}

// A call by address may lead to any function.
void Undecoded::add_calls(const Function& f, std::vector<const Function*>& wanted) {
  for (const auto& site : f.calls) {
    if (site.builtin >= 0) continue;
    if (site.function) {
      wanted.push_back(site.function);
      continue;
    }
    for (const auto& any : source.module->functions)
      if (any.is_defined && !any.is_entry) wanted.push_back(&any);
  }
}

void Undecoded::decode(const Function& first) {
  const auto bodies_before = source.bodies.size(), fixups_before = source.module->fixups.size();
  std::vector<const Function*> wanted{&first};
  std::vector<Body*> bodies;
  try {
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      const auto& f = *wanted[k];
      if (f.is_decoded || std::ranges::find(bodies, &f, &Body::function) != bodies.end()) continue;
      bodies.push_back(&body_of(f));
      decode_body(source, *bodies.back());
      add_calls(f, wanted);
    }
  } catch (...) {
    for (auto* const body : bodies) forget_body(*body->function);
    source.module->fixups.resize(fixups_before);
    source.bodies.resize(bodies_before);
    throw;
  }
  sum_up(bodies, shared);
  if (image) fix(*source.module, fixups_before, *image);
  for (auto* const body : bodies) {
    source.deferred.erase(body->function);
    body->function->is_decoded.store(true, std::memory_order_release);
  }
  source.bodies.resize(bodies_before);
}

Function::Function() = default;
Function::~Function() = default;
Module::Module() = default;
Module::~Module() {
  for (const auto& function : functions) Compiled::end(function.compiled.load());
}

std::unique_ptr<Module> load(std::string_view text) {
  auto module = std::make_unique<Module>();
  Source source;
  source.module = module.get();
  parse(text, Bodies::read, source);
  resolve(source);
  lay_out(*module);
  std::vector<Body*> bodies;
  for (auto& body : source.bodies) {
    if (!body.function->is_defined) continue;  // another module's definition counts
    decode_body(source, body);
    bodies.push_back(&body);
  }
  SharedVariables shared;
  sum_up(bodies, shared);
  for (auto* const body : bodies) body->function->is_decoded = true;
  return module;
}

std::unique_ptr<Module> open(std::shared_ptr<const std::string> text) {
  auto module = std::make_unique<Module>();
  module->undecoded = std::make_unique<Undecoded>();
  auto& rest = *module->undecoded;
  rest.text = std::move(text);
  rest.source.module = module.get();
  parse(*rest.text, Bodies::deferred, rest.source);
  resolve(rest.source);
  lay_out(*module);
  return module;
}

void decode(const Module& module, const Function& function) {
  if (function.is_decoded.load(std::memory_order_acquire)) return;
  auto& rest = *module.undecoded;
  const std::lock_guard lock(rest.mutex);
  if (!function.is_decoded) rest.decode(function);
}

std::vector<std::byte> place(Module& module, std::uint64_t address) {
  std::unique_lock<std::mutex> lock;
  if (auto* const rest = module.undecoded.get()) {
    lock = std::unique_lock(rest->mutex);
    rest->image = address;
  }
  fix(module, 0, address);
  if (module.extents) {
    module.extents->image_start = address;
    module.extents->image_size = module.image_bytes;
  }
  std::vector<std::byte> image(module.image_bytes);
  for (const auto& v : module.variables) {
    if (v.space == Space::shared || v.is_extern()) continue;
    std::copy(v.initial.begin(), v.initial.end(), image.begin() + static_cast<std::ptrdiff_t>(v.offset));
    for (const auto& r : v.relocations) {
      std::uint64_t value = 0;
      if (r.variable)
        value = (r.variable->space == Space::shared ? 0 : address) + r.variable->offset;
      else if (r.function)
        value = kCodeWindow + std::uint64_t{16} * r.function->number;
      value += static_cast<std::uint64_t>(r.addend);
      std::memcpy(image.data() + v.offset + r.at, &value, r.size < 8 ? r.size : 8);
    }
  }
  return image;
}

}  // namespace nvmlkit::ptx
