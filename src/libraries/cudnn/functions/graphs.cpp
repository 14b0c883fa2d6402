#include "libraries/cudnn/functions/graphs.hpp"

#include "libraries/cudnn/graph/program.hpp"
#include "libraries/cudnn/operand.hpp"

namespace nvmlkit::cudnn::functions {
namespace {

bool is_final(const BackendDescriptor* d, graph::Kind kind) {
  return Live<BackendDescriptor>::has(d) && d->content->kind == kind && d->content->is_final;
}

cudnnStatus_t bind_tensors(const graph::Program& program, const graph::Content& pack, graph::Bindings& out) {
  const auto ids = pack.integers(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  const auto pointers = pack.integers(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  for (std::size_t k = 0; k < ids.size(); ++k) {
    const auto known = program.tensors.find(ids[k]);
    if (known == program.tensors.end()) continue;
    graph::Binding binding{reinterpret_cast<void*>(pointers[k]), {}};
    if (known->second.is_by_value && binding.address) {
      const auto& layout = known->second.layout;
      const auto* const from = static_cast<const std::byte*>(binding.address);
      binding.value.assign(from, from + static_cast<std::size_t>(layout.extent()) * dnn::size_of(layout.type));
    }
    out.emplace(ids[k], std::move(binding));
  }
  for (const auto& [id, view] : program.tensors)
    if (!out.contains(id) || !out.at(id).address)
      return refuse(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "a tensor without an address");
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace

cudnnStatus_t create_backend(cudnnBackendDescriptorType_t kind, BackendDescriptor** out) {
  if (!out) return refuse(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "no place for the descriptor");
  if (!graph::is_kind(kind))
    return refuse(CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED, "there is no such kind of descriptor");
  auto content = std::make_shared<graph::Content>();
  content->kind = kind;
  *out = Live<BackendDescriptor>::make();
  (*out)->content = std::move(content);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t destroy_backend(BackendDescriptor* d) {
  if (!d) return refuse(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "no descriptor");
  return Live<BackendDescriptor>::destroy(d) ? CUDNN_STATUS_SUCCESS : bad("the descriptor is none");
}

// For memory of the program's own, which newer programs no longer give.
cudnnStatus_t initialize_backend(BackendDescriptor* d) {
  if (!Live<BackendDescriptor>::has(d)) return bad("the descriptor is none");
  auto content = std::make_shared<graph::Content>();
  content->kind = d->content->kind;
  d->content = std::move(content);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t finalize_backend(BackendDescriptor* d) {
  if (!Live<BackendDescriptor>::has(d)) return refuse(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "the descriptor is none");
  return graph::finalize(*d->content);
}

cudnnStatus_t set_attribute(BackendDescriptor* d, cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                            std::int64_t count, const void* elements) {
  if (!Live<BackendDescriptor>::has(d)) return refuse(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "the descriptor is none");
  return graph::set(*d->content, name, type, count, elements);
}

cudnnStatus_t get_attribute(const BackendDescriptor* d, cudnnBackendAttributeName_t name,
                            cudnnBackendAttributeType_t type, std::int64_t requested, std::int64_t* count,
                            void* elements) {
  if (!Live<BackendDescriptor>::has(d)) return refuse(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "the descriptor is none");
  return graph::get(*d->content, name, type, requested, count, elements);
}

cudnnStatus_t execute(const Call& call, BackendDescriptor* plan, BackendDescriptor* pack) {
  if (!is_final(plan, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR) ||
      !is_final(pack, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR))
    return bad("a finalized plan and a finalized variant pack are needed");
  const graph::Content* const config = plan->content->child(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
  const graph::Content* const engine = config->child(CUDNN_ATTR_ENGINECFG_ENGINE);
  const graph::Content* const graph = engine ? engine->child(CUDNN_ATTR_ENGINE_OPERATION_GRAPH) : nullptr;
  if (!graph || !graph->program) return bad("the plan has no operation graph");
  const auto program = graph->program;
  graph::Bindings bindings;
  if (const auto status = bind_tensors(*program, *pack->content, bindings); status != CUDNN_STATUS_SUCCESS)
    return status;
  const auto chosen = static_cast<graph::Engine>(engine->get<std::int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX));
  const Cost cost{
      .operations = program->work,
      .bytes = program->bytes,
      .pipe = program->multiplies ? pipe_of_layer(program->factors, chosen == graph::kTf32) : host_kernels::pipe_other};
  return call.enqueue(cost, [program, chosen, bindings = std::move(bindings)](Running& running) {
    if (program->in_double)
      graph::run<double>(*program, chosen, bindings, running);
    else
      graph::run<float>(*program, chosen, bindings, running);
  });
}

}  // namespace nvmlkit::cudnn::functions
