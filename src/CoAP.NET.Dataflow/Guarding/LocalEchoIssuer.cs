using System.Buffers.Binary;
using System.Security.Cryptography;
using CoAP.NET.Cryptography;

namespace CoAP.NET.Guarding;

// Value: the time of creation in milliseconds of a monotonic clock (5 bytes, enough for 34 years), and the first 8 bytes of an HMAC-SHA-256
// over that time, the peer's address and port, and the connection or session of the endpoint (RFC 9175 section 2.2.1 and appendix A.2).

/// <summary>Echo values of one process: the key is random for each endpoint, so values of an earlier run are invalid.</summary>
internal sealed class LocalEchoIssuer : EchoIssuer
{
    private const int TimeLength = 5;
    private const int MacLength = 8;
    private const int InputLength = TimeLength + CoapAddress.BinaryLength + sizeof(ulong);

    private readonly byte[] _key = new byte[32];
    private readonly long _start;

    public LocalEchoIssuer(CoapEnvironment environment)
    {
        environment.Random.Fill(_key);
        _start = environment.Now;
    }

    protected override int Length => TimeLength + MacLength;

    /// <summary>Does nothing: the key ends with the endpoint, and a wiped key would be publicly known.</summary>
    public override void Dispose()
    {
    }

    protected override bool TryMake(Span<byte> value, CoapChannel peer, long now)
    {
        long time = Math.Max(0, now - _start) / TimeSpan.TicksPerMillisecond;
        value[0] = (byte)(time >> 32);
        BinaryPrimitives.WriteUInt32BigEndian(value[1..], (uint)time);
        Authenticate(value[..TimeLength], peer, value[TimeLength..]);
        return true;
    }

    protected override bool TryVerify(ReadOnlySpan<byte> value, CoapChannel peer, long now, out TimeSpan age)
    {
        age = default;
        Span<byte> mac = stackalloc byte[MacLength];
        Authenticate(value[..TimeLength], peer, mac);
        if (!CryptographicOperations.FixedTimeEquals(mac, value[TimeLength..]))
        {
            return false;
        }

        long time = ((long)value[0] << 32) | BinaryPrimitives.ReadUInt32BigEndian(value[1..]);
        age = TimeSpan.FromTicks(Math.Max(0, now - _start - (time * TimeSpan.TicksPerMillisecond)));
        return true;
    }

    private void Authenticate(ReadOnlySpan<byte> time, CoapChannel peer, Span<byte> mac)
    {
        Span<byte> input = stackalloc byte[InputLength];
        time.CopyTo(input);
        peer.Remote.WriteTo(input[TimeLength..]);
        BinaryPrimitives.WriteUInt64BigEndian(input[(TimeLength + CoapAddress.BinaryLength)..], peer.Number);
        Span<byte> hash = stackalloc byte[Sha256.HashLength];
        HmacSha256.HashData(_key, input, hash);
        hash[..MacLength].CopyTo(mac);
    }
}
