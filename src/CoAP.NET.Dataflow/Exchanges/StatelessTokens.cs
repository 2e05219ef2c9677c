using System.Buffers.Binary;
using System.Security.Cryptography;
using System.Text;
using CoAP.NET.Guarding;
using CoAP.NET.Transports;

namespace CoAP.NET.Exchanges;

// A token: the version of this format (2 bits) with the lowest bits of the epoch (6), the run that made it (8 bytes), the number of the
// request (5), encrypted the milliseconds since the epoch began (4) and the state, then the tag (12). AES-GCM under a key that follows from
// the key of the epoch, the name of the client and the run; a run is a number that is drawn when the client is made, so no two processes
// with one secret use the same key. The number is the nonce, so it never repeats under one key. The peer's address is authenticated with
// it: a response from elsewhere does not open it (RFC 8974 section 3.1: integrity, replay protection, freshness, confidentiality, a
// version).

/// <summary>
/// Puts the state of requests into their tokens and gets it back out of those of responses (RFC 8974 section 3), with a shared secret also
/// out of those that other processes made. Thread-safe.
/// </summary>
internal sealed class StatelessTokens : IDisposable
{
    /// <summary>What a token has besides the state, in bytes.</summary>
    public const int Overhead = HeadLength + TimeLength + TagLength;

    private const string Purpose = "stateless tokens";
    private const byte Version = 0x80;
    private const byte VersionMask = 0xC0;
    private const int BitsOfMark = 6;
    private const int RunLength = 8;
    private const int NumberLength = 5;
    private const int HeadLength = 1 + RunLength + NumberLength;
    private const int TimeLength = 4;
    private const int TagLength = TokenRun.TagLength;
    private const int NonceLength = 12;
    private const ulong MaxNumber = (1UL << (8 * NumberLength)) - 1;

    // Processes whose tokens come back here, at most: nobody but those who have the secret is one of them.
    private const int MaxRuns = 64;

    private static readonly TimeSpan s_epoch = TimeSpan.FromDays(1);

    private readonly CoapEnvironment _environment;
    private readonly Lock _gate = new();
    private readonly CoapEpochKeys _keys;
    private readonly EvenTime _time;
    private readonly bool _isShared;
    private readonly byte[] _name;
    private readonly Action<CoapStatelessResponse> _onResponse;
    private readonly long _lifetime;
    private readonly int _words;
    private readonly ulong _process;
    private readonly Dictionary<ulong, TokenRun> _runs = [];
    private TokenRun _own;
    private ulong _next;

    /// <summary>Makes the keys.</summary>
    /// <param name="environment">For the clock, for randomness, and for the shared secret.</param>
    /// <param name="options">How long a token is taken back, how many numbers are remembered, and the name of the client.</param>
    /// <param name="onResponse">The application's, which gets the responses.</param>
    public StatelessTokens(CoapEnvironment environment, CoapStatelessOptions options, Action<CoapStatelessResponse> onResponse)
    {
        _environment = environment;
        _onResponse = onResponse;
        Name = options.Name;
        _name = Encoding.UTF8.GetBytes(options.Name);
        _lifetime = options.Lifetime.Ticks;
        // One word more: so many may lie between the newest and one that is taken.
        _words = ((options.ReplayWindow + 63) / 64) + 1;
        _isShared = environment.Secret is not null;
        _keys = environment.Secret?.KeysFor(Purpose, s_epoch) ?? OwnKeys(environment);
        _time = new EvenTime(environment);
        _process = environment.Random.NextUInt64();
        _own = AddOwn(_time.Offset());
    }

    /// <summary>The name that tells clients of an endpoint apart for which other processes make tokens too.</summary>
    public string Name { get; }

    public bool IsDisposed { get; private set; }

    /// <summary>Makes the token of a request.</summary>
    /// <param name="state">The state.</param>
    /// <param name="peer">To whom the request goes.</param>
    public CoapToken Seal(ReadOnlySpan<byte> state, CoapChannel peer)
    {
        byte[] token = new byte[Overhead + state.Length];
        byte[] plain = new byte[TimeLength + state.Length];
        state.CopyTo(plain.AsSpan(TimeLength));
        Span<byte> nonce = stackalloc byte[NonceLength];
        Span<byte> sender = stackalloc byte[PeerBinding.Length];
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(IsDisposed, typeof(CoapStatelessClient));
            long offset = _time.Offset();
            if (offset != _own.Offset || _next == MaxNumber)
            {
                // Somebody set the clock, or all numbers are used.
                _own = AddOwn(offset);
            }

            long day = offset + _environment.Now;
            long epoch = _keys.EpochAt(day);
            AesGcm cipher = _own.CipherOf(epoch, _keys, _name) ?? throw new ObjectDisposedException(nameof(CoapStatelessClient));
            token[0] = (byte)(Version | (epoch & ~VersionMask & 0xFF));
            BinaryPrimitives.WriteUInt64BigEndian(token.AsSpan(1), _own.Number);
            WriteNumber(token.AsSpan(1 + RunLength), ++_next);
            BinaryPrimitives.WriteUInt32BigEndian(plain, (uint)((day - _keys.StartOf(epoch)) / TimeSpan.TicksPerMillisecond));
            MakeNonce(nonce, token);
            WriteTo(sender, peer);
            cipher.Encrypt(nonce, plain, token.AsSpan(HeadLength, plain.Length), token.AsSpan(HeadLength + plain.Length), sender);
        }

        return new CoapToken(token);
    }

    /// <summary>
    /// Whether a token was made here, or by another process with the secret, for this peer, lately, and its response was not taken here
    /// yet. If so, it is taken now.
    /// </summary>
    /// <param name="token">The token of a response.</param>
    /// <param name="peer">Who sent it.</param>
    /// <param name="isOwn">Whether it counts only if it was made here.</param>
    /// <param name="state">The state.</param>
    /// <param name="age">How long ago the token was made.</param>
    public bool TryOpen(in CoapToken token, CoapChannel peer, bool isOwn, out byte[] state, out TimeSpan age)
    {
        state = [];
        age = default;
        byte[] bytes = token.ToArray();
        if (bytes.Length < Overhead || (bytes[0] & VersionMask) != Version)
        {
            return false;
        }

        byte[] plain = new byte[bytes.Length - HeadLength - TagLength];
        Span<byte> nonce = stackalloc byte[NonceLength];
        Span<byte> sender = stackalloc byte[PeerBinding.Length];
        MakeNonce(nonce, bytes);
        lock (_gate)
        {
            ulong number = NumberOf(bytes.AsSpan(1 + RunLength));
            if (IsDisposed || RunOf(BinaryPrimitives.ReadUInt64BigEndian(bytes.AsSpan(1)), isOwn) is not { } run
                || (run == _own && number > _next) || !run.Takes(number))
            {
                return false;
            }

            long epoch = _keys.EpochOf(bytes[0] & ~VersionMask, BitsOfMark);
            WriteTo(sender, peer);
            if (!TryDecrypt(run, epoch, nonce, bytes, plain, sender) || !IsYoung(run, epoch, plain, out age) || !TryAdd(run))
            {
                if (!_runs.ContainsKey(run.Number))
                {
                    run.Dispose();
                }

                return false;
            }

            run.Add(number, _environment.Now);
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
            _keys.Dispose();
            foreach (TokenRun run in _runs.Values)
            {
                run.Dispose();
            }
        }
    }

    private static CoapEpochKeys OwnKeys(CoapEnvironment environment)
    {
        byte[] secret = new byte[CoapEpochKeys.MinSecretLength];
        environment.Random.Fill(secret);
        CoapEpochKeys keys = new(secret, Purpose, s_epoch, environment.TimeProvider);
        CryptographicOperations.ZeroMemory(secret);
        return keys;
    }

    private static void MakeNonce(Span<byte> nonce, ReadOnlySpan<byte> token)
    {
        nonce.Clear();
        token.Slice(1 + RunLength, NumberLength).CopyTo(nonce[(NonceLength - NumberLength)..]);
    }

    private static void WriteNumber(Span<byte> bytes, ulong number)
    {
        bytes[0] = (byte)(number >> 32);
        BinaryPrimitives.WriteUInt32BigEndian(bytes[1..], (uint)number);
    }

    private static ulong NumberOf(ReadOnlySpan<byte> bytes) => ((ulong)bytes[0] << 32) | BinaryPrimitives.ReadUInt32BigEndian(bytes[1..]);

    // Of a session the address may change; a response in another session answers nothing (RFC 7252 section 9.1.2).
    private void WriteTo(Span<byte> sender, CoapChannel peer) =>
        PeerBinding.Write(sender, peer, peer is { IsConnection: true, IsReliable: false } ? default : peer.Remote, _process);

    private TokenRun AddOwn(long offset)
    {
        TokenRun run = new(_environment.Random.NextUInt64(), offset, _words);
        _next = 0;
        _ = TryAdd(run);
        return run;
    }

    // Null: somebody else's.
    private TokenRun? RunOf(ulong number, bool isOwn) => _runs.TryGetValue(number, out TokenRun? known)
        ? known.IsOwn || !isOwn ? known : null
        : _isShared && !isOwn ? new TokenRun(number, null, _words) : null;

    private bool TryDecrypt(TokenRun run, long epoch, ReadOnlySpan<byte> nonce, byte[] token, Span<byte> plain, ReadOnlySpan<byte> sender)
    {
        try
        {
            if (run.CipherOf(epoch, _keys, _name) is not { } cipher)
            {
                return false;
            }

            cipher.Decrypt(nonce, token.AsSpan(HeadLength, plain.Length), token.AsSpan(HeadLength + plain.Length), plain, sender);
            return true;
        }
        catch (AuthenticationTagMismatchException)
        {
            return false;
        }
    }

    private bool IsYoung(TokenRun run, long epoch, ReadOnlySpan<byte> plain, out TimeSpan age)
    {
        long made = _keys.StartOf(epoch) + (BinaryPrimitives.ReadUInt32BigEndian(plain) * TimeSpan.TicksPerMillisecond);
        long now = (run.Offset ?? _time.Offset()) + _environment.Now;
        age = TimeSpan.FromTicks(Math.Max(0, now - made));
        return age.Ticks <= _lifetime && made - now <= CoapEpochKeys.MaxClockDifference.Ticks;
    }

    // One whose tokens are all too old by now makes room: they are not taken any more without its bits.
    private bool TryAdd(TokenRun run)
    {
        if (_runs.ContainsKey(run.Number))
        {
            return true;
        }

        if (_runs.Count >= MaxRuns)
        {
            long now = _environment.Now;
            long keep = _lifetime + CoapEpochKeys.MaxClockDifference.Ticks;
            foreach (TokenRun old in _runs.Values.Where(other => other != _own && now - other.Heard > keep).ToArray())
            {
                _runs.Remove(old.Number);
                old.Dispose();
            }
        }

        return _runs.Count < MaxRuns && _runs.TryAdd(run.Number, run);
    }
}
