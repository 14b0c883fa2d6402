// Macros of a header: constants with value and type, struct versions, name aliases, the rest as text.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "header_reader.hpp"

namespace nvmlgen::headers {

namespace {

struct Macro {
  std::string name;
  std::size_t offset = 0;
  bool function_like = false;
  std::vector<std::string> params;
  std::vector<std::string> body;
};

std::string join(const std::vector<std::string>& tokens) { return fmt::format("{}", fmt::join(tokens, " ")); }

std::vector<Macro> list_macros(const ClangUnit& unit) {
  std::vector<Macro> macros;
  unit.each([&](CXCursor cursor) {
    if (clang_getCursorKind(cursor) != CXCursor_MacroDefinition) return;
    Macro macro;
    macro.name = spelling(cursor);
    macro.offset = offset_of(clang_getCursorLocation(cursor));
    macro.function_like = clang_Cursor_isMacroFunctionLike(cursor) != 0;
    const auto tokens = unit.tokens(cursor);
    std::size_t at = 1;
    if (macro.function_like) {
      for (++at; at < tokens.size() && tokens[at] != ")"; ++at)
        if (tokens[at] != ",") macro.params.push_back(tokens[at]);
      ++at;
    }
    if (at < tokens.size()) macro.body.assign(tokens.begin() + static_cast<std::ptrdiff_t>(at), tokens.end());
    // A later definition of the same name is the one that counts.
    std::erase_if(macros, [&](const Macro& other) { return other.name == macro.name; });
    macros.push_back(std::move(macro));
  });
  return macros;
}

bool balanced(const std::vector<std::string>& body) {
  int depth = 0;
  for (const std::string& token : body) {
    if (token == ";" || token == "{" || token == "}") return false;
    depth += token == "(" ? 1 : token == ")" ? -1 : 0;
    if (depth < 0) return false;
  }
  return depth == 0;
}

bool string_literal(const std::vector<std::string>& body) {
  return !body.empty() && std::all_of(body.begin(), body.end(), [](const auto& t) { return t.front() == '"'; });
}

// Lets the compiler say type and value of each macro: one initialized variable per macro, errors allowed, because
// many macros are no expressions.
Ordered<Constant> evaluate(const std::filesystem::path& header, const std::vector<Macro>& macros) {
  std::string text = fmt::format("#include \"{}\"\n", std::filesystem::absolute(header).string());
  const std::string prefix = "nvmlgen_probe_";
  std::vector<const Macro*> probed;
  for (const Macro& macro : macros) {
    if (macro.function_like || macro.body.empty() || !balanced(macro.body) || string_literal(macro.body)) continue;
    text += fmt::format("__typeof__({0}) {1}{2} = {0};\n", macro.name, prefix, probed.size());
    probed.push_back(&macro);
  }
  const ClangUnit unit("nvmlgen_probe.c", {kAllVersionsMacro}, &text, ClangUnit::Errors::allow);
  const auto errors = unit.error_lines();
  Ordered<Constant> constants;
  unit.each([&](CXCursor cursor) {
    if (clang_getCursorKind(cursor) != CXCursor_VarDecl || !spelling(cursor).starts_with(prefix)) return;
    if (errors.contains(line_of(clang_getCursorLocation(cursor)))) return;
    const std::size_t index = std::stoul(spelling(cursor).substr(prefix.size()));
    const CXType type = clang_getCanonicalType(clang_getCursorType(cursor));
    CXEvalResult result = clang_Cursor_Evaluate(cursor);
    if (!result) return;
    Constant constant;
    constant.type = spelling(type);
    if (clang_EvalResult_getKind(result) == CXEval_Int) {
      if (clang_EvalResult_isUnsignedInt(result))
        constant.value = std::uint64_t{clang_EvalResult_getAsUnsigned(result)};
      else
        constant.value = std::int64_t{clang_EvalResult_getAsLongLong(result)};
    }
    clang_EvalResult_dispose(result);
    if (!constant.value.is_null()) constants.emplace_back(probed[index]->name, std::move(constant));
  });
  return constants;
}

Constant string_constant(const Macro& macro) {
  Constant constant;
  constant.type = "char*";
  std::string value;
  for (const std::string& token : macro.body) {
    const auto literal = nlohmann::json::parse(token, nullptr, false);
    value += literal.is_string() ? literal.get<std::string>() : token.substr(1, token.size() - 2);
  }
  constant.value = value;
  return constant;
}

// `#define nvmlX_v1 NVML_STRUCT_VERSION(X, 1)` names a struct and the value of its version field.
void add_struct_version(const Macro& macro, const Constant& constant, Api& api) {
  if (macro.body.size() < 6) return;
  const std::string record = fmt::format("nvml{}_v{}_t", macro.body[2], macro.body[4]);
  const auto value = constant.value.get<std::int64_t>();
  api.struct_versions.emplace_back(macro.name, StructVersion{record, std::stol(macro.body[4]), value});
  for (Struct& s : api.structs)
    if (s.name == record) s.version_macro.emplace_back(macro.name, value);
}

std::set<std::string> type_names(const Api& api) {
  std::set<std::string> names;
  for (const auto& [name, record] : layouts(api)) names.insert(name);
  for (const Enum& e : api.enums) names.insert(e.name);
  for (const Handle& h : api.handles) names.insert(h.name);
  for (const Typedef& t : api.typedefs) names.insert(t.name);
  return names;
}

}  // namespace

void read_macros(const std::filesystem::path& header, const ClangUnit& unit, const ClangUnit& default_unit,
                 const DocComments& docs, Api& api) {
  const auto types = type_names(api);
  // The aliases of functions exist only in the default mode, so both modes are asked.
  for (const Macro& macro : list_macros(default_unit)) {
    if (macro.function_like || macro.body.size() != 1) continue;
    if (find(api.functions, macro.body[0])) api.function_aliases.emplace_back(macro.name, macro.body[0]);
    if (types.contains(macro.body[0])) api.type_aliases.emplace_back(macro.name, macro.body[0]);
  }
  const auto macros = list_macros(unit);
  const auto constants = evaluate(header, macros);
  const auto enumerators = values(api);
  for (const Macro& macro : macros) {
    if (macro.function_like) {
      api.function_macros.emplace_back(macro.name, FunctionMacro{macro.params, join(macro.body)});
      continue;
    }
    if (find(api.type_aliases, macro.name) || find(api.function_aliases, macro.name)) continue;
    const Constant* known = find(constants, macro.name);
    if (!known && !string_literal(macro.body)) {
      api.other_macros.emplace_back(macro.name, join(macro.body));
    } else if (known && macro.body[0] == "NVML_STRUCT_VERSION") {
      add_struct_version(macro, *known, api);
    } else {
      Constant constant = known ? *known : string_constant(macro);
      constant.group = docs.group(macro.offset);
      constant.deprecated = docs.marked_deprecated(macro.offset);
      if (macro.body.size() == 1 && (find(constants, macro.body[0]) || enumerators.contains(macro.body[0])))
        constant.alias_of = macro.body[0];
      api.constants.emplace_back(macro.name, std::move(constant));
    }
  }
}

}  // namespace nvmlgen::headers
