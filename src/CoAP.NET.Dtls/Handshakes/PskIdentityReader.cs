using System.Buffers.Binary;
using System.Text;
using CoAP.NET.Dtls.Records;

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>Reads the identity of a client from its ClientKeyExchange (RFC 4279 section 2), which may arrive in fragments.</summary>
internal sealed class PskIdentityReader
{
    /// <summary>Maximum number of records kept until the identity is complete.</summary>
    public const int MaxFragments = 8;

    // RFC 4279 section 5.3 asks for 128 bytes.
    private const int MaxIdentity = 128;
    private const int LengthSize = 2;
    private const int HeaderSize = 12;
    private const byte ClientKeyExchange = 16;

    private readonly byte[] _message = new byte[LengthSize + MaxIdentity];
    private int _known;

    /// <summary>Whether a record begins with a ClientKeyExchange.</summary>
    /// <param name="record">A record of epoch 0 that holds a part of the handshake.</param>
    public static bool IsClientKeyExchange(ReadOnlySpan<byte> record) =>
        record.Length > RecordHeader.Size && record[RecordHeader.Size] == ClientKeyExchange;

    /// <summary>Processes a record.</summary>
    /// <param name="record">A record that begins with a ClientKeyExchange.</param>
    /// <param name="identity">The identity, once it is complete.</param>
    /// <returns>Whether it is complete.</returns>
    public bool TryRead(ReadOnlySpan<byte> record, out string? identity)
    {
        identity = null;
        ReadOnlySpan<byte> message = record[RecordHeader.Size..];
        if (message.Length < HeaderSize)
        {
            return false;
        }

        int offset = Read24(message[6..]);
        int length = Read24(message[9..]);
        ReadOnlySpan<byte> fragment = message[HeaderSize..];

        // Accepts fragments in order only; the client retransmits those that overtake.
        if (length > fragment.Length || offset > _known || offset + length > _message.Length)
        {
            return false;
        }

        fragment[..length].CopyTo(_message.AsSpan(offset));
        _known = Math.Max(_known, offset + length);
        if (_known < LengthSize)
        {
            return false;
        }

        int identityLength = BinaryPrimitives.ReadUInt16BigEndian(_message);
        if (_known < LengthSize + identityLength)
        {
            return false;
        }

        identity = Encoding.UTF8.GetString(_message, LengthSize, identityLength);
        return true;
    }

    private static int Read24(ReadOnlySpan<byte> bytes) => (bytes[0] << 16) | BinaryPrimitives.ReadUInt16BigEndian(bytes[1..]);
}
