using System.Buffers.Binary;
using CoAP.NET.ResourceDirectory.Registrations;

namespace CoAP.NET.ResourceDirectory.Index;

/// <summary>A registration as a lookup reads it.</summary>
/// <param name="Registration">The registration.</param>
/// <param name="Order">The first eight bytes of its key.</param>
/// <param name="Tail">The other four bytes.</param>
internal readonly record struct DirectoryEntry(Registration Registration, ulong Order, uint Tail)
{
    /// <summary>Writes its key.</summary>
    /// <param name="to">At least <see cref="DirectoryIndex.KeyLength"/> bytes.</param>
    public void WriteKey(Span<byte> to)
    {
        BinaryPrimitives.WriteUInt64BigEndian(to, Order);
        BinaryPrimitives.WriteUInt32BigEndian(to[8..], Tail);
    }
}
