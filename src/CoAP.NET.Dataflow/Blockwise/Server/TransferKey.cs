using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace CoAP.NET.Blockwise.Server;

/// <summary>
/// Which operation a block belongs to: the channel, and so the peer's security identity too (RFC 7959 section 7), the code, and the options
/// of the cache key, the list of Request-Tags among them (RFC 9175 section 3.3), without those whose definitions say otherwise. Compared
/// byte by byte; the hash only finds the place.
/// </summary>
internal sealed class TransferKey : IEquatable<TransferKey>
{
    private readonly CoapChannel? _channel;
    private readonly byte[] _bytes;
    private readonly int _hash;

    private TransferKey(CoapChannel? channel, byte[] bytes)
    {
        _channel = channel;
        _bytes = bytes;

        // Keyed, as peers choose the bytes.
        int hash = string.GetHashCode(MemoryMarshal.Cast<byte, char>(bytes));
        _hash = channel is null ? hash : HashCode.Combine(hash, RuntimeHelpers.GetHashCode(channel));
    }

    /// <summary>The memory that the key takes, in bytes.</summary>
    public int Size => _bytes.Length + 48;

    /// <summary>Returns the key of a request.</summary>
    /// <param name="channel">The peer.</param>
    /// <param name="message">The request.</param>
    /// <param name="payload">The part of its payload that distinguishes it from other requests: FETCH has it in the cache key (RFC 8132
    /// section 2.1).</param>
    /// <param name="ofQBlock">
    /// Whether it is the key of a body that comes by Q-Block1: without its Request-Tag, as of each resource only the newest is collected
    /// (RFC 9177 section 4.3).
    /// </param>
    public static TransferKey Of(
        CoapChannel channel, CoapMessage message, ReadOnlySpan<byte> payload = default, bool ofQBlock = false)
    {
        CoapOptionCollection? options = message.OptionsToRead;
        int length = 1 + sizeof(int) + payload.Length;
        int count = options?.Count ?? 0;
        for (int i = 0; i < count; i++)
        {
            length += IsPart(options!, options!.NumberAt(i), ofQBlock) ? 4 + options.LengthAt(i) : 0;
        }

        // Even, for the hash. The lengths of all parts are included, so padding makes no two keys equal.
        byte[] bytes = new byte[(length + 1) & ~1];
        Span<byte> rest = bytes;
        rest[0] = (byte)(message.Code.Value | (ofQBlock ? 0x80 : 0));
        BinaryPrimitives.WriteInt32BigEndian(rest[1..], payload.Length);
        rest = rest[(1 + sizeof(int))..];
        for (int i = 0; i < count; i++)
        {
            int number = options!.NumberAt(i);
            if (IsPart(options, number, ofQBlock))
            {
                ReadOnlySpan<byte> value = options.ValueAt(i);
                BinaryPrimitives.WriteUInt16BigEndian(rest, (ushort)number);
                BinaryPrimitives.WriteUInt16BigEndian(rest[2..], (ushort)value.Length);
                value.CopyTo(rest[4..]);
                rest = rest[(4 + value.Length)..];
            }
        }

        payload.CopyTo(rest);
        return new TransferKey(channel, bytes);
    }

    /// <summary>The key of a representation that all peers share: what was asked for without who asked, and the entity-tag.</summary>
    public TransferKey ForEveryone(ReadOnlySpan<byte> etag)
    {
        byte[] bytes = new byte[(_bytes.Length + etag.Length + 3) & ~1];
        _bytes.CopyTo(bytes.AsSpan());
        etag.CopyTo(bytes.AsSpan(_bytes.Length));
        bytes[^1] = (byte)etag.Length;
        return new TransferKey(null, bytes);
    }

    public bool Equals(TransferKey? other) =>
        other is not null && _hash == other._hash && ReferenceEquals(_channel, other._channel)
            && _bytes.AsSpan().SequenceEqual(other._bytes);

    public override bool Equals(object? obj) => Equals(obj as TransferKey);

    public override int GetHashCode() => _hash;

    private static bool IsPart(CoapOptionCollection options, int number, bool ofQBlock) =>
        !(ofQBlock && number == OptionNumber.RequestTag) && options.Registry.IsInBodyKey(number);
}
