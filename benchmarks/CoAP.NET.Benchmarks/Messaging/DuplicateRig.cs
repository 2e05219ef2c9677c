using CoAP.NET.Execution;
using CoAP.NET.Messaging;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Benchmarks;

/// <summary>
/// A shard's memory for duplicates with its peers, without the stages around it. Messages are numbered in the order in which they come.
/// </summary>
internal sealed class DuplicateRig
{
    private static readonly byte[] s_reply = [0x64, 0x45, 0x7d, 0x34, 0x4a, 0x11, 0xf0, 0x0d, 0xc0, 0xff, .. "21.5 degree"u8];

    private readonly SteppedClock _clock = new();
    private readonly CoapShard _shard;
    private readonly CoapChannel[] _peers;
    private readonly long _step;
    private long _count;

    public DuplicateRig(int remembered)
    {
        _shard = NewShard(_clock, Counters);
        Memory = new DeduplicationStore(_shard, 1);
        TransmissionTimes times = new(CoapTransmissionParameters.Default);
        MemoryTransport transport = new(MemoryServer.PeerAt(-1));

        // Each has 16 to 1,000 in its index.
        _peers = [.. Enumerable.Range(0, Math.Min(MemoryServer.Peers, remembered / 16))
            .Select(i => new CoapChannel(_shard, transport, 0, MemoryServer.PeerAt(i), default, CoapTransmissionParameters.Default))];
        TransmissionTimeCache current = new();
        Array.ForEach(_peers, channel => current.Refresh(channel));
        _step = times.ExchangeLifetime / remembered;
    }

    public CoapCounters Counters { get; } = new();

    public DeduplicationStore Memory { get; }

    /// <summary>A shard of no endpoint.</summary>
    public static CoapShard NewShard(TimeProvider clock, CoapCounters counters) => new(0, new CoapEnvironment
    {
        TimeProvider = clock,
        Random = CoapRandomSource.Secure,
        Scheduler = CoapThreadScheduler.Default,
        Limits = new CoapLimits { Deduplication = { Memory = 1L << 30, MaxSafeFraction = 1, MaxUnverifiedFraction = 1 } },
        Counters = counters,
        Logger = NullLogger.Instance,
        ParametersOf = _ => CoapTransmissionParameters.Default,
    });

    /// <summary>Looks up the message that came so many messages ago; a negative number is one that is still to come.</summary>
    public bool Find(long ago)
    {
        (long round, long peer) = Math.DivRem(_count - 1 - ago, _peers.Length);
        return Memory.TryFind(_peers[peer], (ushort)round, _clock.GetTimestamp(), out _, out _, out ReadOnlySpan<byte> reply)
            && reply.Length == s_reply.Length;
    }

    /// <summary>New messages come and are answered.</summary>
    public void Insert(int count)
    {
        for (int i = 0; i < count; i++)
        {
            (long round, long peer) = Math.DivRem(_count++, _peers.Length);
            CoapChannel channel = _peers[peer];
            long now = _clock.GetTimestamp();
            ReceivedMessage received = new(channel, CoapMessageType.Confirmable, (ushort)round)
            {
                Code = CoapCode.Get,
                Hash = (uint)_count,
                ReceivedAt = now
            };
            if (!Memory.TryBegin(channel, received, now))
            {
                throw new InvalidOperationException("The message is not admitted.");
            }

            Memory.End(channel, received, DuplicateReplyKind.Bytes, s_reply, now);
            _clock.Step(_step);
        }

        _shard.Advance(_clock.GetTimestamp());
    }
}
