using System.Runtime.CompilerServices;
using CoAP.NET.Messaging;
using CoAP.NET.Testing;
using CoAP.NET.Transports;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Tests.Peers;

public class ChannelLayoutTests
{
    private readonly CoapShard _shard = new(0, new CoapEnvironment
    {
        TimeProvider = new VirtualClock(),
        Random = new VirtualRandom(1),
        Scheduler = CoapScheduler.Default,
        Limits = new CoapLimits(),
        Counters = new CoapCounters(),
        Logger = NullLogger.Instance,
        ParametersOf = static _ => CoapTransmissionParameters.Default,
    });

    private readonly NullTransport _transport = new();

    [Fact]
    public void What_a_request_touches_lies_together_and_before_what_the_table_alone_touches()
    {
        CoapChannel channel = Make(1);
        Assert.Equal(CoapChannel.OftenTouched, OffsetOf(channel, ref channel.Links));
        Assert.InRange(OffsetOf(channel, ref channel.Messaging), 0, CoapChannel.OftenTouched - Unsafe.SizeOf<MessagingState>());
        Assert.InRange(OffsetOf(channel, ref channel.Outbox), 0, CoapChannel.OftenTouched - Unsafe.SizeOf<CoapOutbox>());
    }

    [Fact]
    public void A_peer_that_only_sends_requests_is_one_object()
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
        PeerSlot[] slots = Enum.GetValues<PeerSlot>();
        Assert.Equal(0, Allocations.Least(() =>
        {
            foreach (CoapChannel channel in channels)
            {
                isNothing &= channel is
                {
                    Identity: null,
                    EchoToReturn: null, Requests: null, Connection: null,
                    AmplificationCredit: 0, UploadBlockSize: 0, DownloadBlockSize: 0, LongTokens: LongTokenSupport.Unknown,
                    TakesBlocks: true, IsCountedVerified: false,
                    VerifiedUntil: long.MaxValue, KnowsQBlockUntil: long.MinValue, LacksQBlockUntil: long.MinValue,
                    PeerMaxTokenLength: CoapToken.MaxLength, PeerMaxMessageSize: 1152,
                };
                isNothing &= channel.TakeEchoToReturn() is null;
                foreach (PeerSlot slot in slots)
                {
                    isNothing &= channel.Part<IPeerPart>(slot) is null;
                }
            }
        }));

        Assert.True(isNothing);
    }

    [Fact]
    public void Peers_share_what_they_have_in_common_and_keep_what_they_have_not()
    {
        // More ends of ours than are kept for sharing.
        CoapChannel[] channels = [.. Enumerable.Range(0, 100)
            .Select(i => new CoapChannel(_shard, _transport, i, CoapAddress.FromIPv4(1, 1), CoapAddress.FromIPv4((uint)i, 5683),
                CoapTransmissionParameters.Default))];
        Assert.All(channels.Index(),
            item => Assert.Equal((item.Index, CoapAddress.FromIPv4((uint)item.Index, 5683)), (item.Item.TransportTag, item.Item.Local)));
        channels[3].SetLocal(CoapAddress.FromIPv4(77, 5683));
        Assert.Equal((3, CoapAddress.FromIPv4(77, 5683)), (channels[3].TransportTag, channels[3].Local));
        channels[3].EchoToReturn = [1, 2];
        Assert.Equal([1, 2], channels[3].TakeEchoToReturn());
        Assert.Null(channels[3].TakeEchoToReturn());
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
