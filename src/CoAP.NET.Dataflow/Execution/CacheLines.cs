using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;

namespace CoAP.NET;

/// <summary>Has the processor fetch memory that will be needed soon, while it goes on with something else.</summary>
internal static unsafe class CacheLines
{
    /// <summary>Fetches the line of a place.</summary>
    /// <typeparam name="T">What lies there.</typeparam>
    /// <param name="place">The place. Whatever becomes of the object meanwhile, nothing is read or written.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Fetch<T>(ref readonly T place)
    {
        if (Sse.IsSupported)
        {
            // An address that is out of date by now fetches something else; it cannot fail.
            Sse.Prefetch0(Unsafe.AsPointer(ref Unsafe.AsRef(in place)));
        }
    }

    /// <summary>Fetches the line of a place, and those before and after it.</summary>
    /// <typeparam name="T">What lies there.</typeparam>
    /// <param name="place">See <see cref="Fetch"/>.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void FetchAround<T>(ref readonly T place)
    {
        if (Sse.IsSupported)
        {
            byte* at = (byte*)Unsafe.AsPointer(ref Unsafe.AsRef(in place));
            Sse.Prefetch0(at);
            Sse.Prefetch0(at + 64);
            Sse.Prefetch0(at - 64);
        }
    }
}
