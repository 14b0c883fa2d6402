// Mipmaps, cubes, layers and edges of textures and surfaces; texture references, where the compiler has them.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "check.hpp"

namespace {

cudaTextureDesc description(bool linear) {
  cudaTextureDesc out{};
  for (auto& mode : out.addressMode) mode = cudaAddressModeClamp;
  out.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
  out.readMode = cudaReadModeElementType;
  out.normalizedCoords = 1;
  out.mipmapFilterMode = out.filterMode;
  out.maxMipmapLevelClamp = 100;
  return out;
}

void fill(cudaArray_t array, size_t width, size_t height, size_t depth, const std::vector<float>& values) {
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(const_cast<float*>(values.data()), width * sizeof(float), width, height);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(width, height, depth);
  copy.kind = cudaMemcpyHostToDevice;
  OK(cudaMemcpy3D(&copy));
}

bool near(float a, float b) { return std::fabs(a - b) < 1e-3f; }

}  // namespace

__global__ void levels(cudaTextureObject_t texture, float* out) {
  const float2 wide = make_float2(2.0f / 8, 0), narrow = make_float2(0, 1.0f / 8);
  out[0] = tex2DLod<float>(texture, 0.5f, 0.5f, 0.0f);
  out[1] = tex2DLod<float>(texture, 0.5f, 0.5f, 1.0f);
  out[2] = tex2DLod<float>(texture, 0.5f, 0.5f, 2.0f);
  out[3] = tex2DLod<float>(texture, 0.5f, 0.5f, 1.5f);
  out[4] = tex2DLod<float>(texture, 0.5f, 0.5f, 99.0f);
  out[5] = tex2DGrad<float>(texture, 0.5f, 0.5f, wide, narrow);
  out[6] = tex2D<float>(texture, 0.5f, 0.5f);
}

__global__ void cubes(cudaTextureObject_t cube, cudaTextureObject_t two_cubes, float* out) {
  const float directions[6][3] = {{1, .1f, .1f},  {-1, .1f, .1f}, {.1f, 1, .1f},
                                  {.1f, -1, .1f}, {.1f, .1f, 1},  {.1f, .1f, -1}};
  for (int k = 0; k < 6; ++k) {
    out[k] = texCubemap<float>(cube, directions[k][0], directions[k][1], directions[k][2]);
    out[6 + k] = texCubemapLayered<float>(two_cubes, directions[k][0], directions[k][1], directions[k][2], 1);
  }
}

__global__ void layers(cudaTextureObject_t rows, cudaTextureObject_t pictures, cudaSurfaceObject_t surface,
                       float* out) {
  out[0] = tex1DLayered<float>(rows, 0.6f, 2);
  out[1] = tex2DLayered<float>(pictures, 0.9f, 0.1f, 1);
  surf2Dwrite(7.0f, surface, 4, 1);
  surf2Dwrite(8.0f, surface, 4000, -3, cudaBoundaryModeClamp);
  surf2Dwrite(9.0f, surface, 4000, 0, cudaBoundaryModeZero);
  out[2] = surf2Dread<float>(surface, 4, 1);
  out[3] = surf2Dread<float>(surface, 12, 0);
  out[4] = surf2Dread<float>(surface, 4000, 0, cudaBoundaryModeZero);
}

static void mipmaps(float* out) {
  const auto channels = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t mipmap;
  OK(cudaMallocMipmappedArray(&mipmap, &channels, make_cudaExtent(8, 4, 0), 4));
  for (unsigned level = 0; level < 4; ++level) {
    cudaArray_t array;
    cudaExtent extent;
    OK(cudaGetMipmappedArrayLevel(&array, mipmap, level));
    OK(cudaArrayGetInfo(nullptr, &extent, nullptr, array));
    EXPECT(extent.width == 8u >> level && extent.height == (level < 3 ? 4u >> level : 1u));
    fill(array, extent.width, extent.height, 1, std::vector<float>(extent.width * extent.height, 10.0f * level + 1));
  }
  cudaArray_t none;
  EXPECT(cudaGetMipmappedArrayLevel(&none, mipmap, 4) == cudaErrorInvalidValue);
  cudaMipmappedArray_t asked_for_more;
  OK(cudaMallocMipmappedArray(&asked_for_more, &channels, make_cudaExtent(8, 4, 0), 5));
  EXPECT(cudaGetMipmappedArrayLevel(&none, asked_for_more, 4) == cudaErrorInvalidValue);
  OK(cudaFreeMipmappedArray(asked_for_more));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = mipmap;
  const auto how = description(true);
  cudaTextureObject_t texture;
  OK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  levels<<<1, 1>>>(texture, out);
  float h[8];
  OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
  EXPECT(h[0] == 1 && h[1] == 11 && h[2] == 21 && near(h[3], 16) && h[4] == 31 && near(h[5], 11) && h[6] == 1);
  cudaTextureDesc said{};
  cudaResourceDesc of{};
  OK(cudaGetTextureObjectTextureDesc(&said, texture));
  OK(cudaGetTextureObjectResourceDesc(&of, texture));
  EXPECT(said.maxMipmapLevelClamp == 100 && said.normalizedCoords == 1 && of.res.mipmap.mipmap == mipmap);
  OK(cudaDestroyTextureObject(texture));
  cudaResourceViewDesc view{};
  view.format = cudaResViewFormatFloat1;
  view.width = 8;
  view.height = 4;
  view.firstMipmapLevel = 1;
  view.lastMipmapLevel = 2;
  OK(cudaCreateTextureObject(&texture, &resource, &how, &view));
  levels<<<1, 1>>>(texture, out);
  OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
  EXPECT(h[0] == 11 && h[1] == 21 && h[4] == 21);
  OK(cudaDestroyTextureObject(texture));
  OK(cudaFreeMipmappedArray(mipmap));
}

static cudaTextureObject_t texture_of(cudaArray_t array, const cudaTextureDesc& how) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureObject_t texture;
  OK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  return texture;
}

static void cubes_and_layers(float* out) {
  const auto channels = cudaCreateChannelDesc<float>();
  cudaArray_t cube, two_cubes, rows, pictures, plain;
  EXPECT(cudaMalloc3DArray(&cube, &channels, make_cudaExtent(4, 4, 5), cudaArrayCubemap) == cudaErrorInvalidValue);
  OK(cudaMalloc3DArray(&cube, &channels, make_cudaExtent(4, 4, 6), cudaArrayCubemap));
  OK(cudaMalloc3DArray(&two_cubes, &channels, make_cudaExtent(4, 4, 12), cudaArrayCubemap | cudaArrayLayered));
  std::vector<float> faces;
  for (int k = 0; k < 12 * 16; ++k) faces.push_back(static_cast<float>(k / 16));
  fill(cube, 4, 4, 6, faces);
  fill(two_cubes, 4, 4, 12, faces);
  cubes<<<1, 1>>>(texture_of(cube, description(false)), texture_of(two_cubes, description(true)), out);
  float h[16];
  OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
  for (int k = 0; k < 12; ++k) EXPECT(h[k] == static_cast<float>(k));

  OK(cudaMalloc3DArray(&rows, &channels, make_cudaExtent(4, 0, 3), cudaArrayLayered));
  OK(cudaMalloc3DArray(&pictures, &channels, make_cudaExtent(4, 2, 2), cudaArrayLayered));
  OK(cudaMallocArray(&plain, &channels, 4, 2, cudaArraySurfaceLoadStore));
  std::vector<float> numbers;
  for (int k = 0; k < 16; ++k) numbers.push_back(static_cast<float>(k));
  fill(rows, 4, 1, 3, numbers);
  fill(pictures, 4, 2, 2, numbers);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = plain;
  cudaSurfaceObject_t surface;
  OK(cudaCreateSurfaceObject(&surface, &resource));
  layers<<<1, 1>>>(texture_of(rows, description(false)), texture_of(pictures, description(false)), surface, out);
  OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
  EXPECT(h[0] == 10 && h[1] == 11 && h[2] == 7 && h[3] == 8 && h[4] == 0);
  cudaArraySparseProperties sparse;
  EXPECT(cudaArrayGetSparseProperties(&sparse, plain) == cudaErrorInvalidValue);
  int has_sparse = 0;
  OK(cudaDeviceGetAttribute(&has_sparse, cudaDevAttrSparseCudaArraySupported, 0));
  EXPECT((cudaMallocArray(&plain, &channels, 4, 2, cudaArraySparse) == cudaErrorNotSupported) == (has_sparse == 0));
  cudaGetLastError();
}

#if __CUDACC_VER_MAJOR__ < 12
namespace named {
texture<float, 2, cudaReadModeElementType> picture;
}
using named::picture;
texture<float4, 1, cudaReadModeElementType> line;
texture<unsigned char, 2, cudaReadModeNormalizedFloat> parts;
texture<float, cudaTextureType2DLayered, cudaReadModeElementType> stack;
surface<void, 2> board;

__global__ void by_reference(float* out) {
  out[0] = tex2D(picture, 1.5f, 0.5f);
  out[1] = tex2D(picture, 2.0f, 0.5f);
  out[2] = tex1Dfetch(line, 1).z;
  out[3] = tex2D(parts, 1.5f, 1.5f);
  out[4] = tex2DLayered(stack, 1.5f, 0.5f, 1);
  surf2Dwrite(50.0f, board, 12, 0);
}

static void references(float* out) {
  const auto channels = cudaCreateChannelDesc<float>();
  cudaArray_t array, layered;
  OK(cudaMallocArray(&array, &channels, 4, 2, cudaArraySurfaceLoadStore));
  OK(cudaMalloc3DArray(&layered, &channels, make_cudaExtent(4, 2, 2), cudaArrayLayered));
  std::vector<float> numbers;
  for (int k = 0; k < 16; ++k) numbers.push_back(static_cast<float>(k));
  fill(array, 4, 2, 1, numbers);
  fill(layered, 4, 2, 2, numbers);
  picture.filterMode = cudaFilterModeLinear;
  OK(cudaBindTextureToArray(picture, array));
  OK(cudaBindTextureToArray(stack, layered));
  OK(cudaBindSurfaceToArray(board, array));
  float4* memory;
  OK(cudaMalloc(&memory, 256));
  OK(cudaMemcpy(memory, numbers.data(), 64, cudaMemcpyHostToDevice));
  size_t offset = 1;
  OK(cudaBindTexture(&offset, line, memory));
  EXPECT(offset == 0);
  unsigned char bytes[2][32] = {{0, 51}, {0, 102}};
  unsigned char* rows;
  OK(cudaMalloc(&rows, sizeof bytes));
  OK(cudaMemcpy(rows, bytes, sizeof bytes, cudaMemcpyHostToDevice));
  OK(cudaBindTexture2D(&offset, parts, rows, 2, 2, 32));
  by_reference<<<1, 1>>>(out);
  float h[8];
  OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
  EXPECT(h[0] == 1 && near(h[1], 1.5f) && h[2] == 6 && near(h[3], 0.4f) && h[4] == 9);
  float row[4];
  OK(cudaMemcpy2DFromArray(row, sizeof row, array, 0, 0, sizeof row, 1, cudaMemcpyDeviceToHost));
  EXPECT(row[3] == 50);
  const textureReference* reference;
  OK(cudaGetTextureReference(&reference, &picture));
  EXPECT(reference == &picture);
  OK(cudaGetTextureAlignmentOffset(&offset, line));
  OK(cudaUnbindTexture(line));
  EXPECT(cudaGetTextureAlignmentOffset(&offset, line) == cudaErrorInvalidTextureBinding);
  EXPECT(cudaGetTextureReference(&reference, out) == cudaErrorInvalidTexture);
}
#else
static void references(float*) {}
#endif

__global__ void sampled(cudaTextureObject_t one, cudaTextureObject_t two, const float* at, float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float x = at[i], y = at[(7 * i + 3) % count], z = at[(11 * i + 5) % count];
  out[6 * i] = tex1D<float>(one, x);
  out[6 * i + 1] = tex1D<float2>(two, x).y;
  out[6 * i + 2] = tex2D<float>(one, x, y);
  out[6 * i + 3] = tex2D<float2>(two, x, y).y;
  out[6 * i + 4] = tex3D<float>(one, x, y, z);
  out[6 * i + 5] = tex3D<float2>(two, x, y, z).y;
}

static cudaTextureObject_t texture_of(const std::vector<float>& values, int channels, const cudaTextureDesc& how) {
  constexpr int kWidth = 13, kHeight = 9, kDepth = 5;
  const auto format = channels == 1 ? cudaCreateChannelDesc<float>() : cudaCreateChannelDesc<float2>();
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  OK(cudaMalloc3DArray(&resource.res.array.array, &format, make_cudaExtent(kWidth, kHeight, kDepth)));
  cudaMemcpy3DParms copy{};
  copy.srcPtr =
      make_cudaPitchedPtr(const_cast<float*>(values.data()), kWidth * channels * sizeof(float), kWidth, kHeight);
  copy.dstArray = resource.res.array.array;
  copy.extent = make_cudaExtent(kWidth, kHeight, kDepth);
  copy.kind = cudaMemcpyHostToDevice;
  OK(cudaMemcpy3D(&copy));
  cudaTextureObject_t out;
  OK(cudaCreateTextureObject(&out, &resource, &how, nullptr));
  return out;
}

// A texture of floats gives what one of two floats gives, at every coordinate.
static void one_or_two_floats() {
  constexpr int kCount = 512, kTexels = 13 * 9 * 5;
  std::vector<float> one(kTexels), two(2 * kTexels, 0.25f), at(kCount), got(6 * kCount);
  for (int k = 0; k < kTexels; ++k) two[2 * k + 1] = one[k] = static_cast<float>(k * 37 % 101 - 50) / 7;
  for (int i = 0; i < kCount; ++i) at[i] = static_cast<float>(i * 29 % 641 - 200) / 17;
  const float special[] = {NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 1e9f, -1e9f, 1e-40f, -0.0f, 0.5f, 12.5f, 1e8f};
  std::memcpy(at.data(), special, sizeof special);
  float *coordinates, *out;
  OK(cudaMalloc(&coordinates, kCount * sizeof(float)));
  OK(cudaMalloc(&out, 6 * kCount * sizeof(float)));
  OK(cudaMemcpy(coordinates, at.data(), kCount * sizeof(float), cudaMemcpyHostToDevice));
  for (const auto mode : {cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder})
    for (const bool linear : {false, true})
      for (const bool normalized : {false, true}) {
        auto how = description(linear);
        for (auto& each : how.addressMode) each = mode;
        how.normalizedCoords = normalized;
        sampled<<<kCount / 64, 64>>>(texture_of(one, 1, how), texture_of(two, 2, how), coordinates, out, kCount);
        OK(cudaMemcpy(got.data(), out, 6 * kCount * sizeof(float), cudaMemcpyDeviceToHost));
        int others = 0;
        for (int i = 0; i < 3 * kCount; ++i) {
          EXPECT(std::memcmp(&got[2 * i], &got[2 * i + 1], sizeof(float)) == 0 ||
                 (std::isnan(got[2 * i]) && std::isnan(got[2 * i + 1])));
          others += got[2 * i] != got[0];
        }
        EXPECT(others > kCount);
      }
}

int main() {
  float* out;
  OK(cudaMalloc(&out, 64 * sizeof(float)));
  mipmaps(out);
  cubes_and_layers(out);
  references(out);
  one_or_two_floats();
  std::puts("all is well");
}
