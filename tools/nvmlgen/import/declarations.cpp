// Functions, records, enums, handles and typedefs of a header.
#include "header_reader.hpp"

namespace nvmlgen::headers {

namespace {

class Declarations {
 public:
  Declarations(const ClangUnit& unit, const DocComments& docs, Api& api) : unit_(unit), docs_(docs), api_(api) {}

  void add(CXCursor cursor) {
    const CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_FunctionDecl && spelling(cursor).starts_with("nvml")) add_function(cursor);
    if (kind == CXCursor_TypedefDecl) add_typedef(cursor);
  }

 private:
  static std::size_t place(CXCursor cursor) { return offset_of(clang_getCursorLocation(cursor)); }

  static Param parameter(CXCursor cursor) {
    Param p;
    CXType type = clang_getCursorType(cursor);
    // An array parameter is the pointer that the ABI passes.
    p.name = spelling(cursor);
    p.type = spelling(type);
    p.canon = spelling(clang_getCanonicalType(type));
    while (type.kind == CXType_Pointer) {
      ++p.ptr;
      type = clang_getPointeeType(type);
    }
    p.base = spelling(type);
    if (clang_isConstQualifiedType(type) && p.base.starts_with("const ")) p.base.erase(0, 6);
    p.kind = kind_of(type);
    return p;
  }

  void add_function(CXCursor cursor) {
    Function f;
    f.name = spelling(cursor);
    if (find(api_.functions, f.name)) return;  // a second declaration of the same function
    f.ret = spelling(clang_getCursorResultType(cursor));
    for (int i = 0, n = clang_Cursor_getNumArguments(cursor); i < n; ++i)
      f.params.push_back(parameter(clang_Cursor_getArgument(cursor, static_cast<unsigned>(i))));
    f.group = docs_.group(place(cursor));
    f.deprecated = docs_.deprecated(place(cursor));
    const std::string_view comment = docs_.of_declaration(place(cursor));
    f.returns = documented_returns(comment);
    f.product = documented_product(comment);
    api_.functions.push_back(std::move(f));
  }

  void add_typedef(CXCursor cursor) {
    const std::string name = spelling(cursor);
    const CXType type = clang_getTypedefDeclUnderlyingType(cursor);
    const CXType canonical = clang_getCanonicalType(type);
    const CXCursor declaration = clang_getTypeDeclaration(canonical);
    if (canonical.kind == CXType_Record && clang_Type_getSizeOf(canonical) >= 0) {
      add_record(name, cursor, canonical, declaration);
    } else if (canonical.kind == CXType_Enum) {
      add_enum(name, cursor, declaration);
    } else if (kind_of(canonical) == "handle") {
      api_.handles.push_back({name, spelling(clang_getPointeeType(canonical)), clang_Type_getSizeOf(canonical), {}});
    } else {
      api_.typedefs.push_back({name, spelling(type), spelling(canonical), kind_of(canonical),
                               clang_Type_getSizeOf(canonical), docs_.group(place(cursor))});
    }
  }

  // From the text, since libclang gives a tagless record or enum the name of its typedef.
  std::string tag_of(CXCursor declaration) const {
    const auto tokens = unit_.tokens(declaration);
    return tokens.size() > 1 && tokens[1] != "{" ? tokens[1] : std::string{};
  }

  void add_record(const std::string& name, CXCursor cursor, CXType type, CXCursor declaration) {
    const unsigned key = clang_hashCursor(declaration);
    for (const auto& [known, index] : records_)
      if (known == key) {
        api_.structs[index].aliases.push_back(name);
        return;
      }
    Struct s;
    s.name = name;
    s.tag = tag_of(declaration);
    s.is_union = clang_getCursorKind(declaration) == CXCursor_UnionDecl;
    s.size = clang_Type_getSizeOf(type);
    s.align = clang_Type_getAlignOf(type);
    s.group = docs_.group(place(cursor));
    s.fields = read_fields(unit_, declaration);
    records_.emplace_back(key, api_.structs.size());
    api_.structs.push_back(std::move(s));
  }

  void add_enum(const std::string& name, CXCursor cursor, CXCursor declaration) {
    Enum e;
    e.name = name;
    e.tag = tag_of(declaration);
    if (e.tag == name) e.tag.clear();  // says nothing that the name does not
    const CXType underlying = clang_getEnumDeclIntegerType(declaration);
    e.size = clang_Type_getSizeOf(underlying);
    e.underlying = spelling(underlying);
    e.group = docs_.group(place(cursor));
    each_child(declaration, [&](CXCursor child) {
      if (clang_getCursorKind(child) != CXCursor_EnumConstantDecl) return;
      const bool is_signed = underlying.kind == CXType_Int || underlying.kind == CXType_Long;
      e.values.emplace_back(spelling(child),
                            is_signed ? clang_getEnumConstantDeclValue(child)
                                      : static_cast<std::int64_t>(clang_getEnumConstantDeclUnsignedValue(child)));
      if (docs_.marked_deprecated(place(child))) e.deprecated.push_back(spelling(child));
    });
    api_.enums.push_back(std::move(e));
  }

  const ClangUnit& unit_;
  const DocComments& docs_;
  Api& api_;
  std::vector<std::pair<unsigned, std::size_t>> records_;
};

}  // namespace

std::string kind_of(CXType type) {
  const CXType canonical = clang_getCanonicalType(type);
  switch (canonical.kind) {
    case CXType_Pointer: {
      const CXType target = clang_getCanonicalType(clang_getPointeeType(canonical));
      return target.kind == CXType_Record && clang_Type_getSizeOf(target) < 0 ? "handle" : "ptr";
    }
    case CXType_Record:
      return "struct";
    case CXType_Enum:
      return "enum";
    case CXType_Void:
      return "void";
    case CXType_Float:
    case CXType_Double:
      return "float";
    case CXType_Char_S:
    case CXType_Char_U:
      return "char";
    default:
      return "int";
  }
}

void read_declarations(const ClangUnit& unit, const DocComments& docs, Api& api) {
  Declarations declarations(unit, docs, api);
  unit.each([&](CXCursor cursor) { declarations.add(cursor); });
}

}  // namespace nvmlgen::headers
