using System.Buffers.Binary;
using System.Security.Cryptography;

namespace CoAP.NET.Cluster.Steering;

/// <summary>
/// A record from one node to the UDP port of another, with a Connection ID (RFC 9146), so that the server there offers it to its steering.
/// It is encrypted with AES-128-GCM; the nonce is its number, which is unique under one key.
/// </summary>
internal static class RelayRecord
{
    public const int IdLength = 8;

    public const int KeyLength = 16;

    public const int TagLength = 16;

    /// <summary>The additional bytes of a record.</summary>
    public const int Overhead = HeaderLength + 1 + TagLength;

    /// <summary>
    /// The maximum length of a record: the packet that every IPv6 network carries (RFC 8200 section 5), minus the headers of IP and UDP.
    /// Longer ones are posts.
    /// </summary>
    public const int MaxLength = 1280 - 40 - 8;

    // Type, version, epoch, number, Connection ID, length.
    private const int HeaderLength = NumberAt + 6 + IdLength + 2;
    private const int NumberAt = 5;
    private const int IdAt = NumberAt + 6;
    private const int NonceLength = 12;
    private const byte Type = 25;
    private const byte IsQuestion = 0x80;
    private const ulong NumberBits = (1UL << 48) - 1;

    /// <summary>The range of numbers: as many as fit into a record. Below 2^48.</summary>
    public const ulong Numbers = NumberBits;

    public static bool TryReadId(ReadOnlySpan<byte> datagram, out ulong id)
    {
        bool isRecord = datagram.Length >= Overhead && datagram[0] == Type
            && BinaryPrimitives.ReadUInt16BigEndian(datagram[(HeaderLength - 2)..]) == datagram.Length - HeaderLength;
        id = isRecord ? BinaryPrimitives.ReadUInt64BigEndian(datagram[IdAt..]) : 0;
        return isRecord;
    }

    public static ulong NumberOf(ReadOnlySpan<byte> record) => BinaryPrimitives.ReadUInt64BigEndian(record[(NumberAt - 2)..]) & NumberBits;

    /// <summary>Returns the place for the content of a record, which is <see cref="Overhead"/> longer.</summary>
    public static Span<byte> ContentOf(Span<byte> record) => record[(HeaderLength + 1)..^TagLength];

    /// <summary>Encrypts a record whose content is already in place.</summary>
    /// <param name="aes">The key.</param>
    /// <param name="id">The Connection ID.</param>
    /// <param name="number">Its number, unique under one key.</param>
    /// <param name="kind">The kind of its content.</param>
    /// <param name="asks">Whether it asks for an acknowledgement.</param>
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

    /// <summary>Decrypts a record in place.</summary>
    /// <param name="aes">The key.</param>
    /// <param name="record">The record.</param>
    /// <param name="kind">The kind of its content.</param>
    /// <param name="asks">Whether it asks for an acknowledgement.</param>
    /// <returns>False if it is not authentic.</returns>
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
