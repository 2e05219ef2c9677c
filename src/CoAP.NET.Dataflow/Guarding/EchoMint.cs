using System.Buffers.Binary;
using System.Security.Cryptography;
using CoAP.NET.Options;
using CoAP.NET.Transports;

namespace CoAP.NET.Guarding;

// Value: when it was made, in milliseconds of a monotonic clock (5 bytes, enough for 34 years), and the first 8 bytes of an HMAC-SHA-256
// over that time and the peer's address and port, and which connection or session of the endpoint it is. So nothing is kept for a value; it
// shows both that the peer receives at its address and how old a request can be at most (RFC 9175 section 2.2.1 and appendix A.2). The key
// is drawn when the endpoint is made: values from before a restart are worth nothing. With a shared secret they are those of SharedEcho.

/// <summary>Makes the values of Echo options and knows its own again (RFC 9175). Thread-safe.</summary>
internal sealed class EchoMint : IDisposable
{
    private const int Length = TimeLength + MacLength;
    private const int HeadOfOption = 4;
    private const int TimeLength = 5;
    private const int MacLength = 8;
    private const int InputLength = TimeLength + CoapAddress.BinaryLength + sizeof(ulong);

    private readonly byte[] _key = new byte[32];
    private readonly long _start;
    private readonly SharedEcho? _shared;

    public EchoMint(CoapEnvironment environment)
    {
        environment.Random.Fill(_key);
        _start = environment.Now;
        _shared = environment.Secret is { } secret ? new SharedEcho(environment, secret) : null;
    }

    /// <summary>The most bytes that the option takes in a message.</summary>
    public int OptionSize => HeadOfOption + (_shared is null ? Length : SharedEcho.Length);

    /// <summary>Puts a new value into a response.</summary>
    /// <param name="response">The response.</param>
    /// <param name="peer">To whom it goes.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    public void AddTo(CoapMessage response, CoapChannel peer, long now)
    {
        Span<byte> value = stackalloc byte[_shared is null ? Length : SharedEcho.Length];
        if (_shared is null)
        {
            Make(value, peer, now);
        }
        else if (!_shared.TryMake(value, peer, now))
        {
            return;
        }

        response.Options.Remove(OptionNumber.Echo);
        response.Options.Add(OptionNumber.Echo, value);
    }

    /// <summary>Whether a value was made here, for this peer, and how long ago.</summary>
    /// <param name="value">The value.</param>
    /// <param name="peer">Who sent it back.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    /// <param name="age">Its age, rounded up to milliseconds.</param>
    public bool TryGetAge(ReadOnlySpan<byte> value, CoapChannel peer, long now, out TimeSpan age)
    {
        age = default;
        if (_shared is not null)
        {
            return value.Length == SharedEcho.Length && _shared.TryGetAge(value, peer, now, out age);
        }

        if (value.Length != Length)
        {
            return false;
        }

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

    /// <summary>Wipes the keys.</summary>
    public void Dispose() => _shared?.Dispose();

    private void Make(Span<byte> value, CoapChannel peer, long now)
    {
        long time = Math.Max(0, now - _start) / TimeSpan.TicksPerMillisecond;
        value[0] = (byte)(time >> 32);
        BinaryPrimitives.WriteUInt32BigEndian(value[1..], (uint)time);
        Authenticate(value[..TimeLength], peer, value[TimeLength..]);
    }

    private void Authenticate(ReadOnlySpan<byte> time, CoapChannel peer, Span<byte> mac)
    {
        Span<byte> input = stackalloc byte[InputLength];
        time.CopyTo(input);
        peer.Remote.WriteTo(input[TimeLength..]);
        BinaryPrimitives.WriteUInt64BigEndian(input[(TimeLength + CoapAddress.BinaryLength)..], peer.Number);
        Span<byte> hash = stackalloc byte[HMACSHA256.HashSizeInBytes];
        HMACSHA256.HashData(_key, input, hash);
        hash[..MacLength].CopyTo(mac);
    }
}
