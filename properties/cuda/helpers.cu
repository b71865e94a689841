// Kernels of the harness itself, never those under test.

// Copies bytes: the kernel that writes an input immediately before the kernel under test. With programmatic dependent launch it
// lets its dependent start at once and only then, late, writes.
extern "C" __global__ void produce(unsigned char* to, const unsigned char* from, unsigned long long bytes, unsigned early, unsigned delay) {
#if __CUDA_ARCH__ >= 900
  if (early != 0) asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
  const long long begin = clock64();
  while (clock64() - begin < delay) {
  }
  const unsigned long long step = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  for (unsigned long long i = blockIdx.x * static_cast<unsigned long long>(blockDim.x) + threadIdx.x; i < bytes; i += step) to[i] = from[i];
}

// Keeps memory and multiprocessors busy for about `cycles`.
extern "C" __global__ void hog(unsigned* memory, unsigned long long words, unsigned long long cycles) {
  const long long begin = clock64();
  unsigned long long i = blockIdx.x * static_cast<unsigned long long>(blockDim.x) + threadIdx.x;
  while (clock64() - begin < static_cast<long long>(cycles)) {
    memory[i % words] += 1;
    i = i * 6364136223846793005ull + 1442695040888963407ull;
  }
}
