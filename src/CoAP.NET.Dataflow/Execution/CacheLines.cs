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

    /// <summary>Fetches the lines of an object from its beginning on.</summary>
    /// <param name="target">The object. It is not touched: that would be to wait for it.</param>
    /// <param name="bytes">How much of it.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void FetchObject(object target, int bytes)
    {
        if (Sse.IsSupported)
        {
            // Where the object lies now. If it is moved meanwhile, something else is fetched.
            byte* at = (byte*)Unsafe.As<object, nint>(ref target);
            for (int i = 0; i < bytes; i += 64)
            {
                Sse.Prefetch0(at + i);
            }

            Sse.Prefetch0(at + bytes - 1);
        }
    }
}
