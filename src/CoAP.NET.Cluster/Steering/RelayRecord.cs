using System.Buffers.Binary;
using System.Security.Cryptography;

namespace CoAP.NET.Cluster;

/// <summary>
/// What one node sends to the UDP port of another: a record with a Connection ID (RFC 9146), so that the server there offers it to its
/// steering. It is sealed with AES-128-GCM; the nonce is its number, which no two records under one key share.
/// </summary>
internal static class RelayRecord
{
    /// <summary>The length of a Connection ID.</summary>
    public const int IdLength = 8;

    /// <summary>The length of a key.</summary>
    public const int KeyLength = 16;

    /// <summary>The length of a tag.</summary>
    public const int TagLength = 16;

    /// <summary>How much a record is longer than what is in it.</summary>
    public const int Overhead = HeaderLength + 1 + TagLength;

    /// <summary>The longest record: what each IPv6 network carries in one packet (RFC 8200 section 5), less the headers of IP and UDP.
    /// Longer ones go over the link.</summary>
    public const int MaxLength = 1280 - 40 - 8;

    // Type, version, epoch, number, Connection ID, length.
    private const int HeaderLength = NumberAt + 6 + IdLength + 2;
    private const int NumberAt = 5;
    private const int IdAt = NumberAt + 6;
    private const int NonceLength = 12;
    private const byte Type = 25;
    private const byte IsQuestion = 0x80;
    private const ulong NumberBits = (1UL << 48) - 1;

    /// <summary>Which numbers there are: as many as a record has room for. Below 2^48.</summary>
    public const ulong Numbers = NumberBits;

    /// <summary>The Connection ID of what may be such a record.</summary>
    /// <param name="datagram">A datagram.</param>
    /// <param name="id">The Connection ID.</param>
    public static bool TryReadId(ReadOnlySpan<byte> datagram, out ulong id)
    {
        bool isRecord = datagram.Length >= Overhead && datagram[0] == Type
            && BinaryPrimitives.ReadUInt16BigEndian(datagram[(HeaderLength - 2)..]) == datagram.Length - HeaderLength;
        id = isRecord ? BinaryPrimitives.ReadUInt64BigEndian(datagram[IdAt..]) : 0;
        return isRecord;
    }

    /// <summary>The number of a record.</summary>
    public static ulong NumberOf(ReadOnlySpan<byte> record) => BinaryPrimitives.ReadUInt64BigEndian(record[(NumberAt - 2)..]) & NumberBits;

    /// <summary>Where the content of a record goes that is <see cref="Overhead"/> longer than it.</summary>
    public static Span<byte> ContentOf(Span<byte> record) => record[(HeaderLength + 1)..^TagLength];

    /// <summary>Seals a record whose content stands in it.</summary>
    /// <param name="aes">The key.</param>
    /// <param name="id">The Connection ID.</param>
    /// <param name="number">Its number, never the same twice under one key.</param>
    /// <param name="kind">What is in it.</param>
    /// <param name="asks">Whether it asks whether it arrives.</param>
    /// <param name="record">The record.</param>
    public static void Seal(AesGcm aes, ulong id, ulong number, RelayKind kind, bool asks, Span<byte> record)
    {
        // Version DTLS 1.2, epoch 1.
        record[0] = Type;
        BinaryPrimitives.WriteUInt64BigEndian(record[(NumberAt - 2)..], (1UL << 48) | number);
        BinaryPrimitives.WriteUInt16BigEndian(record[1..], 0xFEFD);
        BinaryPrimitives.WriteUInt64BigEndian(record[IdAt..], id);
        BinaryPrimitives.WriteUInt16BigEndian(record[(HeaderLength - 2)..], (ushort)(record.Length - HeaderLength));
        Span<byte> content = record[HeaderLength..^TagLength];
        content[0] = (byte)((byte)kind | (asks ? IsQuestion : 0));
        Span<byte> nonce = stackalloc byte[NonceLength];
        WriteNonce(nonce, number);
        aes.Encrypt(nonce, content, content, record[^TagLength..], record[..HeaderLength]);
    }

    /// <summary>Opens a record in place.</summary>
    /// <param name="aes">The key.</param>
    /// <param name="record">The record.</param>
    /// <param name="kind">What is in it.</param>
    /// <param name="asks">Whether it asks whether it arrives.</param>
    /// <returns>False when it is not authentic.</returns>
    public static bool TryOpen(AesGcm aes, Span<byte> record, out RelayKind kind, out bool asks)
    {
        Span<byte> content = record[HeaderLength..^TagLength];
        Span<byte> nonce = stackalloc byte[NonceLength];
        WriteNonce(nonce, NumberOf(record));
        (kind, asks) = (default, false);
        try
        {
            aes.Decrypt(nonce, content, record[^TagLength..], content, record[..HeaderLength]);
        }
        catch (AuthenticationTagMismatchException)
        {
            return false;
        }

        kind = (RelayKind)(content[0] & ~IsQuestion);
        asks = (content[0] & IsQuestion) != 0;
        return true;
    }

    private static void WriteNonce(Span<byte> nonce, ulong number)
    {
        nonce.Clear();
        BinaryPrimitives.WriteUInt64BigEndian(nonce[(NonceLength - sizeof(ulong))..], number);
    }
}
