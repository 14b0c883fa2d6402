/* The kernels of usual/regular.cuh and irregular.cuh in plain C, for one core. */
#ifndef NVMLKIT_BENCH_SPEED_USUAL_IN_C_H
#define NVMLKIT_BENCH_SPEED_USUAL_IN_C_H

#ifdef __cplusplus
extern "C" {
#endif

void c_transpose(const float* in, float* out, int n);
void c_row_sums(const float* matrix, const float* vector, float* out, int n);
float c_dot(const float* a, const float* b, int n);
void c_scan(const unsigned* in, unsigned* out, int n, int segment);
void c_softmax(const float* in, float* out, int rows, int columns);
void c_layer_norm(const float* in, float* out, int rows, int columns);
void c_gelu(const float* in, float* out, int n);
void c_lengths(const float* in, float* out, int n);
void c_convolution(const float* in, const float* weights, float* out, int n);
void c_sparse(const int* begins, const int* columns, const float* values, const float* vector, float* out, int rows);
void c_sort(const unsigned* in, unsigned* out, int n, int segment);
void c_insert(const unsigned* keys, int n, unsigned* table, unsigned size);
void c_bytes_product(const signed char* a, const signed char* b, int* c, int n);
int c_occurrences(const char* text, int n, const char* word, int length);
void c_mandelbrot(int* steps, int n);
void c_collatz(int* steps, int n);
void c_life(const unsigned char* in, unsigned char* out, int n);
void c_levels(const int* begins, const int* targets, int* level, int nodes);
void c_scatter(const int* where, const float* what, int n, float* out);
int c_inside_circle(int points, int rounds);
void c_calls(const float* in, float* out, int n);
void c_jacobi(const double* in, double* out, int n);
void c_nearest(const float* points, const float* centers, int* nearest, int n, int count);

#ifdef __cplusplus
}
#endif
#endif
