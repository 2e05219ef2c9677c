using System.Buffers.Binary;
using System.Text;
using CoAP.NET.Dtls.Records;

namespace CoAP.NET.Dtls.Cookies;

/// <summary>The fields of a ClientHello that a cookie covers (RFC 6347 section 4.2.1). Points into the datagram.</summary>
internal readonly ref struct ClientHello
{
    private const int HandshakeHeaderSize = 12;
    private const int VersionAndRandom = 34;
    private const byte ClientHelloType = 1;
    private const int MaxSessionId = 32;
    private const ushort ServerName = 0;
    private const ushort ExtendedMasterSecret = 23;
    private const byte HostName = 0;

    // The longest name in the Domain Name System.
    private const int MaxServerName = 255;

    private ClientHello(ReadOnlySpan<byte> record, ulong sequence, ReadOnlySpan<byte> before, ReadOnlySpan<byte> cookie,
        ReadOnlySpan<byte> after, ReadOnlySpan<byte> extensions)
    {
        Sequence = sequence;
        Extensions = extensions;
        Record = record;
        BeforeCookie = before;
        Cookie = cookie;
        AfterCookie = after;
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

    /// <summary>Version, random and session id.</summary>
    public ReadOnlySpan<byte> BeforeCookie { get; }

    /// <summary>The cookie; empty in a first ClientHello.</summary>
    public ReadOnlySpan<byte> Cookie { get; }

    /// <summary>Cipher suites and compression methods: extensions may differ the second time.</summary>
    public ReadOnlySpan<byte> AfterCookie { get; }

    /// <summary>The number of its record.</summary>
    public ulong Sequence { get; }

    /// <summary>The extensions, without the length before them; empty when there are none (RFC 5246 section 7.4.1.4).</summary>
    public ReadOnlySpan<byte> Extensions { get; }

    /// <summary>Whether the client can bind the master secret to the whole handshake (RFC 7627 section 5.1).</summary>
    public bool HasExtendedMasterSecret => TryFind(ExtendedMasterSecret, out _);

    /// <summary>The host name that a client requests (RFC 6066 section 3), in lower case.</summary>
    /// <param name="datagram">Its ClientHello.</param>
    /// <returns>Null where it requests none, or what it requests is no name of a host.</returns>
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

    /// <summary>Reads a ClientHello.</summary>
    /// <param name="datagram">A datagram.</param>
    /// <param name="hello">Its fields.</param>
    /// <returns>
    /// Whether the datagram begins with a whole ClientHello. The server rejects fragments before the cookie check, because they would need
    /// memory for unverified senders.
    /// </returns>
    public static bool TryRead(ReadOnlySpan<byte> datagram, out ClientHello hello)
    {
        hello = default;
        if (!RecordHeader.TryRead(datagram, 0, out RecordHeader header) || header.Type != ContentType.Handshake || header.Epoch != 0)
        {
            return false;
        }

        ReadOnlySpan<byte> record = datagram[..(header.HeaderLength + header.Length)];
        ReadOnlySpan<byte> message = record[header.HeaderLength..];
        if (message.Length < HandshakeHeaderSize || message[0] != ClientHelloType || !IsWhole(message))
        {
            return false;
        }

        ReadOnlySpan<byte> body = message[HandshakeHeaderSize..];
        int position = VersionAndRandom;
        if (body.Length < VersionAndRandom || body[0] != RecordHeader.MajorVersion
            || !TrySkip(body, ref position, 1, out ReadOnlySpan<byte> sessionId) || sessionId.Length > MaxSessionId)
        {
            return false;
        }

        ReadOnlySpan<byte> before = body[..position];
        if (!TrySkip(body, ref position, 1, out ReadOnlySpan<byte> cookie))
        {
            return false;
        }

        int after = position;
        if (!TrySkip(body, ref position, 2, out _) || !TrySkip(body, ref position, 1, out _))
        {
            return false;
        }

        ReadOnlySpan<byte> covered = body[after..position];
        hello = new ClientHello(record, header.Sequence, before, cookie, covered,
            TrySkip(body, ref position, 2, out ReadOnlySpan<byte> extensions) ? extensions : default);
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

    private static bool IsWhole(ReadOnlySpan<byte> message)
    {
        int length = Read24(message[1..]);
        return Read24(message[6..]) == 0 && Read24(message[9..]) == length && message.Length == HandshakeHeaderSize + length;
    }

    private static int Read24(ReadOnlySpan<byte> bytes) => (bytes[0] << 16) | BinaryPrimitives.ReadUInt16BigEndian(bytes[1..]);

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
