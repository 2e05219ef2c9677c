using System.Buffers.Binary;

namespace CoAP.NET.Cluster;

/// <summary>
/// Items that go to another node in one request: each has its length before it, in two bytes (network byte order). Its caller locks.
/// </summary>
internal sealed class LinkBatch
{
    /// <summary>The most bytes of an item.</summary>
    public const int MaxItem = ushort.MaxValue;

    /// <summary>From which size on no further item is put into a batch.</summary>
    public const int Size = 32 * 1024;

    private const int LengthSize = sizeof(ushort);

    private byte[] _bytes = new byte[512];

    /// <summary>How many items it has.</summary>
    public int Count { get; private set; }

    /// <summary>How many bytes it has.</summary>
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

    /// <summary>Empties it, to be filled again; only when nobody reads its bytes any more.</summary>
    public void Clear() => Count = Length = 0;

    /// <summary>Takes the first item off a payload.</summary>
    /// <param name="payload">The payload; afterwards the rest.</param>
    /// <param name="item">The item.</param>
    /// <returns>False at the end, and where the payload is no list of items: then a rest is left.</returns>
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
