using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace CoAP.NET.Transports.Loops;

/// <summary>An array on the pinned heap with its address, for memory that the kernel accesses. The garbage collector owns it.</summary>
internal readonly unsafe struct PinnedArray<T>
    where T : unmanaged
{
    // A reference to the array keeps the address valid.
    private readonly T[] _array;

    public PinnedArray(int length)
    {
        _array = GC.AllocateArray<T>(length, pinned: true);
        Address = (T*)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(_array));
    }

    public T* Address { get; }

}
