using System.Buffers.Binary;
using System.Security.Cryptography;
using CoAP.NET.Cryptography;

namespace CoAP.NET.Guarding;

// Value: the lowest byte of the epoch of its key, milliseconds since that epoch began (4 bytes), a random number of the process (4 bytes),
// and the first 8 bytes of an HMAC-SHA-256 over these and the binding.

/// <summary>
/// Echo values that all processes with the same secret accept, including this one after a restart. They prove a time, but no events such as
/// a restart: OSCORE makes values of its own for that (RFC 8613 appendix B.1.2).
/// </summary>
internal sealed class SharedEchoIssuer : EchoIssuer
{
    private const int TimeLength = 4;
    private const int RunLength = 4;
    private const int HeadLength = 1 + TimeLength + RunLength;
    private const int MacLength = 8;
    private const int BitsOfMark = 8;

    private static readonly TimeSpan s_epoch = TimeSpan.FromDays(1);

    private readonly RotatingKeyProvider _keys;
    private readonly CoapRandomSource _random;
    private readonly UtcClockOffset _time;
    private Run _run;

    public SharedEchoIssuer(CoapEnvironment environment, SharedSecret secret)
    {
        _keys = secret.KeysFor("Echo", s_epoch);
        _random = environment.Random;
        _time = new UtcClockOffset(environment);
        _run = NewRun(_time.Offset());
    }

    protected override int Length => HeadLength + MacLength;

    public override void Dispose() => _keys.Dispose();

    protected override bool TryMake(Span<byte> value, CoapChannel peer, long now)
    {
        Run run = Current();
        long day = run.Offset + now;
        long epoch = _keys.EpochAt(day);
        value[0] = (byte)epoch;
        BinaryPrimitives.WriteUInt32BigEndian(value[1..], (uint)((day - _keys.StartOf(epoch)) / TimeSpan.TicksPerMillisecond));
        BinaryPrimitives.WriteUInt32BigEndian(value[(1 + TimeLength)..], run.Number);
        return TryAuthenticate(_keys.ForNew, value[..HeadLength], peer, epoch, value.Slice(HeadLength, MacLength));
    }

    // The age of a value from another process assumes the maximum difference between the clocks.
    protected override bool TryVerify(ReadOnlySpan<byte> value, CoapChannel peer, long now, out TimeSpan age)
    {
        age = default;
        long epoch = _keys.EpochOf(value[0], BitsOfMark);
        if (!IsAuthentic(_keys, value, peer, epoch)
            && !(_keys.Previous is { } previous && IsAuthentic(previous, value, peer, epoch)))
        {
            return false;
        }

        Run run = Current();
        long made = _keys.StartOf(epoch) + (BinaryPrimitives.ReadUInt32BigEndian(value[1..]) * TimeSpan.TicksPerMillisecond);
        age = TimeSpan.FromTicks(run.Offset + now - made);
        if (BinaryPrimitives.ReadUInt32BigEndian(value[(1 + TimeLength)..]) == run.Number)
        {
            // The current time may be slightly older than the one in the value.
            age = age < TimeSpan.Zero ? TimeSpan.Zero : age;
            return true;
        }

        // A value that is older than it appears must not pass as fresh.
        age += RotatingKeyProvider.MaxClockDifference;
        return age >= TimeSpan.Zero;
    }

    private bool IsAuthentic(RotatingKeyProvider keys, ReadOnlySpan<byte> value, CoapChannel peer, long epoch)
    {
        Span<byte> mac = stackalloc byte[MacLength];
        return TryAuthenticate(keys, value[..HeadLength], peer, epoch, mac)
            && CryptographicOperations.FixedTimeEquals(mac, value[HeadLength..]);
    }

    private bool TryAuthenticate(RotatingKeyProvider keys, ReadOnlySpan<byte> head, CoapChannel peer, long epoch, Span<byte> mac)
    {
        Span<byte> key = stackalloc byte[RotatingKeyProvider.KeyLength];
        if (!keys.TryGetKey(epoch, key))
        {
            return false;
        }

        Span<byte> input = stackalloc byte[HeadLength + EchoAndTokenPeerBinding.Length];
        head.CopyTo(input);
        EchoAndTokenPeerBinding.Write(input[HeadLength..], peer, peer.Remote, Volatile.Read(ref _run).Process);
        Span<byte> hash = stackalloc byte[Sha256.HashLength];
        HmacSha256.HashData(key, input, hash);
        CryptographicOperations.ZeroMemory(key);
        hash[..MacLength].CopyTo(mac);
        return true;
    }

    // Ages are exact until the clock is set. From then on, earlier values count as those of another process.
    private Run Current()
    {
        Run run = Volatile.Read(ref _run);
        long offset = _time.Offset();
        if (run.Offset == offset)
        {
            return run;
        }

        Run next = NewRun(offset) with { Process = run.Process };
        Run before = Interlocked.CompareExchange(ref _run, next, run);
        return before == run ? next : before;
    }

    private Run NewRun(long offset) => new((uint)_random.NextUInt64(), _random.NextUInt64(), offset);

    private sealed record Run(uint Number, ulong Process, long Offset);
}
