using System.Runtime.CompilerServices;
using CoAP.NET.Blockwise;
using CoAP.NET.Execution;
using CoAP.NET.Messaging;
using CoAP.NET.RequestSteps;
using CoAP.NET.Testing;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Tests.Peers;

public class ChannelLayoutTests
{
    private readonly CoapShard _shard = new(0, new CoapEnvironment
    {
        TimeProvider = new VirtualClock(),
        Random = new VirtualRandom(1),
        Scheduler = CoapThreadScheduler.Default,
        Limits = new CoapLimits(),
        Counters = new CoapCounters(),
        Logger = NullLogger.Instance,
        ParametersOf = static _ => CoapTransmissionParameters.Default,
    });

    private readonly NullTransport _transport = new();

    [Fact]
    public void The_channel_fields_that_a_request_touches_are_adjacent_and_precede_the_table_fields()
    {
        CoapChannel channel = Make(1);
        Assert.Equal(CoapChannel.OftenTouched, OffsetOf(channel, ref channel.Links));
        Assert.InRange(OffsetOf(channel, ref channel.Messaging), 0, CoapChannel.OftenTouched - Unsafe.SizeOf<PeerMessagingState>());
        Assert.InRange(OffsetOf(channel, ref channel.Outbox), 0, CoapChannel.OftenTouched - Unsafe.SizeOf<CoapOutbox>());
    }

    [Fact]
    public void A_channel_of_a_peer_that_only_sends_requests_is_a_single_small_object()
    {
        Make(0);
        CoapChannel[] channels = new CoapChannel[100];
        long least = Allocations.Least(() =>
        {
            for (int i = 0; i < channels.Length; i++)
            {
                channels[i] = Make((uint)i);
            }
        });

        // The channel, and no route of its own.
        Assert.InRange(least / channels.Length, 1, 168);
        Assert.Same(channels[0].Shard, channels[99].Shard);
        bool isNothing = true;
        PeerFeatureKind[] slots = Enum.GetValues<PeerFeatureKind>();
        Assert.Equal(0, Allocations.Least(() =>
        {
            foreach (CoapChannel channel in channels)
            {
                isNothing &= channel is { Identity: null, PeerId: null, Connection: null, Carried: null, Number: 0, IsVerified: false };
                foreach (PeerFeatureKind slot in slots)
                {
                    isNothing &= channel.FeatureState<IPeerFeatureState>(slot) is null;
                }
            }
        }));

        Assert.True(isNothing);
    }

    [Fact]
    public void Channels_share_common_values_and_keep_their_own_values()
    {
        // More ends of ours than are kept for sharing.
        CoapChannel[] channels = [.. Enumerable.Range(0, 100)
            .Select(i => new CoapChannel(_shard, _transport, i, CoapAddress.FromIPv4(1, 1), CoapAddress.FromIPv4((uint)i, 5683),
                CoapTransmissionParameters.Default))];
        Assert.All(channels.Index(),
            item => Assert.Equal((item.Index, CoapAddress.FromIPv4((uint)item.Index, 5683)), (item.Item.TransportTag, item.Item.Local)));
        channels[3].SetLocal(CoapAddress.FromIPv4(77, 5683));
        Assert.Equal((3, CoapAddress.FromIPv4(77, 5683)), (channels[3].TransportTag, channels[3].Local));
    }

    [Fact]
    public void An_Echo_value_of_a_peer_is_taken_once()
    {
        CoapChannel channel = Make(1);
        PeerRequestStepState.GetOrAdd(channel).EchoToReturn = [1, 2];
        Assert.Equal([1, 2], PeerRequestStepState.Of(channel)!.TakeEchoToReturn());
        Assert.Null(PeerRequestStepState.Of(channel)!.TakeEchoToReturn());
        Assert.Null(PeerRequestStepState.Of(Make(2)));
    }

    // What a peer costs beyond its channel: the parts of its chapters, each only where it has something to say.
    [Fact]
    public void A_part_of_a_chapter_costs_a_peer_no_more_than_its_own_fields_and_one_table_of_parts()
    {
        long table = Cost(channel => channel.SetFeatureState(PeerFeatureKind.Steering, null));
        Assert.InRange(table, 1, 136);
        Assert.InRange(Cost(channel => PeerVerification.GetOrAdd(channel).Credit = 1) - table, 1, 32);
        Assert.InRange(Cost(channel => PeerRequestStepState.GetOrAdd(channel).TakesProxyScheme = true) - table, 1, 40);
        Assert.InRange(Cost(channel => PeerBlockwiseState.GetOrAdd(channel).UploadBlockSize = 64) - table, 1, 48);
    }

    private long Cost(Action<CoapChannel> add)
    {
        CoapChannel[] channels = new CoapChannel[100];
        long least = long.MaxValue;
        for (int turn = 0; turn < 5; turn++)
        {
            for (int i = 0; i < channels.Length; i++)
            {
                channels[i] = Make((uint)i);
            }

            long before = GC.GetAllocatedBytesForCurrentThread();
            Array.ForEach(channels, add);
            least = Math.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
        }

        return least / channels.Length;
    }

    private CoapChannel Make(uint peer) =>
        new(_shard, _transport, 0, CoapAddress.FromIPv4(peer, 1), CoapAddress.FromIPv4(9, 5683), CoapTransmissionParameters.Default);

    // From where the reference to an object points, 8 bytes before its first field.
    private static long OffsetOf<T>(CoapChannel channel, ref T field) =>
        Unsafe.ByteOffset(ref Unsafe.As<FirstField>(channel).Value, ref Unsafe.As<T, byte>(ref field)) + IntPtr.Size;

    private sealed class FirstField(byte value)
    {
        public byte Value = value;
    }
}
