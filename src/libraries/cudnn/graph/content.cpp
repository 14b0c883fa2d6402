#include "libraries/cudnn/graph/content.hpp"

#include "libraries/cudnn/graph/program.hpp"
#include "libraries/cudnn/operand.hpp"

namespace nvmlkit::cudnn::graph {
namespace {

// Of a descriptor that is handed over; it has to be final.
cudnnStatus_t children_of(const void* elements, std::int64_t count, Value& out) {
  for (std::int64_t k = 0; k < count; ++k) {
    const auto* const descriptor = static_cast<BackendDescriptor* const*>(elements)[k];
    if (!Live<BackendDescriptor>::has(descriptor)) return bad("an element is no descriptor");
    if (!descriptor->content->is_final)
      return refuse(CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED, "an element is not finalized");
    out.children.push_back(descriptor->content);
  }
  return CUDNN_STATUS_SUCCESS;
}

bool has_type(const Rule& rule, AttributeType type) {
  return rule.type == type || (rule.is_number && type == CUDNN_TYPE_FLOAT);
}

cudnnStatus_t finalize_tensor(Content& c) {
  auto& t = c.tensor;
  t.id = c.get<std::int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID);
  t.is_virtual = c.get<bool>(CUDNN_ATTR_TENSOR_IS_VIRTUAL);
  t.is_by_value = c.get<bool>(CUDNN_ATTR_TENSOR_IS_BY_VALUE);
  t.layout = {static_cast<dnn::Type>(c.get<int>(CUDNN_ATTR_TENSOR_DATA_TYPE)), c.integers(CUDNN_ATTR_TENSOR_DIMENSIONS),
              c.integers(CUDNN_ATTR_TENSOR_STRIDES)};
  if (t.layout.sizes.size() != t.layout.strides.size()) return bad("as many strides as dimensions are needed");
  for (const auto size : t.layout.sizes)
    if (size < 1) return bad("a size below 1");
  const auto alignment = c.get<std::int64_t>(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT);
  const auto size = static_cast<std::int64_t>(dnn::size_of(t.layout.type));
  if (size == 0) return CUDNN_STATUS_SUCCESS;  // a type that no operation takes
  return alignment <= 0 || alignment % size != 0 ? bad("the alignment is no multiple of an element")
                                                 : CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t finalize_graph(Content& c) {
  const auto& operations = c.values.at(CUDNN_ATTR_OPERATIONGRAPH_OPS).children;
  for (const auto& operation : operations)
    if (!is_operation(operation->kind)) return bad("an element is no operation");
  c.program = make_program(operations);
  return CUDNN_STATUS_SUCCESS;
}

const Program* program_of(const Content& c, Name graph) {
  const Content* const found = c.child(graph);
  return found && found->program ? found->program.get() : nullptr;
}

cudnnStatus_t check_program(const Program* program) {
  if (!program) return bad("the descriptor is no operation graph");
  if (program->problem.empty()) return CUDNN_STATUS_SUCCESS;
  libraries::note_unsupported("cuDNN's graph interface:", program->problem.c_str());
  return refuse(program->status, program->problem);
}

std::int64_t count_engines(const Program& program) { return has_tf32_engine(program) ? 2 : 1; }

cudnnStatus_t finalize_engine(Content& c) {
  const auto index = c.get<std::int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX);
  const auto* const program = program_of(c, CUDNN_ATTR_ENGINE_OPERATION_GRAPH);
  const bool is_known = index == kExact || (index == kTf32 && program && has_tf32_engine(*program));
  if (!is_known) return refuse(CUDNN_STATUS_NOT_SUPPORTED, "the graph has no engine of this index");
  return check_program(program);
}

cudnnStatus_t finalize_convolution(const Content& c) {
  const auto dimensions = static_cast<std::size_t>(c.get<std::int64_t>(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS));
  for (const auto name : {CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES,
                          CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS}) {
    const auto values = c.integers(name);
    if (values.size() != dimensions) return bad("as many numbers as dimensions in space are needed");
    const bool is_pad = name == CUDNN_ATTR_CONVOLUTION_POST_PADDINGS || name == CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS;
    for (const auto value : values)
      if (value < (is_pad ? 0 : 1)) return bad("a padding below 0, or a stride or dilation below 1");
  }
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t finalize_own(Content& c) {
  switch (c.kind) {
    case CUDNN_BACKEND_TENSOR_DESCRIPTOR:
      return finalize_tensor(c);
    case CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR:
      return finalize_convolution(c);
    case CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR:
      return finalize_graph(c);
    case CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR:
      return check_program(program_of(c, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH));
    case CUDNN_BACKEND_ENGINE_DESCRIPTOR:
      return finalize_engine(c);
    case CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR:
      return c.integers(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS).size() ==
                     c.integers(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS).size()
                 ? CUDNN_STATUS_SUCCESS
                 : bad("as many pointers as ids are needed");
    default:
      if (is_operation(c.kind) && !has_right_sizes(c))
        return refuse(CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH, std::string("sizes of ") + name_of(c.kind));
      return CUDNN_STATUS_SUCCESS;
  }
}

// What a descriptor answers that nobody set.
std::shared_ptr<Content> made(Kind kind, Name name, const std::shared_ptr<const Content>& child) {
  auto out = std::make_shared<Content>();
  out->kind = kind;
  out->is_final = true;
  Value value{CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, std::vector<std::byte>(sizeof(void*)), {child}};
  out->values.emplace(name, std::move(value));
  return out;
}

template <class T>
Value value_of(AttributeType type, T number) {
  Value out{type, 1, std::vector<std::byte>(sizeof number), {}};
  std::memcpy(out.bytes.data(), &number, sizeof number);
  return out;
}

// The ways to run a graph, without knobs; the one that is the fastest on hardware first.
Value results_of(const Content& heuristics) {
  const auto& graph = heuristics.values.at(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH).children[0];
  Value out{CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, {}, {}};
  for (auto index = count_engines(*graph->program) - 1; index >= 0; --index) {
    const auto engine = made(CUDNN_BACKEND_ENGINE_DESCRIPTOR, CUDNN_ATTR_ENGINE_OPERATION_GRAPH, graph);
    engine->values.emplace(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, value_of<std::int64_t>(CUDNN_TYPE_INT64, index));
    out.children.push_back(made(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, CUDNN_ATTR_ENGINECFG_ENGINE, engine));
  }
  out.count = static_cast<std::int64_t>(out.children.size());
  out.bytes.resize(out.children.size() * sizeof(void*));
  return out;
}

// Programs that forbid TF32 leave out engines with this note.
Value note_of(const Content& engine) {
  const auto* const program = program_of(engine, CUDNN_ATTR_ENGINE_OPERATION_GRAPH);
  const bool rounds = engine.get<std::int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX) == kTf32;
  const bool uses_tensor_cores =
      program && program->multiplies && pipe_of_layer(program->factors, rounds) >= host_kernels::pipe_hmma;
  if (!uses_tensor_cores) return {CUDNN_TYPE_NUMERICAL_NOTE, 0, {}, {}};
  return value_of(CUDNN_TYPE_NUMERICAL_NOTE, CUDNN_NUMERICAL_NOTE_TENSOR_CORE);
}

Value answer_of(const Content& c, const Rule& rule) {
  if (const auto set = c.values.find(rule.name); set != c.values.end()) return set->second;
  if (rule.name == CUDNN_ATTR_ENGINEHEUR_RESULTS) return results_of(c);
  if (rule.name == CUDNN_ATTR_ENGINE_NUMERICAL_NOTE) return note_of(c);
  if (rule.name == CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE)
    return value_of(CUDNN_TYPE_BEHAVIOR_NOTE, CUDNN_BEHAVIOR_NOTE_SUPPORTS_CUDA_GRAPH_NATIVE_API);
  if (rule.name == CUDNN_ATTR_OPERATIONGRAPH_ENGINE_GLOBAL_COUNT)
    return value_of<std::int64_t>(rule.type, c.program ? count_engines(*c.program) : 1);
  if (rule.most == 1) {
    if (rule.type == CUDNN_TYPE_INT64) return value_of<std::int64_t>(rule.type, 0);
    if (rule.type == CUDNN_TYPE_INT32) return value_of<std::int32_t>(rule.type, 0);
    if (rule.type == CUDNN_TYPE_BOOLEAN) return value_of<bool>(rule.type, false);
  }
  return {rule.type, 0, {}, {}};
}

}  // namespace

double Content::number(Name name, double otherwise) const {
  const auto at = values.find(name);
  if (at == values.end()) return otherwise;
  return at->second.type == CUDNN_TYPE_FLOAT ? static_cast<double>(get<float>(name)) : get<double>(name);
}

std::vector<std::int64_t> Content::integers(Name name) const {
  const auto at = values.find(name);
  if (at == values.end()) return {};
  std::vector<std::int64_t> out(at->second.bytes.size() / sizeof(std::int64_t));
  if (!out.empty()) std::memcpy(out.data(), at->second.bytes.data(), out.size() * sizeof(std::int64_t));
  return out;
}

std::size_t size_of(AttributeType type) {
  switch (type) {
    case CUDNN_TYPE_HANDLE:
    case CUDNN_TYPE_INT64:
    case CUDNN_TYPE_DOUBLE:
    case CUDNN_TYPE_VOID_PTR:
    case CUDNN_TYPE_BACKEND_DESCRIPTOR:
      return 8;
    case CUDNN_TYPE_BOOLEAN:
    case CUDNN_TYPE_CHAR:
      return 1;
    case CUDNN_TYPE_FRACTION:
      return 16;
    default:
      return 4;
  }
}

cudnnStatus_t set(Content& content, Name name, AttributeType type, std::int64_t count, const void* elements) {
  if (content.is_final) return bad("the descriptor is finalized");
  const Rule* const rule = rule_of(content.kind, name);
  if (!rule) return bad("the descriptor has no such attribute");
  if (!has_type(*rule, type)) return refuse(CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE, "the attribute is of another type");
  if (!elements && count > 0) return bad("no elements");
  if (count < 0 || count > rule->most || (rule->most == 1 && count != 1)) return bad("the attribute has another count");
  Value value{type, count, std::vector<std::byte>(static_cast<std::size_t>(count) * size_of(type)), {}};
  if (count > 0) std::memcpy(value.bytes.data(), elements, value.bytes.size());
  if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR)
    if (const auto status = children_of(elements, count, value); status != CUDNN_STATUS_SUCCESS) return status;
  content.values.insert_or_assign(name, std::move(value));
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t get(const Content& content, Name name, AttributeType type, std::int64_t requested, std::int64_t* count,
                  void* elements) {
  const Rule* const rule = rule_of(content.kind, name);
  if (!rule) return bad("the descriptor has no such attribute");
  if (!has_type(*rule, type)) return refuse(CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE, "the attribute is of another type");
  if (!content.is_final) return refuse(CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED, "the descriptor is not finalized");
  const Value value = answer_of(content, *rule);
  if (requested < 0) return bad("a count below 0");
  const std::int64_t told = requested == 0 || !elements ? 0 : std::min(requested, value.count);
  for (std::int64_t k = 0; k < told && type == CUDNN_TYPE_BACKEND_DESCRIPTOR; ++k) {
    auto* const to = static_cast<BackendDescriptor**>(elements)[k];
    const auto& child = value.children[static_cast<std::size_t>(k)];
    if (!Live<BackendDescriptor>::has(to)) return bad("an element is no descriptor");
    if (to->content->kind != child->kind)
      return refuse(CUDNN_STATUS_BAD_PARAM_DESCRIPTOR_TYPE, "an element is a descriptor of another kind");
    to->content = std::const_pointer_cast<Content>(child);
  }
  if (type != CUDNN_TYPE_BACKEND_DESCRIPTOR && told > 0)
    std::memcpy(elements, value.bytes.data(), static_cast<std::size_t>(told) * size_of(type));
  if (count) *count = told > 0 ? told : value.count;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t finalize(Content& content) {
  if (content.is_final) return CUDNN_STATUS_SUCCESS;
  for (const Rule* const rule : rules_of(content.kind))
    if (rule->least > 0 && !content.has(rule->name)) return bad("an attribute is missing");
  const auto status = finalize_own(content);
  content.is_final = status == CUDNN_STATUS_SUCCESS;
  return status;
}

}  // namespace nvmlkit::cudnn::graph
