// Functions that are there for programs to find, and not simulated yet: each says so.
#include "driver/cudart/runtime.hpp"

namespace nvmlkit::cudart {

#define NVMLKIT_LATER(name) \
  NVMLKIT_RUNTIME Error name() { return keep(kNotSupported); }

NVMLKIT_LATER(__cudaGetProcAddress)
NVMLKIT_LATER(__cudaRegisterHostVar) NVMLKIT_LATER(__cudaRegisterUnifiedTable) NVMLKIT_LATER(cudaArrayGetMemoryRequirements) NVMLKIT_LATER(
    cudaArrayGetPlane) NVMLKIT_LATER(cudaArrayGetSparseProperties) NVMLKIT_LATER(cudaDestroyExternalMemory)
    NVMLKIT_LATER(cudaDestroyExternalSemaphore) NVMLKIT_LATER(cudaDeviceFlushGPUDirectRDMAWrites) NVMLKIT_LATER(cudaDeviceGetGraphMemAttribute) NVMLKIT_LATER(cudaDeviceGetHostAtomicCapabilities) NVMLKIT_LATER(cudaDeviceGetNvSciSyncAttributes) NVMLKIT_LATER(cudaDeviceGetP2PAtomicCapabilities) NVMLKIT_LATER(cudaDeviceGetTexture1DLinearMaxWidth) NVMLKIT_LATER(cudaDeviceGraphMemTrim) NVMLKIT_LATER(cudaDeviceRegisterAsyncNotification) NVMLKIT_LATER(cudaDeviceSetGraphMemAttribute) NVMLKIT_LATER(cudaDeviceUnregisterAsyncNotification) NVMLKIT_LATER(cudaEGLStreamConsumerAcquireFrame) NVMLKIT_LATER(cudaEGLStreamConsumerConnect) NVMLKIT_LATER(cudaEGLStreamConsumerConnectWithFlags) NVMLKIT_LATER(cudaEGLStreamConsumerDisconnect) NVMLKIT_LATER(cudaEGLStreamConsumerReleaseFrame) NVMLKIT_LATER(cudaEGLStreamProducerConnect) NVMLKIT_LATER(cudaEGLStreamProducerDisconnect) NVMLKIT_LATER(cudaEGLStreamProducerPresentFrame) NVMLKIT_LATER(cudaEGLStreamProducerReturnFrame) NVMLKIT_LATER(cudaEventCreateFromEGLSync) NVMLKIT_LATER(cudaExternalMemoryGetMappedBuffer) NVMLKIT_LATER(cudaExternalMemoryGetMappedMipmappedArray) NVMLKIT_LATER(
        cudaFreeMipmappedArray) NVMLKIT_LATER(cudaFuncGetParamInfo) NVMLKIT_LATER(cudaGLGetDevices) NVMLKIT_LATER(cudaGLMapBufferObject) NVMLKIT_LATER(cudaGLMapBufferObjectAsync) NVMLKIT_LATER(cudaGLRegisterBufferObject) NVMLKIT_LATER(cudaGLSetBufferObjectMapFlags) NVMLKIT_LATER(cudaGLSetGLDevice)
        NVMLKIT_LATER(cudaGLUnmapBufferObject) NVMLKIT_LATER(cudaGLUnmapBufferObjectAsync) NVMLKIT_LATER(cudaGLUnregisterBufferObject) NVMLKIT_LATER(
            cudaGetMipmappedArrayLevel) NVMLKIT_LATER(cudaGetSurfaceObjectResourceDesc) NVMLKIT_LATER(cudaGetTextureObjectResourceDesc) NVMLKIT_LATER(cudaGetTextureObjectResourceViewDesc)
            NVMLKIT_LATER(cudaGetTextureObjectTextureDesc) NVMLKIT_LATER(cudaGraphAddExternalSemaphoresSignalNode) NVMLKIT_LATER(
                cudaGraphAddExternalSemaphoresWaitNode) NVMLKIT_LATER(cudaGraphAddMemAllocNode)
                NVMLKIT_LATER(cudaGraphAddMemFreeNode) NVMLKIT_LATER(cudaGraphAddNode) NVMLKIT_LATER(cudaGraphConditionalHandleCreate) NVMLKIT_LATER(cudaGraphExecExternalSemaphoresSignalNodeSetParams) NVMLKIT_LATER(cudaGraphExecExternalSemaphoresWaitNodeSetParams) NVMLKIT_LATER(cudaGraphExecNodeSetParams) NVMLKIT_LATER(cudaGraphExternalSemaphoresSignalNodeGetParams) NVMLKIT_LATER(cudaGraphExternalSemaphoresSignalNodeSetParams) NVMLKIT_LATER(cudaGraphExternalSemaphoresWaitNodeGetParams) NVMLKIT_LATER(cudaGraphExternalSemaphoresWaitNodeSetParams) NVMLKIT_LATER(cudaGraphKernelNodeCopyAttributes) NVMLKIT_LATER(cudaGraphKernelNodeGetAttribute) NVMLKIT_LATER(cudaGraphKernelNodeSetAttribute) NVMLKIT_LATER(cudaGraphMemAllocNodeGetParams) NVMLKIT_LATER(cudaGraphMemFreeNodeGetParams) NVMLKIT_LATER(cudaGraphNodeSetParams) NVMLKIT_LATER(cudaGraphReleaseUserObject) NVMLKIT_LATER(cudaGraphRetainUserObject) NVMLKIT_LATER(cudaGraphicsEGLRegisterImage) NVMLKIT_LATER(cudaGraphicsGLRegisterBuffer) NVMLKIT_LATER(cudaGraphicsGLRegisterImage) NVMLKIT_LATER(cudaGraphicsMapResources) NVMLKIT_LATER(cudaGraphicsResourceGetMappedEglFrame) NVMLKIT_LATER(cudaGraphicsResourceGetMappedMipmappedArray) NVMLKIT_LATER(cudaGraphicsResourceGetMappedPointer) NVMLKIT_LATER(cudaGraphicsResourceSetMapFlags) NVMLKIT_LATER(cudaGraphicsSubResourceGetMappedArray) NVMLKIT_LATER(cudaGraphicsUnmapResources) NVMLKIT_LATER(cudaGraphicsUnregisterResource) NVMLKIT_LATER(
                    cudaGraphicsVDPAURegisterOutputSurface) NVMLKIT_LATER(cudaGraphicsVDPAURegisterVideoSurface) NVMLKIT_LATER(cudaImportExternalMemory) NVMLKIT_LATER(cudaImportExternalSemaphore)
                    NVMLKIT_LATER(cudaKernelSetAttributeForDevice) NVMLKIT_LATER(cudaLibraryEnumerateKernels) NVMLKIT_LATER(cudaLibraryGetGlobal) NVMLKIT_LATER(cudaLibraryGetKernel) NVMLKIT_LATER(
                        cudaLibraryGetKernelCount) NVMLKIT_LATER(cudaLibraryGetManaged) NVMLKIT_LATER(cudaLibraryGetUnifiedFunction)
                        NVMLKIT_LATER(cudaLibraryLoadData) NVMLKIT_LATER(cudaLibraryLoadFromFile) NVMLKIT_LATER(cudaLibraryUnload) NVMLKIT_LATER(
                            cudaLogsCurrent) NVMLKIT_LATER(cudaLogsDumpToFile) NVMLKIT_LATER(cudaLogsDumpToMemory) NVMLKIT_LATER(cudaLogsRegisterCallback)
                            NVMLKIT_LATER(cudaLogsUnregisterCallback) NVMLKIT_LATER(cudaMallocMipmappedArray) NVMLKIT_LATER(
                                cudaMemDiscardAndPrefetchBatchAsync) NVMLKIT_LATER(cudaMemDiscardAndPrefetchBatchAsync_ptsz) NVMLKIT_LATER(cudaMemDiscardBatchAsync)
                                NVMLKIT_LATER(cudaMemDiscardBatchAsync_ptsz) NVMLKIT_LATER(cudaMemGetDefaultMemPool) NVMLKIT_LATER(cudaMemGetMemPool) NVMLKIT_LATER(cudaMemPoolExportPointer) NVMLKIT_LATER(
                                    cudaMemPoolExportToShareableHandle) NVMLKIT_LATER(cudaMemPoolImportFromShareableHandle) NVMLKIT_LATER(cudaMemPoolImportPointer)
                                    NVMLKIT_LATER(cudaMemPrefetchBatchAsync) NVMLKIT_LATER(cudaMemPrefetchBatchAsync_ptsz) NVMLKIT_LATER(
                                        cudaMemSetMemPool) NVMLKIT_LATER(cudaMemcpy2DArrayToArray_ptds) NVMLKIT_LATER(cudaMemcpy3DBatchAsync)
                                        NVMLKIT_LATER(cudaMemcpy3DBatchAsync_ptsz) NVMLKIT_LATER(cudaMemcpy3DPeer) NVMLKIT_LATER(
                                            cudaMemcpy3DPeerAsync) NVMLKIT_LATER(cudaMemcpy3DPeerAsync_ptsz)
                                            NVMLKIT_LATER(cudaMemcpy3DPeer_ptds) NVMLKIT_LATER(cudaMemcpyArrayToArray) NVMLKIT_LATER(
                                                cudaMemcpyArrayToArray_ptds) NVMLKIT_LATER(cudaMemcpyBatchAsync)
                                                NVMLKIT_LATER(cudaMemcpyBatchAsync_ptsz) NVMLKIT_LATER(cudaMemcpyFromArrayAsync) NVMLKIT_LATER(
                                                    cudaMemcpyFromArrayAsync_ptsz) NVMLKIT_LATER(cudaMemcpyFromArray_ptds)
                                                    NVMLKIT_LATER(cudaMemcpyToArrayAsync) NVMLKIT_LATER(cudaMemcpyToArrayAsync_ptsz) NVMLKIT_LATER(
                                                        cudaMemcpyToArray_ptds) NVMLKIT_LATER(cudaMipmappedArrayGetMemoryRequirements)
                                                        NVMLKIT_LATER(cudaMipmappedArrayGetSparseProperties) NVMLKIT_LATER(
                                                            cudaOccupancyMaxActiveClusters) NVMLKIT_LATER(cudaOccupancyMaxPotentialClusterSize)
                                                            NVMLKIT_LATER(cudaSignalExternalSemaphoresAsync) NVMLKIT_LATER(
                                                                cudaSignalExternalSemaphoresAsync_ptsz) NVMLKIT_LATER(cudaStreamCopyAttributes)
                                                                NVMLKIT_LATER(cudaStreamCopyAttributes_ptsz) NVMLKIT_LATER(
                                                                    cudaStreamGetAttribute) NVMLKIT_LATER(cudaStreamGetAttribute_ptsz)
                                                                    NVMLKIT_LATER(cudaStreamSetAttribute) NVMLKIT_LATER(
                                                                        cudaStreamSetAttribute_ptsz) NVMLKIT_LATER(cudaUserObjectCreate)
                                                                        NVMLKIT_LATER(cudaUserObjectRelease) NVMLKIT_LATER(
                                                                            cudaUserObjectRetain) NVMLKIT_LATER(cudaVDPAUGetDevice)
                                                                            NVMLKIT_LATER(cudaVDPAUSetVDPAUDevice) NVMLKIT_LATER(
                                                                                cudaWaitExternalSemaphoresAsync) NVMLKIT_LATER(cudaWaitExternalSemaphoresAsync_ptsz)

// What CUDA 13 removed.
#if NVMLKIT_CUDART_VERSION < 13000
                                                                                NVMLKIT_LATER(cudaBindTexture) NVMLKIT_LATER(
                                                                                    cudaBindTexture2D)
                                                                                    NVMLKIT_LATER(cudaBindTextureToArray) NVMLKIT_LATER(
                                                                                        cudaBindTextureToMipmappedArray)
                                                                                        NVMLKIT_LATER(cudaUnbindTexture) NVMLKIT_LATER(
                                                                                            cudaGetTextureAlignmentOffset)
                                                                                            NVMLKIT_LATER(cudaGetTextureReference) NVMLKIT_LATER(
                                                                                                cudaBindSurfaceToArray)
                                                                                                NVMLKIT_LATER(
                                                                                                    cudaGetSurfaceReference)
                                                                                                    NVMLKIT_LATER(
                                                                                                        cudaLaunchCooperativeKernelMultiDevice)
                                                                                                        NVMLKIT_LATER(
                                                                                                            cudaSetDoubleForDevice)
                                                                                                            NVMLKIT_LATER(
                                                                                                                cudaSetDoubleForHost)
                                                                                                                NVMLKIT_LATER(
                                                                                                                    cudaCreateTextureObject_v2)
                                                                                                                    NVMLKIT_LATER(
                                                                                                                        cudaGetTextureObjectTextureDesc_v2)
#endif

}  // namespace nvmlkit::cudart
