// For dist/test-windows: the function of bcryptprimitives.dll that Rust's library asks for, which Wine before 9 lacks.
#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T count)
{
    return RtlGenRandom(bytes, count);
}
