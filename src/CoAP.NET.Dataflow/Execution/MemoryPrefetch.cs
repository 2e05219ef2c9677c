using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;

namespace CoAP.NET.Execution;

/// <summary>Prefetches memory that will be needed soon.</summary>
internal static unsafe class MemoryPrefetch
{
    /// <summary>Prefetches the cache line of a location.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="place">The location. Nothing is read or written, even if the object has moved.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Fetch<T>(ref readonly T place)
    {
        if (Sse.IsSupported)
        {
            // An outdated address prefetches something else; it cannot fail.
            Sse.Prefetch0(Unsafe.AsPointer(ref Unsafe.AsRef(in place)));
        }
    }

    /// <summary>Prefetches the cache lines of an object from its beginning.</summary>
    /// <param name="target">The object. It is not accessed, because an access would wait for it.</param>
    /// <param name="bytes">The number of bytes.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void FetchObject(object target, int bytes)
    {
        if (Sse.IsSupported)
        {
            // The current address of the object. If the object moves meanwhile, something else is prefetched.
            byte* at = (byte*)Unsafe.As<object, nint>(ref target);
            for (int i = 0; i < bytes; i += 64)
            {
                Sse.Prefetch0(at + i);
            }

            Sse.Prefetch0(at + bytes - 1);
        }
    }
}
