using System.Threading.Tasks.Dataflow;
using CoAP.NET.Diagnostics;
using CoAP.NET.Execution;
using CoAP.NET.Formats;
using CoAP.NET.Messaging;
using CoAP.NET.Testing;
using CoAP.NET.Tests.Messaging;
using CoAP.NET.Tests.Serialization;
using CoAP.NET.Transports;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Tests.Formats;

/// <summary>The two blocks of the Serializer stage.</summary>
public class SerializerStageTests
{
    private static readonly CoapAddress s_group = CoapAddress.FromIPv4(0xe000_01bb, 5683);
    private static readonly CoapAddress s_remote = CoapAddress.FromIPv4(0xc000_0201, 40_000);
    private static readonly CoapAddress s_local = CoapAddress.FromIPv4(0xc000_0202, 5683);

    private readonly StageLog _log = new();
    private readonly CoapEnvironment _environment;
    private readonly CoapDatagramPool _pool = new(64);
    private readonly List<CoapInbound> _up = [];
    private readonly List<CoapDatagram> _down = [];

    public SerializerStageTests()
    {
        CoapTransmissionParameters parameters = new();
        _environment = new CoapEnvironment
        {
            TimeProvider = TimeProvider.System,
            Random = new VirtualRandom(1),
            Scheduler = CoapThreadScheduler.Default,
            Limits = new CoapLimits(),
            Counters = new CoapCounters(),
            Logger = _log,
            ParametersOf = _ => parameters,
        };
    }

    [Fact]
    public void A_received_datagram_becomes_a_message_with_its_own_bytes()
    {
        CoapDatagram datagram = Receive(Channel(), "61457d3520c0213cff32322e332043", s_local);
        CoapInbound inbound = Assert.Single(_up);
        Assert.Equal(CoapInboundKind.Message, inbound.Kind);
        Assert.Equal((CoapMessageType.Acknowledgement, 0x7d35, false), (inbound.Type, inbound.MessageId, inbound.IsMulticast));

        // The buffer went back before the message went on: what the next datagram writes into it does not show.
        CoapDatagram next = _pool.Rent();
        Assert.Same(datagram, next);
        next.Buffer.AsSpan().Fill(0xee);
        Assert.Equal("ACK 2.05 7d35 20 12: 14:3c |32322e332043", MessageText.Of(inbound.Message!, isFrame: false));
    }

    [Fact]
    public void A_datagram_to_a_group_address_becomes_a_multicast_message()
    {
        Receive(Channel(), "51017d4186bb74656d7065726174757265", s_group);
        Receive(Channel(), "51017d41ff", s_group);
        Assert.All(_up, inbound => Assert.True(inbound.IsMulticast));
        Assert.Equal(2, _up.Count);
    }

    [Theory]
    [InlineData("")]
    [InlineData("40017d")]
    [InlineData("00017d34")]
    [InlineData("80017d34")]
    [InlineData("c0017d34")]
    [Rfc("7252-3-1")]
    public void A_datagram_without_a_version_1_header_is_ignored(string hex)
    {
        Receive(Channel(), hex, s_local);
        Assert.Empty(_up);
        Assert.Equal(1, _environment.Counters[CoapCounter.Ignored]);
        Assert.Equal(0, _environment.Counters[CoapCounter.FormatErrors]);

        Receive(Channel(), "40017d34", s_local);
        Assert.Single(_up);
    }

    [Theory]
    [InlineData("40017d34ff", CoapMessageFormatViolation.PayloadMissing, CoapMessageType.Confirmable)]
    [InlineData("5f017d34", CoapMessageFormatViolation.TokenLengthReserved, CoapMessageType.NonConfirmable)]
    [InlineData("65007d343432323833", CoapMessageFormatViolation.EmptyNotEmpty, CoapMessageType.Acknowledgement)]
    [InlineData("70e17d34", CoapMessageFormatViolation.CodeReserved, CoapMessageType.Reset)]
    [Rfc("7252-4.2-2")]
    public void Format_error_goes_up_with_type_and_Message_ID(string hex, CoapMessageFormatViolation rule, CoapMessageType type)
    {
        CoapChannel channel = Channel();
        Receive(channel, hex, s_local);
        CoapInbound inbound = Assert.Single(_up);
        Assert.Equal((CoapInboundKind.FormatError, rule, type, 0x7d34),
            (inbound.Kind, inbound.Error.Rule, inbound.Type, inbound.MessageId));
        Assert.Same(channel, inbound.Channel);
        Assert.Null(inbound.Message);
        Assert.Equal(1, _environment.Counters[CoapCounter.FormatErrors]);
        Assert.Equal((LogLevel.Debug, 1200), _log.Single());
    }

    [Fact]
    [Rfc("8974-2.2.2-3")]
    public void A_token_above_the_limit_is_reported_with_the_token()
    {
        CoapDatagramSerializer tight = new(new CoapSerializerOptions { MaxTokenLength = 9 });
        Receive(Channel(), "4a017d34aaaaaaaaaaaaaaaaaaaab161", s_local, tight);
        CoapInbound inbound = Assert.Single(_up);
        Assert.Equal(CoapMessageFormatViolation.TokenTooLong, inbound.Error.Rule);
        Assert.Equal("CON 0.01 7d34 aaaaaaaaaaaaaaaaaaaa", MessageText.Of(inbound.Message!, isFrame: false));
    }

    [Fact]
    public void A_truncated_datagram_is_reported_as_too_large_unless_its_header_is_incomplete()
    {
        Receive(Channel(), "42027d34aabbb161ff62", s_local, isTruncated: true);
        Receive(Channel(), "40017d", s_local, isTruncated: true);
        Receive(Channel(), "48027d34aabb", s_local, isTruncated: true);
        Assert.Equal(2, _up.Count);
        Assert.All(_up,
            inbound => Assert.Equal(
                (CoapInboundKind.FormatError, CoapMessageFormatViolation.MessageTooLarge), (inbound.Kind, inbound.Error.Rule)));
        Assert.Equal("CON 0.02 7d34 aabb", MessageText.Of(_up[0].Message!, isFrame: false));
        Assert.Null(_up[1].Message);
    }

    [Fact]
    public void The_datagram_hash_distinguishes_different_bytes_and_is_equal_for_the_same_seed()
    {
        HashSet<uint> hashes = [];
        DeduplicationHash hash = new(new VirtualRandom(5));
        int count = 0;
        for (int length = 0; length < 70; length++)
        {
            byte[] bytes = new byte[length];
            hashes.Add(hash.Of(bytes));
            count++;
            for (int bit = 0; bit < length * 8; bit++)
            {
                bytes[bit / 8] ^= (byte)(1 << (bit % 8));
                hashes.Add(hash.Of(bytes));
                count++;
                bytes[bit / 8] ^= (byte)(1 << (bit % 8));
            }
        }

        // Of some 19,000 values of 32 bits, 0.04 pairs collide by chance; with this seed none does.
        Assert.Equal(count, hashes.Count);
        byte[] datagram = Wire.Hex("40017d34bb74656d7065726174757265");
        Assert.Equal(hash.Of(datagram), new DeduplicationHash(new VirtualRandom(5)).Of(datagram));
        Assert.NotEqual(hash.Of(datagram), new DeduplicationHash(new VirtualRandom(6)).Of(datagram));

        Receive(Channel(), "40017d34b161", s_local);
        Receive(Channel(), "40017d34b161", s_local);
        Receive(Channel(), "40017d34b162", s_local);
        Assert.Equal(_up[0].Hash, _up[1].Hash);
        Assert.NotEqual(_up[0].Hash, _up[2].Hash);
    }

    [Fact]
    [Rfc("8323-3.3-6")]
    public void A_channel_of_a_reliable_transport_uses_frames()
    {
        CoapChannel channel = Channel(isReliable: true);
        Receive(channel, "c1017fbb74656d7065726174757265", s_local);
        Receive(channel, "00", s_local);
        Assert.Equal("0.01 7f 11:74656d7065726174757265", MessageText.Of(_up[0].Message!, isFrame: true));
        Assert.Equal((CoapInboundKind.FormatError, CoapMessageFormatViolation.EndOfStream), (_up[1].Kind, _up[1].Error.Rule));

        Send(new CoapOutbound { Channel = channel, Message = MessageText.Parse("7.02 42", isFrame: true) });
        Assert.Equal("01e242", Wire.Hex(Assert.Single(_down).Span));
    }

    [Fact]
    public void A_datagram_without_a_channel_is_counted_as_an_error_and_its_buffer_returns_to_the_pool()
    {
        CoapDatagram datagram = Fill("40017d34");
        Offer(new SerializerInboundBlock(_environment, MessageFormats.Default), datagram);
        Assert.Equal(1, _environment.Counters[CoapCounter.StageErrors]);
        Assert.Same(datagram, _pool.Rent());
    }

    [Fact]
    public void Message_leaves_for_its_channel_in_a_pooled_buffer()
    {
        CoapChannel channel = Channel();
        Send(new CoapOutbound { Channel = channel, Message = MessageText.Parse("ACK 2.05 7d34 20 |616263", isFrame: false) });
        CoapDatagram datagram = Assert.Single(_down);
        Assert.Equal("61457d3420ff616263", Wire.Hex(datagram.Span));
        Assert.Same(channel, datagram.Channel);
        datagram.Dispose();
        Assert.Same(datagram, _pool.Rent());
    }

    [Theory]
    [InlineData(59)]
    [InlineData(60)]
    [InlineData(3000)]
    public void A_message_too_large_for_a_pooled_buffer_gets_a_larger_buffer(int payload)
    {
        CoapMessage message = new(CoapCode.Content) { MessageId = 1, Payload = Wire.Pattern(payload) };
        Send(new CoapOutbound { Channel = Channel(), Message = message });
        Assert.Equal(Wire.Hex(CoapDatagramSerializer.Default.Serialize(message)), Wire.Hex(Assert.Single(_down).Span));
        Assert.Equal(payload > 59, _down[0].Buffer.Length > 64);
    }

    [Theory]
    [InlineData(4)]
    [InlineData(64)]
    [InlineData(65)]
    [Rfc("7252-4.2-6")]
    public void Encoded_bytes_are_sent_unchanged(int length)
    {
        byte[] encoded = Wire.Pattern(length);
        Send(new CoapOutbound { Channel = Channel(), Encoded = encoded });
        Assert.Equal(Wire.Hex(encoded), Wire.Hex(Assert.Single(_down).Span));
    }

    [Fact]
    public void The_encoded_bytes_are_stored_in_the_transmission_before_they_are_sent()
    {
        CoapTransmission kept = Keep(new CoapMessage(CoapCode.Get) { MessageId = 9 });
        List<string> keptThen = [];
        SerializerOutboundBlock stage = new(_environment, MessageFormats.Default, _pool);
        stage.LinkTo(
            new Messaging.Collector<CoapDatagram>(_ =>
            {
                keptThen.Add(Wire.Hex(kept.Encoded));
                return true;
            }),
            new DataflowLinkOptions());
        Offer(stage, new CoapOutbound { Channel = kept.Channel, Message = kept.Message, Transmission = kept, KeepsBytes = true });
        Assert.Equal(["40010009"], keptThen);
    }

    [Fact]
    public void A_message_that_cannot_be_encoded_is_counted_and_logged_and_the_next_message_is_sent()
    {
        CoapMessage message = new(CoapCode.Empty) { Payload = new byte[1] };
        CoapTransmission kept = Keep(message);
        Send(new CoapOutbound { Channel = kept.Channel, Message = message, Transmission = kept, KeepsBytes = true });
        Assert.Empty(_down);
        Assert.Null(kept.Encoded);
        Assert.Equal(1, _environment.Counters[CoapCounter.EncodeErrors]);
        Assert.Equal(0, _environment.Counters[CoapCounter.StageErrors]);
        Assert.Equal((LogLevel.Error, 1201), _log.Single());

        Send(new CoapOutbound { Channel = Channel(), Message = new CoapMessage(CoapCode.Get) });
        Assert.Single(_down);
    }

    [Fact]
    public void A_declined_datagram_returns_to_the_pool()
    {
        SerializerOutboundBlock stage = new(_environment, MessageFormats.Default, _pool);
        Offer(stage, new CoapOutbound { Channel = Channel(), Message = new CoapMessage(CoapCode.Get) });
        Assert.Equal(1, _environment.Counters[CoapCounter.Declined]);
        CoapDatagram first = _pool.Rent();
        Assert.Equal("40010000", Wire.Hex(first.Buffer.AsSpan(0, 4)));
    }

    private static void Offer<T>(ITargetBlock<T> target, T item) =>
        Assert.Equal(DataflowMessageStatus.Accepted, target.OfferMessage(new DataflowMessageHeader(1), item, null, consumeToAccept: false));

    private CoapDatagram Fill(string hex)
    {
        CoapDatagram datagram = _pool.Rent();
        byte[] bytes = Wire.Hex(hex);
        bytes.CopyTo(datagram.Buffer, 0);
        datagram.Length = bytes.Length;
        return datagram;
    }

    private CoapDatagram Receive(CoapChannel channel, string hex, CoapAddress local, ICoapMessageSerializer? serializer = null,
        bool isTruncated = false)
    {
        CoapDatagram datagram = Fill(hex);
        datagram.Channel = channel;
        datagram.Local = local;
        datagram.IsTruncated = isTruncated;
        SerializerInboundBlock stage = new(new CoapEnvironment
        {
            TimeProvider = _environment.TimeProvider,
            Random = new VirtualRandom(1),
            Scheduler = _environment.Scheduler,
            Limits = _environment.Limits,
            Counters = _environment.Counters,
            Logger = _environment.Logger,
            ParametersOf = _environment.ParametersOf,
        }, MessageFormats.Default with { Datagrams = serializer ?? CoapDatagramSerializer.Default });
        using IDisposable link = stage.LinkTo(new Collector<CoapInbound>(_up), new DataflowLinkOptions());
        Offer(stage, datagram);
        return datagram;
    }

    private void Send(CoapOutbound outbound)
    {
        SerializerOutboundBlock stage = new(_environment, MessageFormats.Default, _pool);
        using IDisposable link = stage.LinkTo(new Collector<CoapDatagram>(_down), new DataflowLinkOptions());
        Offer(stage, outbound);
    }

    // A message that waits for its acknowledgement at a Messaging stage.
    private CoapTransmission Keep(CoapMessage message)
    {
        CoapChannel channel = Channel();
        MessageLayer layer = new(channel.Shard, 1);
        MessagingEffects.Attach(new MessagingOutboundBlock(channel.Shard, layer), new MessagingInboundBlock(channel.Shard, layer), layer);
        return new CoapTransmission(channel, message, null) { IsOutstanding = true };
    }

    private CoapChannel Channel(bool isReliable = false) =>
        new(
            new CoapShard(0, _environment),
            isReliable ? new SilentStream() : new SilentTransport(),
            7,
            s_remote,
            s_local,
            new CoapTransmissionParameters());

    private sealed class Collector<T>(List<T> items) : ITargetBlock<T>
    {
        public Task Completion => Task.CompletedTask;

        public DataflowMessageStatus OfferMessage(DataflowMessageHeader messageHeader, T messageValue, ISourceBlock<T>? source,
            bool consumeToAccept)
        {
            items.Add(messageValue);
            return DataflowMessageStatus.Accepted;
        }

        public void Complete()
        {
        }

        public void Fault(Exception exception)
        {
        }
    }

    private sealed class SilentTransport : CoapDatagramTransport
    {
        public override string Scheme => "coap";

        public override IReadOnlyList<CoapAddress> LocalAddresses => [];

        public override ValueTask StartAsync(ICoapDatagramTransportContext context, CancellationToken cancellationToken) => default;

        public override void Send(CoapDatagram datagram) => datagram.Dispose();

        public override ValueTask DisposeAsync() => default;
    }

    private sealed class SilentStream : CoapStreamTransport
    {
        public override string Scheme => "coap+tcp";

        public override IReadOnlyList<CoapAddress> LocalAddresses => [];

        public override ValueTask StartAsync(ICoapStreamTransportContext context, CancellationToken cancellationToken) => default;

        public override ValueTask<CoapConnection> ConnectAsync(
            CoapAddress remote, string? serverName, CancellationToken cancellationToken) => throw new NotSupportedException();

        public override ValueTask DisposeAsync() => default;
    }

    private sealed class StageLog : TestLogger
    {
        private readonly List<(LogLevel, int)> _entries = [];

        public (LogLevel Level, int Id) Single() => Assert.Single(_entries);

        protected override void Write(LogLevel level, EventId id, string text, Exception? exception)
        {
            Assert.NotEmpty(text);
            _entries.Add((level, id.Id));
        }
    }
}
