#include "ptx/run/special.hpp"

#include <cstddef>

namespace nvmlkit::ptx {
namespace {

#define OF(field) offsetof(SpecialValues, field)
constexpr std::uint32_t kRow = kLanes * 4;

constexpr SpecialRegister kRegisters[] = {
    {"%tid.x", OF(tid), 4},
    {"%tid.y", OF(tid) + kRow, 4},
    {"%tid.z", OF(tid) + 2 * kRow, 4},
    {"%ntid.x", OF(ntid), 4},
    {"%ntid.y", OF(ntid) + kRow, 4},
    {"%ntid.z", OF(ntid) + 2 * kRow, 4},
    {"%ctaid.x", OF(ctaid), 4},
    {"%ctaid.y", OF(ctaid) + kRow, 4},
    {"%ctaid.z", OF(ctaid) + 2 * kRow, 4},
    {"%nctaid.x", OF(nctaid), 4},
    {"%nctaid.y", OF(nctaid) + kRow, 4},
    {"%nctaid.z", OF(nctaid) + 2 * kRow, 4},
    {"%laneid", OF(laneid), 4},
    {"%lanemask_eq", OF(lanemask), 4},
    {"%lanemask_le", OF(lanemask) + kRow, 4},
    {"%lanemask_lt", OF(lanemask) + 2 * kRow, 4},
    {"%lanemask_ge", OF(lanemask) + 3 * kRow, 4},
    {"%lanemask_gt", OF(lanemask) + 4 * kRow, 4},
    {"%warpid", OF(warpid), 4},
    {"%nwarpid", OF(nwarpid), 4},
    {"%smid", OF(smid), 4, kMultiprocessor},
    {"%nsmid", OF(nsmid), 4},
    {"%total_smem_size", OF(shared_bytes), 4},
    {"%aggr_smem_size", OF(shared_bytes) + kRow, 4},
    {"%dynamic_smem_size", OF(shared_bytes) + 2 * kRow, 4},
    {"%reserved_smem_offset_begin", OF(reserved), 4},
    {"%reserved_smem_offset_end", OF(reserved) + kRow, 4},
    {"%reserved_smem_offset_cap", OF(reserved) + kRow, 4},
    {"%reserved_smem_offset_0", OF(reserved) + 2 * kRow, 4},
    {"%reserved_smem_offset_1", OF(reserved) + 3 * kRow, 4},
    {"WARP_SZ", OF(warp_size), 4},
    {"%gridid", OF(gridid), 8},
    {"%cluster_ctarank", OF(cluster_ctarank), 4},
    {"%cluster_nctarank", OF(cluster_nctarank), 4},
    {"%is_explicit_cluster", OF(is_explicit_cluster), 4},
    {"%cluster_ctaid.x", OF(cluster_ctaid), 4, kPlaceInClusters},
    {"%cluster_ctaid.y", OF(cluster_ctaid) + kRow, 4, kPlaceInClusters},
    {"%cluster_ctaid.z", OF(cluster_ctaid) + 2 * kRow, 4, kPlaceInClusters},
    {"%cluster_nctaid.x", OF(cluster_nctaid), 4},
    {"%cluster_nctaid.y", OF(cluster_nctaid) + kRow, 4},
    {"%cluster_nctaid.z", OF(cluster_nctaid) + 2 * kRow, 4},
    {"%clusterid.x", OF(clusterid), 4, kPlaceInClusters},
    {"%clusterid.y", OF(clusterid) + kRow, 4, kPlaceInClusters},
    {"%clusterid.z", OF(clusterid) + 2 * kRow, 4, kPlaceInClusters},
    {"%nclusterid.x", OF(nclusterid), 4},
    {"%nclusterid.y", OF(nclusterid) + kRow, 4},
    {"%nclusterid.z", OF(nclusterid) + 2 * kRow, 4},
    {"%envreg0", OF(envreg), 4},
    {"%envreg1", OF(envreg) + kRow, 4},
    {"%envreg2", OF(envreg) + 2 * kRow, 4},
    {"%envreg3", OF(envreg) + 3 * kRow, 4},
    {"%envreg4", OF(envreg) + 4 * kRow, 4},
};
#undef OF

}  // namespace

const SpecialRegister* find_special(std::string_view name) {
  for (const auto& known : kRegisters)
    if (known.name == name) return &known;
  return nullptr;
}

}  // namespace nvmlkit::ptx
