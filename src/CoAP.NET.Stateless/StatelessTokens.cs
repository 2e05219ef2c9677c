using System.Buffers.Binary;
using System.Security.Cryptography;
using System.Text;
using CoAP.NET.Cryptography;
using CoAP.NET.Diagnostics;
using CoAP.NET.Exchanges;
using CoAP.NET.Execution;
using CoAP.NET.Guarding;

namespace CoAP.NET.Stateless;

// A token contains: the version of this format (2 bits) with the lowest bits of the epoch (6), the run that created it (8 bytes), the
// number of the request (5), encrypted the milliseconds since the epoch began (4) and the state, then the tag (12). The cipher is AES-CCM.
// Its key derives from the key of the epoch, the name of the client and the run. A run is a random number of each client object, so no two
// processes with one secret use the same key. The number is the nonce, so it never repeats under one key. The peer's address is
// authenticated too: a response from elsewhere does not open the token (RFC 8974 section 3.1: integrity, replay protection, freshness,
// confidentiality, a version).

/// <summary>
/// Encrypts the state of requests into their tokens, and decrypts it from those of responses (RFC 8974 section 3). With a shared secret it
/// also opens tokens of other processes. Thread-safe.
/// </summary>
internal sealed class StatelessTokens : StatelessTokenHandler, IDisposable
{
    /// <summary>The overhead of a token besides the state, in bytes.</summary>
    public const int Overhead = HeadLength + TimeLength + TagLength;

    private const string Purpose = "stateless tokens";
    private const byte Version = 0xC0;
    private const byte VersionMask = 0xC0;
    private const int BitsOfMark = 6;
    private const int RunLength = 8;
    private const int NumberLength = 5;
    private const int HeadLength = 1 + RunLength + NumberLength;
    private const int TimeLength = 4;
    private const int TagLength = StatelessTokenKeys.TagLength;
    private const int NonceLength = 12;
    private const ulong MaxNumber = (1UL << (8 * NumberLength)) - 1;

    // The maximum number of processes whose tokens return here; only holders of the secret can be among them.
    private const int MaxRuns = 64;

    private static readonly TimeSpan s_epoch = TimeSpan.FromDays(1);

    private readonly CoapEnvironment _environment;
    private readonly Lock _gate = new();
    private readonly RotatingKeyProvider _keys;
    private readonly UtcClockOffset _time;
    private readonly bool _isShared;
    private readonly byte[] _name;
    private readonly Action<CoapStatelessResponse> _onResponse;
    private readonly long _lifetime;
    private readonly int _words;
    private readonly ulong _process;
    private readonly Dictionary<ulong, StatelessTokenKeys> _runs = [];
    private StatelessTokenKeys _own;
    private ulong _next;

    /// <summary>Creates the keys.</summary>
    /// <param name="environment">The environment, for the clock, randomness and the shared secret.</param>
    /// <param name="options">The lifetime of a token, the number of remembered numbers, and the name of the client.</param>
    /// <param name="onResponse">The callback of the application for responses.</param>
    /// <exception cref="PlatformNotSupportedException">This machine has no AES-CCM.</exception>
    public StatelessTokens(CoapEnvironment environment, CoapStatelessOptions options, Action<CoapStatelessResponse> onResponse)
    {
        if (AesCcmCipher.MeansFor(StatelessTokenKeys.KeyLength) == AesCcmImplementation.None)
        {
            throw new PlatformNotSupportedException(AesCcmCipher.Missing("A stateless client"));
        }

        _environment = environment;
        _onResponse = onResponse;
        Name = options.Name;
        _name = Encoding.UTF8.GetBytes(options.Name);
        _lifetime = options.Lifetime.Ticks;
        // One word more: so many numbers may lie between the newest and an accepted one.
        _words = ((options.ReplayWindow + 63) / 64) + 1;
        _isShared = environment.Secret is not null;
        _keys = environment.Secret?.KeysFor(Purpose, s_epoch) ?? OwnKeys(environment);
        _time = new UtcClockOffset(environment);
        _process = environment.Random.NextUInt64();
        _own = AddOwn(_time.Offset());
    }

    public override string Name { get; }

    public override int TokenOverhead => Overhead;

    public bool IsDisposed { get; private set; }

    public override CoapToken Seal(ReadOnlySpan<byte> state, CoapChannel peer)
    {
        byte[] token = new byte[Overhead + state.Length];
        byte[] plain = new byte[TimeLength + state.Length];
        state.CopyTo(plain.AsSpan(TimeLength));
        Span<byte> nonce = stackalloc byte[NonceLength];
        Span<byte> sender = stackalloc byte[EchoAndTokenPeerBinding.Length];
        lock (_gate)
        {
            long offset = IsDisposed ? throw new ObjectDisposedException(nameof(CoapStatelessClient)) : _time.Offset();
            if (offset != _own.Offset || _next == MaxNumber || _own.Keys != _keys.ForNew)
            {
                // The clock was set, all numbers are used, or the secret is being replaced.
                _own = AddOwn(offset);
            }

            long day = offset + _environment.Now;
            long epoch = _keys.EpochAt(day);
            AesCcmCipher cipher = _own.CipherOf(epoch, _name) ?? throw new ObjectDisposedException(nameof(CoapStatelessClient));
            token[0] = (byte)(Version | (epoch & ~VersionMask & 0xFF));
            BinaryPrimitives.WriteUInt64BigEndian(token.AsSpan(1), _own.Number);
            WriteNumber(token.AsSpan(1 + RunLength), ++_next);
            BinaryPrimitives.WriteUInt32BigEndian(plain, (uint)((day - _keys.StartOf(epoch)) / TimeSpan.TicksPerMillisecond));
            MakeNonce(nonce, token);
            WriteTo(sender, peer);
            cipher.Encrypt(nonce, sender, plain, token.AsSpan(HeadLength, plain.Length), token.AsSpan(HeadLength + plain.Length));
        }

        return new CoapToken(token);
    }

    public override bool TryOpen(in CoapToken token, CoapChannel peer, bool isOwn, out byte[] state, out TimeSpan age)
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
        Span<byte> sender = stackalloc byte[EchoAndTokenPeerBinding.Length];
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
            bool isOpen = TryDecrypt(run, epoch, nonce, bytes, plain, sender);
            if (!isOpen && _keys.Previous is { } previous && !_runs.ContainsKey(run.Number))
            {
                // Another process makes its tokens with one of the two secrets.
                run.Dispose();
                run = new StatelessTokenKeys(run.Number, null, _words, previous);
                isOpen = TryDecrypt(run, epoch, nonce, bytes, plain, sender);
            }

            if (!isOpen || !IsYoung(run, epoch, plain, out age) || !TryAdd(run))
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

    public override void Give(CoapResponse response, byte[] state, TimeSpan age)
    {
        UserCodeScope.Enter();
        try
        {
            _onResponse(new CoapStatelessResponse(response, state, age));
        }
#pragma warning disable CA1031 // the endpoint continues, whatever the application throws
        catch (Exception exception)
#pragma warning restore CA1031
        {
            _environment.Counters.Add(CoapCounter.HandlerErrors);
            Log.StageFailed(_environment.Logger, exception);
        }
        finally
        {
            UserCodeScope.Exit();
        }
    }

    public void Dispose()
    {
        lock (_gate)
        {
            IsDisposed = true;
            _keys.Dispose();
            foreach (StatelessTokenKeys run in _runs.Values)
            {
                run.Dispose();
            }
        }
    }

    private static RotatingKeyProvider OwnKeys(CoapEnvironment environment)
    {
        byte[] secret = new byte[RotatingKeyProvider.MinSecretLength];
        environment.Random.Fill(secret);
        RotatingKeyProvider keys = new(secret, Purpose, s_epoch, environment.TimeProvider);
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

    // The address of a session may change; a response in another session answers nothing (RFC 7252 section 9.1.2).
    private void WriteTo(Span<byte> sender, CoapChannel peer) =>
        EchoAndTokenPeerBinding.Write(sender, peer, peer is { IsConnection: true, IsReliable: false } ? default : peer.Remote, _process);

    private StatelessTokenKeys AddOwn(long offset)
    {
        StatelessTokenKeys run = new(_environment.Random.NextUInt64(), offset, _words, _keys.ForNew);
        _next = 0;
        _ = TryAdd(run);
        return run;
    }

    // Null: a foreign token.
    private StatelessTokenKeys? RunOf(ulong number, bool isOwn) => _runs.TryGetValue(number, out StatelessTokenKeys? known)
        ? known.IsOwn || !isOwn ? known : null
        : _isShared && !isOwn ? new StatelessTokenKeys(number, null, _words, _keys) : null;

    private bool TryDecrypt(
        StatelessTokenKeys run, long epoch, ReadOnlySpan<byte> nonce, byte[] token, Span<byte> plain, ReadOnlySpan<byte> sender) =>
        run.CipherOf(epoch, _name) is { } cipher
            && cipher.TryDecrypt(nonce, sender, token.AsSpan(HeadLength, plain.Length), token.AsSpan(HeadLength + plain.Length), plain);

    private bool IsYoung(StatelessTokenKeys run, long epoch, ReadOnlySpan<byte> plain, out TimeSpan age)
    {
        long made = _keys.StartOf(epoch) + (BinaryPrimitives.ReadUInt32BigEndian(plain) * TimeSpan.TicksPerMillisecond);
        long now = (run.Offset ?? _time.Offset()) + _environment.Now;
        age = TimeSpan.FromTicks(Math.Max(0, now - made));
        return age.Ticks <= _lifetime && made - now <= RotatingKeyProvider.MaxClockDifference.Ticks;
    }

    // A run whose tokens have all expired makes room: they are refused even without its bits.
    private bool TryAdd(StatelessTokenKeys run)
    {
        if (_runs.ContainsKey(run.Number))
        {
            return true;
        }

        if (_runs.Count >= MaxRuns)
        {
            long now = _environment.Now;
            long keep = _lifetime + RotatingKeyProvider.MaxClockDifference.Ticks;
            foreach (StatelessTokenKeys old in _runs.Values.Where(other => other != _own && now - other.Heard > keep).ToArray())
            {
                _runs.Remove(old.Number);
                old.Dispose();
            }
        }

        return _runs.Count < MaxRuns && _runs.TryAdd(run.Number, run);
    }
}
