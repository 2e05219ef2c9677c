using System.Buffers.Binary;

namespace CoAP.NET.ResourceDirectory.Registrations;

/// <summary>
/// The owner of a registration (RFC 9176 section 7.5, First-Come-First-Remembered): a hash of the registrant's name, and a hash of the
/// source whose share the registration takes.
/// </summary>
/// <param name="High">The first half of the hash of the name.</param>
/// <param name="Low">The second half.</param>
/// <param name="SourceHash">The hash of the source.</param>
internal readonly record struct DirectoryOwner(ulong High, ulong Low, ulong SourceHash)
{
    /// <summary>The length in bytes.</summary>
    public const int Length = 24;

    /// <summary>Whether two owners have the same name.</summary>
    public bool IsSame(in DirectoryOwner other) => High == other.High && Low == other.Low;

    public static DirectoryOwner Read(ReadOnlySpan<byte> bytes) => new(
        BinaryPrimitives.ReadUInt64LittleEndian(bytes),
        BinaryPrimitives.ReadUInt64LittleEndian(bytes[8..]),
        BinaryPrimitives.ReadUInt64LittleEndian(bytes[16..]));

    public void WriteTo(Span<byte> destination)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(destination, High);
        BinaryPrimitives.WriteUInt64LittleEndian(destination[8..], Low);
        BinaryPrimitives.WriteUInt64LittleEndian(destination[16..], SourceHash);
    }
}
