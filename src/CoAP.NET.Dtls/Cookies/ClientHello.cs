using System.Buffers.Binary;
using System.Text;
using CoAP.NET.Dtls.Handshakes;
using CoAP.NET.Dtls.Records;

namespace CoAP.NET.Dtls.Cookies;

/// <summary>
/// A ClientHello, or its first fragment: the fields up to the cookie, and those behind it of a whole one. Points into the datagram.
/// </summary>
internal readonly ref struct ClientHello
{
    /// <summary>Maximum bytes of a ClientHello in fragments. One with a key share of a hybrid group, for DTLS 1.3, has 1,800.</summary>
    public const int MaxFragmented = 4_096;

    private const int VersionAndRandom = 34;
    private const int MaxSessionId = 32;
    private const ushort ServerName = 0;
    private const ushort ExtendedMasterSecret = 23;
    private const byte HostName = 0;

    // The longest name in the Domain Name System.
    private const int MaxServerName = 255;

    private ClientHello(ReadOnlySpan<byte> record, ulong sequence, MessageHeader header, ReadOnlySpan<byte> before,
        ReadOnlySpan<byte> cookie, ReadOnlySpan<byte> extensions)
    {
        Sequence = sequence;
        Extensions = extensions;
        Record = record;
        Number = header.Number;
        IsWhole = header.IsWhole;
        BeforeCookie = before;
        Cookie = cookie;
    }

    /// <summary>The whole record.</summary>
    public ReadOnlySpan<byte> Record { get; }

    /// <summary>The name of the session that a client wants to resume (RFC 5246 section 7.4.1.2).</summary>
    /// <param name="datagram">Its ClientHello.</param>
    /// <returns>Null where it wants none.</returns>
    public static byte[]? SessionIdOf(ReadOnlySpan<byte> datagram) =>
        TryRead(datagram, out ClientHello hello) && hello.BeforeCookie.Length > VersionAndRandom + 1
            ? hello.BeforeCookie[(VersionAndRandom + 1)..].ToArray()
            : null;

    /// <summary>Whether it is whole; otherwise it is the first fragment.</summary>
    public bool IsWhole { get; }

    /// <summary>The number of the message in the handshake.</summary>
    public ushort Number { get; }

    /// <summary>Version, random and session id: what a cookie covers.</summary>
    public ReadOnlySpan<byte> BeforeCookie { get; }

    /// <summary>The cookie; empty in a first ClientHello.</summary>
    public ReadOnlySpan<byte> Cookie { get; }

    /// <summary>The number of its record.</summary>
    public ulong Sequence { get; }

    /// <summary>
    /// The extensions of a whole ClientHello, without the length before them; empty when there are none (RFC 5246 section 7.4.1.4).
    /// </summary>
    public ReadOnlySpan<byte> Extensions { get; }

    /// <summary>Whether the client can bind the master secret to the whole handshake (RFC 7627 section 5.1).</summary>
    public bool HasExtendedMasterSecret => TryFind(ExtendedMasterSecret, out _);

    /// <summary>The host name that a client requests (RFC 6066 section 3), in lower case.</summary>
    /// <param name="datagram">Its ClientHello.</param>
    /// <returns>Null if it requests none, or something that is not a host name.</returns>
    public static string? ServerNameOf(ReadOnlySpan<byte> datagram)
    {
        int position = 0;
        if (!TryRead(datagram, out ClientHello hello) || !hello.TryFind(ServerName, out ReadOnlySpan<byte> extension)
            || !TrySkip(extension, ref position, sizeof(ushort), out ReadOnlySpan<byte> list) || list.Length == 0 || list[0] != HostName)
        {
            return null;
        }

        position = 1;
        return TrySkip(list, ref position, sizeof(ushort), out ReadOnlySpan<byte> name) && name.Length is > 0 and <= MaxServerName
            && !name.ContainsAnyExceptInRange((byte)0x21, (byte)0x7e)
                ? Encoding.ASCII.GetString(name).ToLowerInvariant()
                : null;
    }

    /// <summary>Whether a datagram begins with a fragment of a ClientHello other than the first.</summary>
    /// <param name="datagram">A datagram.</param>
    public static bool IsLaterFragment(ReadOnlySpan<byte> datagram) =>
        TryReadHeaders(datagram, out _, out _, out MessageHeader header) && header.Offset > 0;

    /// <summary>Reads a ClientHello, or its first fragment (RFC 6347 section 4.2.3).</summary>
    /// <param name="datagram">A datagram.</param>
    /// <param name="hello">Its fields.</param>
    /// <returns>
    /// Whether the datagram begins with a whole ClientHello, or with a first fragment that has all up to the cookie. Other fragments would
    /// need memory before the cookie check, for unverified senders.
    /// </returns>
    public static bool TryRead(ReadOnlySpan<byte> datagram, out ClientHello hello)
    {
        hello = default;
        if (!TryReadHeaders(datagram, out ReadOnlySpan<byte> record, out ulong sequence, out MessageHeader header)
            || header.Offset > 0 || (!header.IsWhole && header.Length > MaxFragmented))
        {
            return false;
        }

        ReadOnlySpan<byte> body = record[(RecordHeader.Size + MessageHeader.Size)..];
        int position = VersionAndRandom;
        if (body.Length < VersionAndRandom || body[0] != RecordHeader.MajorVersion
            || !TrySkip(body, ref position, 1, out ReadOnlySpan<byte> sessionId) || sessionId.Length > MaxSessionId)
        {
            return false;
        }

        ReadOnlySpan<byte> before = body[..position];
        if (!TrySkip(body, ref position, 1, out ReadOnlySpan<byte> cookie)
            || (header.IsWhole && (!TrySkip(body, ref position, 2, out _) || !TrySkip(body, ref position, 1, out _))))
        {
            return false;
        }

        ReadOnlySpan<byte> extensions = default;
        if (header.IsWhole && !TrySkip(body, ref position, 2, out extensions))
        {
            extensions = default;
        }

        hello = new ClientHello(record, sequence, header, before, cookie, extensions);
        return true;
    }

    private bool TryFind(ushort type, out ReadOnlySpan<byte> content)
    {
        content = default;
        int position = 0;
        while (Extensions.Length - position >= 2 * sizeof(ushort))
        {
            ushort next = BinaryPrimitives.ReadUInt16BigEndian(Extensions[position..]);
            position += sizeof(ushort);
            if (!TrySkip(Extensions, ref position, sizeof(ushort), out content))
            {
                return false;
            }

            if (next == type)
            {
                return true;
            }
        }

        return false;
    }

    // The record has nothing but the message or the fragment.
    private static bool TryReadHeaders(ReadOnlySpan<byte> datagram, out ReadOnlySpan<byte> record, out ulong sequence,
        out MessageHeader header)
    {
        record = default;
        sequence = 0;
        header = default;
        if (!RecordHeader.TryRead(datagram, 0, out RecordHeader outer) || outer.Type != ContentType.Handshake || outer.Epoch != 0)
        {
            return false;
        }

        record = datagram[..(outer.HeaderLength + outer.Length)];
        sequence = outer.Sequence;
        return MessageHeader.TryRead(record[outer.HeaderLength..], out header) && header.Type == HandshakeType.ClientHello
            && outer.Length == MessageHeader.Size + header.FragmentLength;
    }

    private static bool TrySkip(ReadOnlySpan<byte> body, scoped ref int position, int lengthSize, out ReadOnlySpan<byte> field)
    {
        field = default;
        if (body.Length < position + lengthSize)
        {
            return false;
        }

        int length = lengthSize == 1 ? body[position] : BinaryPrimitives.ReadUInt16BigEndian(body[position..]);
        position += lengthSize;
        if (body.Length < position + length)
        {
            return false;
        }

        field = body.Slice(position, length);
        position += length;
        return true;
    }
}
