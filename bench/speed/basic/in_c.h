/* The kernels of basic/kernels.cuh in plain C, for one core. */
#ifndef NVMLKIT_BENCH_SPEED_BASIC_IN_C_H
#define NVMLKIT_BENCH_SPEED_BASIC_IN_C_H

#ifdef __cplusplus
extern "C" {
#endif

void c_vector_add(const float* a, const float* b, float* out, int n);
void c_sgemm(const float* a, const float* b, float* c, int n);
void c_dgemm(const double* a, const double* b, double* c, int n);
void c_stencil(const float* in, float* out, int n);
void c_histogram(const unsigned char* in, unsigned* bins, int n);
void c_bodies(const float* x, const float* y, const float* z, float* pull, int n);
void c_black_scholes(const float* price, const float* strike, const float* years, float* call, int n);
float c_sum(const float* in, int n);
void c_points(const float* in, float* out, int n);
void c_linear(const float* in, float* out, int n);
void c_sines(const double* a, const double* b, double* out, int n);

#ifdef __cplusplus
}
#endif
#endif
