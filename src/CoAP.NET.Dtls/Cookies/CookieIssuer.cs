using System.Buffers.Binary;
using System.Security.Cryptography;
using CoAP.NET.Cryptography;
using CoAP.NET.Dtls.Records;
using CoAP.NET.Execution;

namespace CoAP.NET.Dtls.Cookies;

// Cookie: the lowest byte of the epoch of its key, and the first 15 bytes of an HMAC-SHA-256 over the address and the fields of the
// ClientHello before the cookie: version, random and session id. RFC 6347 section 4.2.1 suggests the cipher suites and the compression
// methods too. They follow the cookie: the first fragment of a long ClientHello may lack them, and the second ClientHello, which is
// longer by the cookie, may be fragmented where the first was not. OpenSSL's stateless listener also answers first fragments, by a cookie
// of the address. The Finished messages prove that the suites were not changed on the way.

/// <summary>
/// Creates and checks the cookies of HelloVerifyRequests (RFC 6347 section 4.2.1) without state per client: a keyed hash of its address and
/// the beginning of its ClientHello. Keys rotate; those of the previous and the next epoch are valid as well. Thread-safe.
/// </summary>
internal sealed class CookieIssuer : IDisposable
{
    /// <summary>
    /// Bytes of a HelloVerifyRequest: fewer than any ClientHello or first fragment that it answers, which rules out amplification.
    /// </summary>
    public const int RequestLength = RecordHeader.Size + HandshakeHeaderSize + 3 + CookieLength;

    /// <summary>The purpose of the keys that several processes share.</summary>
    public const string Purpose = "DTLS cookies";

    private const int HandshakeHeaderSize = 12;
    private const int CookieLength = 16;
    private const int BitsOfMark = 8;

    // An address, a version, a random and a session id of 32 bytes.
    private const int StackBytes = 128;
    private const byte HelloVerifyRequest = 3;

    // RFC 6347 section 4.2.1: a HelloVerifyRequest carries DTLS 1.0, whatever version the ends agree on later.
    private const ushort VerifyVersion = 0xFEFF;

    private readonly RotatingKeyProvider _keys;

    /// <summary>Creates an issuer with secret keys of its own.</summary>
    /// <param name="random">The source of the secret from which the keys derive.</param>
    /// <param name="time">The clock of the key rotation.</param>
    /// <param name="keyLifetime">How long a key is in use; cookies are valid between once and twice this long.</param>
    public CookieIssuer(CoapRandomSource random, TimeProvider time, TimeSpan keyLifetime)
    {
        byte[] secret = new byte[RotatingKeyProvider.MinSecretLength];
        random.Fill(secret);
        _keys = new RotatingKeyProvider(secret, Purpose, keyLifetime, time);
        CryptographicOperations.ZeroMemory(secret);
    }

    /// <summary>Creates an issuer with keys that other processes may share.</summary>
    /// <param name="keys">The keys, which it owns from now on.</param>
    public CookieIssuer(RotatingKeyProvider keys) => _keys = keys;

    /// <summary>Whether a ClientHello carries a valid cookie.</summary>
    /// <param name="hello">The ClientHello.</param>
    /// <param name="address">The bytes of the address it came from.</param>
    public bool Accepts(in ClientHello hello, ReadOnlySpan<byte> address)
    {
        if (hello.Cookie.Length != CookieLength)
        {
            return false;
        }

        return Accepts(_keys, hello, address) || (_keys.Previous is { } previous && Accepts(previous, hello, address));
    }

    /// <summary>Writes the answer to a ClientHello without a valid cookie.</summary>
    /// <param name="hello">The ClientHello.</param>
    /// <param name="address">The bytes of the address it came from.</param>
    /// <param name="datagram">Receives <see cref="RequestLength"/> bytes.</param>
    /// <returns>False after disposal: the caller sends nothing.</returns>
    public bool TryWriteRequest(in ClientHello hello, ReadOnlySpan<byte> address, Span<byte> datagram)
    {
        // Uses the number of the ClientHello, because the server has no record of earlier numbers.
        hello.Record[..RecordHeader.Size].CopyTo(datagram);
        BinaryPrimitives.WriteUInt16BigEndian(datagram[1..], VerifyVersion);
        BinaryPrimitives.WriteUInt16BigEndian(datagram[11..], RequestLength - RecordHeader.Size);
        Span<byte> message = datagram[RecordHeader.Size..];
        message[..HandshakeHeaderSize].Clear();
        message[0] = HelloVerifyRequest;
        message[3] = 3 + CookieLength;
        message[11] = 3 + CookieLength;
        Span<byte> body = message[HandshakeHeaderSize..];
        BinaryPrimitives.WriteUInt16BigEndian(body, VerifyVersion);
        body[2] = CookieLength;
        return TryMake(_keys.ForNew, _keys.Current, hello, address, body.Slice(3, CookieLength));
    }

    /// <summary>Wipes the keys.</summary>
    public void Dispose() => _keys.Dispose();

    private static bool Accepts(RotatingKeyProvider keys, in ClientHello hello, ReadOnlySpan<byte> address)
    {
        Span<byte> cookie = stackalloc byte[CookieLength];
        return TryMake(keys, keys.EpochOf(hello.Cookie[0], BitsOfMark), hello, address, cookie)
            && CryptographicOperations.FixedTimeEquals(cookie, hello.Cookie);
    }

    private static bool TryMake(RotatingKeyProvider keys, long epoch, in ClientHello hello, ReadOnlySpan<byte> address, Span<byte> cookie)
    {
        Span<byte> key = stackalloc byte[RotatingKeyProvider.KeyLength];
        if (!keys.TryGetKey(epoch, key))
        {
            return false;
        }

        // One buffer on the stack: unverified senders must not cause heap allocations.
        int length = address.Length + hello.BeforeCookie.Length;
        Span<byte> covered = stackalloc byte[StackBytes];
        address.CopyTo(covered);
        hello.BeforeCookie.CopyTo(covered[address.Length..]);
        Span<byte> made = stackalloc byte[Sha256.HashLength];
        HmacSha256.HashData(key, covered[..length], made);
        CryptographicOperations.ZeroMemory(key);
        cookie[0] = (byte)epoch;
        made[..(CookieLength - 1)].CopyTo(cookie[1..]);
        return true;
    }
}
