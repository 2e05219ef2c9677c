using System.Buffers.Binary;
using System.Security.Cryptography;
using CoAP.NET.Transports;

namespace CoAP.NET.Exchanges;

// A token: the version of this format (1 byte), the number of the request (8), encrypted the time when it was made, in milliseconds of a
// monotonic clock (5), and the state, then the tag (16). AES-GCM under a key that is drawn when the client is made; the number is the
// nonce, so it never repeats under one key. The peer's address is authenticated with it: a response from elsewhere does not open it (RFC
// 8974 section 3.1: integrity, replay protection, freshness, confidentiality, a version).

/// <summary>
/// Puts the state of requests into their tokens and gets it back out of those of responses (RFC 8974 section 3). Thread-safe.
/// </summary>
internal sealed class StatelessTokens : IDisposable
{
    /// <summary>What a token has besides the state, in bytes.</summary>
    public const int Overhead = HeadLength + TimeLength + TagLength;

    private const byte Version = 1;
    private const int HeadLength = 9;
    private const int TimeLength = 5;
    private const int TagLength = 16;
    private const int NonceLength = 12;

    private readonly CoapEnvironment _environment;
    private readonly Lock _gate = new();
    private readonly AesGcm _cipher;
    private readonly Action<CoapStatelessResponse> _onResponse;
    private readonly long _lifetime;
    private readonly long _start;

    // Those whose response was taken.
    private readonly ulong[] _taken;
    private ulong _takenNext;
    private ulong _next;

    /// <summary>Makes the key.</summary>
    /// <param name="environment">For the clock and for randomness.</param>
    /// <param name="lifetime">For how long a token is taken back.</param>
    /// <param name="window">How many numbers are remembered.</param>
    /// <param name="onResponse">The application's, which gets the responses.</param>
    public StatelessTokens(CoapEnvironment environment, TimeSpan lifetime, int window, Action<CoapStatelessResponse> onResponse)
    {
        byte[] key = new byte[16];
        environment.Random.Fill(key);
        _environment = environment;
        _onResponse = onResponse;
        _cipher = new AesGcm(key, TagLength);
        CryptographicOperations.ZeroMemory(key);
        _lifetime = lifetime.Ticks;
        _start = environment.Now;
        // One word more: so many may lie between the newest and one that is taken.
        _taken = new ulong[((window + 63) / 64) + 1];
    }

    public bool IsDisposed { get; private set; }

    /// <summary>Makes the token of a request.</summary>
    /// <param name="state">The state.</param>
    /// <param name="peer">To whom the request goes.</param>
    public CoapToken Seal(ReadOnlySpan<byte> state, CoapChannel peer)
    {
        byte[] token = new byte[Overhead + state.Length];
        byte[] plain = new byte[TimeLength + state.Length];
        long milliseconds = Math.Max(0, _environment.Now - _start) / TimeSpan.TicksPerMillisecond;
        plain[0] = (byte)(milliseconds >> 32);
        BinaryPrimitives.WriteUInt32BigEndian(plain.AsSpan(1), (uint)milliseconds);
        state.CopyTo(plain.AsSpan(TimeLength));
        Span<byte> nonce = stackalloc byte[NonceLength];
        Span<byte> sender = stackalloc byte[CoapAddress.BinaryLength + sizeof(ulong)];
        WriteTo(sender, peer);
        nonce.Clear();
        token[0] = Version;
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(IsDisposed, typeof(CoapStatelessClient));
            BinaryPrimitives.WriteUInt64BigEndian(token.AsSpan(1), ++_next);
            token.AsSpan(1, 8).CopyTo(nonce[4..]);
            _cipher.Encrypt(nonce, plain, token.AsSpan(HeadLength, plain.Length), token.AsSpan(HeadLength + plain.Length), sender);
        }

        return new CoapToken(token);
    }

    /// <summary>Whether a token was made here, for this peer, lately, and its response was not taken yet. If so, it is taken now.</summary>
    /// <param name="token">The token of a response.</param>
    /// <param name="peer">Who sent it.</param>
    /// <param name="state">The state.</param>
    /// <param name="age">How long ago the token was made.</param>
    public bool TryOpen(in CoapToken token, CoapChannel peer, out byte[] state, out TimeSpan age)
    {
        state = [];
        age = default;
        byte[] bytes = token.ToArray();
        if (bytes.Length < Overhead || bytes[0] != Version)
        {
            return false;
        }

        ulong number = BinaryPrimitives.ReadUInt64BigEndian(bytes.AsSpan(1));
        byte[] plain = new byte[bytes.Length - HeadLength - TagLength];
        Span<byte> nonce = stackalloc byte[NonceLength];
        Span<byte> sender = stackalloc byte[CoapAddress.BinaryLength + sizeof(ulong)];
        WriteTo(sender, peer);
        nonce.Clear();
        bytes.AsSpan(1, 8).CopyTo(nonce[4..]);
        lock (_gate)
        {
            if (IsDisposed || number > _next || !ReplayBits.Takes(_takenNext, _taken, number))
            {
                return false;
            }

            try
            {
                _cipher.Decrypt(nonce, bytes.AsSpan(HeadLength, plain.Length), bytes.AsSpan(HeadLength + plain.Length), plain, sender);
            }
            catch (AuthenticationTagMismatchException)
            {
                return false;
            }

            long made = (((long)plain[0] << 32) | BinaryPrimitives.ReadUInt32BigEndian(plain.AsSpan(1))) * TimeSpan.TicksPerMillisecond;
            age = TimeSpan.FromTicks(Math.Max(0, _environment.Now - _start - made));
            if (age.Ticks > _lifetime)
            {
                return false;
            }

            ReplayBits.Add(ref _takenNext, _taken, number);
        }

        state = plain[TimeLength..];
        return true;
    }

    /// <summary>Gives a response to the application. No lock may be held.</summary>
    public void Give(CoapStatelessResponse response)
    {
        UserCode.Enter();
        try
        {
            _onResponse(response);
        }
#pragma warning disable CA1031 // whatever the application throws, the endpoint goes on
        catch (Exception exception)
#pragma warning restore CA1031
        {
            _environment.Counters.Add(CoapCounter.HandlerErrors);
            Log.StageFailed(_environment.Logger, exception);
        }
        finally
        {
            UserCode.Exit();
        }
    }

    public void Dispose()
    {
        lock (_gate)
        {
            IsDisposed = true;
            _cipher.Dispose();
        }
    }

    // Of a session the address may change; a response in another session answers nothing (RFC 7252 section 9.1.2).
    private static void WriteTo(Span<byte> sender, CoapChannel peer)
    {
        (peer is { IsConnection: true, IsReliable: false } ? default : peer.Remote).WriteTo(sender);
        BinaryPrimitives.WriteUInt64BigEndian(sender[CoapAddress.BinaryLength..], peer.Number);
    }
}
