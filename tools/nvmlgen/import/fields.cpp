// Fields of a record with their places, tagless aggregates included.
#include "header_reader.hpp"

namespace nvmlgen::headers {

namespace {

bool is_record(CXCursor cursor) {
  const CXCursorKind kind = clang_getCursorKind(cursor);
  return kind == CXCursor_StructDecl || kind == CXCursor_UnionDecl;
}

// What stands between the brackets behind a field's name; the body of a tagless aggregate has brackets of its own.
std::vector<std::string> spelled_dims(const std::vector<std::string>& tokens, bool& named) {
  std::vector<std::string> dims;
  int braces = 0;
  bool inside = false;
  for (const std::string& token : tokens) {
    if (token == "{") ++braces;
    if (token == "}") --braces;
    if (braces) continue;
    if (token == "]") inside = false;
    if (inside) {
      if (!dims.back().empty()) dims.back() += ' ';
      dims.back() += token;
      if (std::isalpha(static_cast<unsigned char>(token.front())) || token.front() == '_') named = true;
    }
    if (token == "[") {
      inside = true;
      dims.emplace_back();
    }
  }
  return dims;
}

bool nameless(CXType element) {
  const CXCursor declaration = clang_getTypeDeclaration(clang_getCanonicalType(element));
  return is_record(declaration) && element.kind != CXType_Typedef &&
         (clang_Cursor_isAnonymous(declaration) || spelling(declaration).empty());
}

std::string aggregate(CXCursor record) {
  return clang_getCursorKind(record) == CXCursor_UnionDecl ? "union{}" : "struct{}";
}

void set_aggregate(const ClangUnit& unit, CXCursor record, Field& field) {
  field.type = aggregate(record);
  field.elem_size = clang_Type_getSizeOf(clang_getCursorType(record));
  field.fields = read_fields(unit, record);
}

Field named_field(const ClangUnit& unit, CXCursor cursor, CXType parent) {
  Field field;
  field.name = spelling(cursor);
  CXType type = clang_getCursorType(cursor);
  field.size = clang_Type_getSizeOf(type);
  field.off = clang_Type_getOffsetOf(parent, field.name.c_str()) / 8;
  while (type.kind == CXType_ConstantArray) {
    field.dims.push_back(clang_getArraySize(type));
    type = clang_getArrayElementType(type);
  }
  if (!field.dims.empty()) {
    bool named = false;
    auto dims = spelled_dims(unit.tokens(cursor), named);
    if (named) field.dims_sym = std::move(dims);
  }
  field.type = spelling(type);
  if (const std::string kind = kind_of(type); kind == "ptr" || kind == "enum" || kind == "float" || kind == "handle")
    field.kind = kind;
  if (nameless(type)) set_aggregate(unit, clang_getTypeDeclaration(clang_getCanonicalType(type)), field);
  return field;
}

// The first named field below a nameless aggregate, which C lets one name through the parent.
std::string first_name(CXCursor record) {
  std::string name;
  each_child(record, [&](CXCursor child) {
    if (!name.empty()) return;
    if (clang_getCursorKind(child) == CXCursor_FieldDecl)
      name = spelling(child);
    else if (is_record(child))
      name = first_name(child);
  });
  return name;
}

}  // namespace

std::vector<Field> read_fields(const ClangUnit& unit, CXCursor record) {
  const CXType type = clang_getCursorType(record);
  std::vector<Field> fields;
  each_child(record, [&](CXCursor child) {
    if (clang_getCursorKind(child) == CXCursor_FieldDecl && !spelling(child).empty()) {
      fields.push_back(named_field(unit, child, type));
    } else if (is_record(child) && clang_Cursor_isAnonymousRecordDecl(child)) {
      Field field;
      field.off = clang_Type_getOffsetOf(type, first_name(child).c_str()) / 8;
      field.size = clang_Type_getSizeOf(clang_getCursorType(child));
      set_aggregate(unit, child, field);
      fields.push_back(std::move(field));
    }
  });
  return fields;
}

}  // namespace nvmlgen::headers
