using System.Diagnostics.CodeAnalysis;
using System.Threading.Tasks.Dataflow;
using CoAP.NET.Diagnostics;
using CoAP.NET.Mesh;
using CoAP.NET.Peers;
using CoAP.NET.Testing;
using CoAP.NET.Tests.Shared;

namespace CoAP.NET.Tests.Protection;

/// <summary>A protection of a user, which is no OSCORE: the whole message with its bits turned over, behind a mark.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class ProtectionStageTests
{
    private const int Mark = 65_001;

    [Fact]
    public async Task A_custom_protection_carries_requests_responses_and_bodies_and_identifies_the_peer()
    {
        VirtualClock clock = new();
        List<byte[]> wire = [];
        InMemoryNetwork network = new(clock)
        {
            Filter = packet =>
            {
                wire.Add(packet.Data.ToArray());
                return NetworkVerdict.Pass;
            },
        };
        object? peer = null;
        await using CoapServer server = new(Options(clock, 1));
        server.MapPost("/echo", request =>
        {
            peer = request.Peer!.Identity;
            return CoapResults.Bytes(request.Payload.ToArray());
        });
        server.Endpoint.AddTransport(network.CreateTransport(InMemoryNetwork.Address("[2001:db8::1]:5683")));
        await server.StartAsync();
        await using CoapClient client = new(Options(clock, 2));
        client.Endpoint.AddTransport(network.CreateTransport(InMemoryNetwork.Address("[2001:db8::2]:1000")));
        byte[] body = [.. Enumerable.Repeat("the sea is deep "u8.ToArray(), 200).SelectMany(static bytes => bytes)];

        CoapResponse response = await clock.AdvanceUntilAsync(
            client.PostAsync("coap://[2001:db8::1]/echo", CoapContent.Binary(body)), FromMinutes(1));

        Assert.Equal(body, response.EnsureSuccess().Payload.ToArray());
        Assert.Equal("whoever turns bits", peer?.ToString());
        Assert.DoesNotContain(wire, static bytes => bytes.AsSpan().IndexOf("the sea"u8) >= 0);
        Assert.Equal(0, server.Endpoint.Counters[CoapCounter.StageErrors]);
    }

    private static CoapEndpointOptions Options(VirtualClock clock, ulong seed)
    {
        CoapEndpointOptions options = new()
        {
            TimeProvider = clock,
            Pipeline = { Random = new VirtualRandom(seed), Scheduler = new VirtualScheduler(clock) },
        };
        options.Pipeline.Replace(CoapStages.Protection, static _ => new TurnedProtection());
        return options;
    }

    private static byte[] Turn(ReadOnlySpan<byte> bytes)
    {
        byte[] turned = bytes.ToArray();
        for (int i = 0; i < turned.Length; i++)
        {
            turned[i] = (byte)~turned[i];
        }

        return turned;
    }

    private static CoapMessage Unprotect(CoapMessage message)
    {
        CoapMessage inner = CoapDatagramSerializer.Default.Deserialize(Turn(message.Payload.Span).AsMemory());
        inner.Type = message.Type;
        inner.MessageId = message.MessageId;
        inner.Token = message.Token;
        return inner;
    }

    private sealed class TurnedProtection : CoapMessageProtector
    {
        private readonly TurnedContext _context = new();

        public override IPropagatorBlock<CoapInbound, CoapInbound> Inbound => field ??= new TransformBlock<CoapInbound, CoapInbound>(
            item => item.Message is { HasOptions: true } message && message.Options.Contains(Mark)
                ? item with { Channel = item.Channel.Protected(_context), Message = Unprotect(message) }
                : item);

        public override IPropagatorBlock<CoapOutbound, CoapOutbound> Outbound => field ??= new TransformBlock<CoapOutbound, CoapOutbound>(
            static item => item.Channel.Carried is not { } carried ? item
                : item.Message is { } message && carried.Peer.TryProtect(message, out CoapMessage? turned)
                    ? Sent(item with { Channel = carried.Carrier, Message = turned }, message.Type)
                : item with { Channel = carried.Carrier });

        public override CoapObjectSecurityContext? Find(CoapUri? target, CoapMessage message) => _context;

        private static CoapOutbound Sent(CoapOutbound item, CoapMessageType type)
        {
            item.Message!.Type = type;
            item.Transmission?.SetProtected(item.Message);
            return item;
        }
    }

    private sealed class TurnedContext : CoapObjectSecurityContext
    {
        internal override ICoapPeerIdentity Identity { get; } = new CoapNamedPeerIdentity("whoever turns bits");

        internal override int Overhead => 16;

        internal override CoapPeerSecurityContext MakePeer(CoapMessageProtector? protection) => new TurnedPeer();
    }

    private sealed class TurnedPeer : CoapPeerSecurityContext
    {
        public override bool IsReady => true;

        public override void OnRequestEnded(CoapToken token)
        {
        }

        public override void OnObserverGone(CoapToken token)
        {
        }

        public override bool TryProtect(CoapMessage message, [NotNullWhen(true)] out CoapMessage? protectedMessage)
        {
            protectedMessage = new CoapMessage(message.Code.IsRequest ? CoapCode.Post : CoapCode.Changed)
            {
                Token = message.Token,
                Payload = Turn(CoapDatagramSerializer.Default.Serialize(message)),
            };
            protectedMessage.Options.Add(Mark, default);
            return true;
        }
    }
}
