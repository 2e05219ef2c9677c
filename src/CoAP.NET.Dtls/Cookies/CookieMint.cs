using System.Buffers.Binary;
using System.Security.Cryptography;
using CoAP.NET.Dtls.Records;

namespace CoAP.NET.Dtls.Cookies;

/// <summary>
/// Makes and checks the cookies of HelloVerifyRequests (RFC 6347 section 4.2.1) without keeping anything of a client: a keyed hash of its
/// address and its ClientHello. Keys change, and the one before the newest still holds.
/// </summary>
internal sealed class CookieMint
{
    /// <summary>Bytes of a HelloVerifyRequest: less than those of any ClientHello, so that nobody is flooded by them.</summary>
    public const int RequestLength = RecordHeader.Size + HandshakeHeaderSize + 3 + CookieLength;

    private const int HandshakeHeaderSize = 12;
    private const int CookieLength = 16;
    private const int KeyLength = 32;
    private const int StackBytes = 512;
    private const byte HelloVerifyRequest = 3;

    // RFC 6347 section 4.2.1: in a HelloVerifyRequest stands DTLS 1.0, whatever will be agreed.
    private const ushort VerifyVersion = 0xFEFF;

    private readonly CoapRandomSource _random;
    private readonly TimeProvider _time;
    private readonly TimeSpan _keyLifetime;
    private readonly Lock _lock = new();
    private Keys _keys;

    /// <summary>Makes one.</summary>
    /// <param name="random">Where keys come from.</param>
    /// <param name="time">When they change.</param>
    /// <param name="keyLifetime">How long one is used; cookies hold between once and twice this long.</param>
    public CookieMint(CoapRandomSource random, TimeProvider time, TimeSpan keyLifetime)
    {
        _random = random;
        _time = time;
        _keyLifetime = keyLifetime;
        _keys = new Keys(NewKey(), NewKey(), time.GetTimestamp());
    }

    /// <summary>Whether a ClientHello carries a cookie that was made for it.</summary>
    /// <param name="hello">The ClientHello.</param>
    /// <param name="address">The bytes of the address it came from.</param>
    public bool Accepts(in ClientHello hello, ReadOnlySpan<byte> address)
    {
        if (hello.Cookie.Length != CookieLength)
        {
            return false;
        }

        Keys keys = Current();
        Span<byte> cookie = stackalloc byte[CookieLength];
        Make(keys.Newest, hello, address, cookie);
        if (CryptographicOperations.FixedTimeEquals(cookie, hello.Cookie))
        {
            return true;
        }

        Make(keys.Before, hello, address, cookie);
        return CryptographicOperations.FixedTimeEquals(cookie, hello.Cookie);
    }

    /// <summary>Writes the answer to a ClientHello without a good cookie.</summary>
    /// <param name="hello">The ClientHello.</param>
    /// <param name="address">The bytes of the address it came from.</param>
    /// <param name="datagram">Takes <see cref="RequestLength"/> bytes.</param>
    public void WriteRequest(in ClientHello hello, ReadOnlySpan<byte> address, Span<byte> datagram)
    {
        // With the number of the ClientHello, as nothing is known of numbers that were used before.
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
        Make(Current().Newest, hello, address, body.Slice(3, CookieLength));
    }

    private static void Make(byte[] key, in ClientHello hello, ReadOnlySpan<byte> address, Span<byte> cookie)
    {
        // In one piece, as that takes nothing from the heap: strangers come in any number.
        int length = address.Length + hello.BeforeCookie.Length + hello.AfterCookie.Length;
        Span<byte> covered = length <= StackBytes ? stackalloc byte[StackBytes] : new byte[length];
        address.CopyTo(covered);
        hello.BeforeCookie.CopyTo(covered[address.Length..]);
        hello.AfterCookie.CopyTo(covered[(address.Length + hello.BeforeCookie.Length)..]);
        Span<byte> made = stackalloc byte[HMACSHA256.HashSizeInBytes];
        _ = HMACSHA256.HashData(key, covered[..length], made);
        made[..CookieLength].CopyTo(cookie);
    }

    private byte[] NewKey()
    {
        byte[] key = new byte[KeyLength];
        _random.Fill(key);
        return key;
    }

    private Keys Current()
    {
        Keys keys = Volatile.Read(ref _keys);
        if (_time.GetElapsedTime(keys.Since) < _keyLifetime)
        {
            return keys;
        }

        lock (_lock)
        {
            TimeSpan age = _time.GetElapsedTime(_keys.Since);
            if (age >= _keyLifetime)
            {
                // After a time when nobody came even the newest one is too old.
                Volatile.Write(ref _keys, new Keys(NewKey(), age < 2 * _keyLifetime ? _keys.Newest : NewKey(), _time.GetTimestamp()));
            }

            return _keys;
        }
    }

    private sealed record Keys(byte[] Newest, byte[] Before, long Since);
}
