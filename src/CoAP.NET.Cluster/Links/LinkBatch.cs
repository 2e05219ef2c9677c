using System.Buffers.Binary;

namespace CoAP.NET.Cluster;

/// <summary>
/// Items for another node in one request: each is preceded by its length in two bytes (network byte order). The caller locks.
/// </summary>
internal sealed class LinkBatch
{
    /// <summary>The maximum length of an item in bytes.</summary>
    public const int MaxItem = ushort.MaxValue;

    /// <summary>The size from which on no further item is added.</summary>
    public const int Size = 32 * 1024;

    private const int LengthSize = sizeof(ushort);

    private byte[] _bytes = new byte[512];

    /// <summary>The number of items.</summary>
    public int Count { get; private set; }

    /// <summary>The number of bytes.</summary>
    public int Length { get; private set; }

    /// <summary>The payload of the request.</summary>
    public ReadOnlyMemory<byte> Bytes => _bytes.AsMemory(0, Length);

    /// <summary>Whether an item fits; the first one always does.</summary>
    public bool HasRoomFor(int item) => Count == 0 || Length + LengthSize + item <= Size;

    public void Add(ReadOnlySpan<byte> item)
    {
        int needed = Length + LengthSize + item.Length;
        if (needed > _bytes.Length)
        {
            Array.Resize(ref _bytes, Math.Max(needed, Math.Min(Size, _bytes.Length * 2)));
        }

        BinaryPrimitives.WriteUInt16BigEndian(_bytes.AsSpan(Length), (ushort)item.Length);
        item.CopyTo(_bytes.AsSpan(Length + LengthSize));
        Length = needed;
        Count++;
    }

    /// <summary>Empties it for reuse; only when its bytes are no longer read.</summary>
    public void Clear() => Count = Length = 0;

    /// <summary>Takes the first item of a payload.</summary>
    /// <param name="payload">The payload; afterwards the rest.</param>
    /// <param name="item">The item.</param>
    /// <returns>False at the end, and for an invalid payload, which leaves a rest.</returns>
    public static bool TryTake(ref ReadOnlySpan<byte> payload, out ReadOnlySpan<byte> item)
    {
        item = default;
        if (payload.Length < LengthSize || BinaryPrimitives.ReadUInt16BigEndian(payload) is var length
            && payload.Length - LengthSize < length)
        {
            return false;
        }

        item = payload.Slice(LengthSize, BinaryPrimitives.ReadUInt16BigEndian(payload));
        payload = payload[(LengthSize + item.Length)..];
        return true;
    }
}
