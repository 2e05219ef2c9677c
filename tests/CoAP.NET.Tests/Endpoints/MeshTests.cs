using System.Collections.Concurrent;
using System.Threading.Tasks.Dataflow;
using CoAP.NET.Diagnostics;
using CoAP.NET.Testing;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>The laws of the mesh, and blocks of users at its stage links.</summary>
public class MeshTests : EndpointTest
{
    [Fact]
    public async Task Inserted_blocks_at_every_stage_link_see_every_item_in_order()
    {
        ConcurrentQueue<string> seen = new();
        WatchAll(Options.Pipeline, seen, inline: false);
        Server.MapGet("/", () => "root");
        await StartAsync();
        TaskCompletionSource<string> sent = new(RunContinuationsAsynchronously);
        Transport.OnSent = (_, bytes) => sent.TrySetResult(Wire.Hex(bytes));
        Transport.Receive(Peer, "40017d34");
        Assert.Equal("60457d34c0ff726f6f74", await Within(sent.Task));
        Assert.Equal(
            [
                "Transport to Channel", "Channel to Serializer", "Serializer to Messaging", "Messaging to Exchanges",
                "Exchanges to Resource",
                "Resource to Exchanges", "Exchanges to Messaging", "Messaging to Serializer", "Serializer to Channel",
                "Channel to Transport",
            ],
            seen);
    }

    [Theory]
    [InlineData(typeof(BufferBlock<CoapInbound>))]
    [InlineData(typeof(TransformBlock<CoapInbound, CoapInbound>))]
    [InlineData(typeof(BroadcastBlock<CoapInbound>))]
    public async Task Standard_Dataflow_blocks_can_be_inserted(Type kind)
    {
        IPropagatorBlock<CoapInbound, CoapInbound> Make() => kind switch
        {
            _ when kind == typeof(BufferBlock<CoapInbound>) => new BufferBlock<CoapInbound>(),
            _ when kind == typeof(BroadcastBlock<CoapInbound>) => new BroadcastBlock<CoapInbound>(item => item),
            _ => new TransformBlock<CoapInbound, CoapInbound>(item => item),
        };
        Options.Pipeline.Insert(CoapStageLinks.SerializerToMessaging, Make).Insert(CoapStageLinks.MessagingToExchanges, Make);
        Server.MapGet("/", () => "root");
        await StartAsync();
        TaskCompletionSource<string> sent = new(RunContinuationsAsynchronously);
        Transport.OnSent = (_, bytes) => sent.TrySetResult(Wire.Hex(bytes));
        Transport.Receive(Peer, "40017d34");
        Assert.Equal("60457d34c0ff726f6f74", await Within(sent.Task));
    }

    [Fact]
    public async Task The_shard_lock_is_not_held_while_user_code_runs()
    {
        ConcurrentQueue<string> seen = new();
        CoapShard? shard = null;
        bool held = false;
        void Check()
        {
            held |= shard is not null && shard.Gate.IsHeldByCurrentThread;
        }

        WatchAll(Options.Pipeline, seen, inline: true, Check);
        Options.Pipeline.Insert(CoapStageLinks.ChannelToSerializer, () => new PassBlock<CoapDatagram>(item => shard = item.Channel!.Shard));
        Options.ParametersOf = _ =>
        {
            Check();
            return null;
        };
        Server.MapGet("/", () =>
        {
            Check();
            return "root";
        });
        await StartAsync();
        Transport.Receive(Peer, "40017d34");
        Transport.Receive(Peer, "40017d34");
        Transport.Receive(Other, "40007d35");
        Transport.Receive(Peer, "50017d36");
        Clock.Advance(FromSeconds(300));
        Assert.NotNull(shard);
        Assert.Equal(4, Transport.TakeSent().Length);
        Assert.False(held);
    }

    [Fact]
    public async Task ParametersOf_is_called_once_per_peer_and_may_throw()
    {
        List<CoapAddress> asked = [];
        Options.ParametersOf = remote =>
        {
            asked.Add(CoapAddress.FromIPEndPoint(remote));
            return remote.Equals(Other.ToIPEndPoint())
                ? throw new InvalidOperationException("bad callback")
                : CoapTransmissionParameters.Default with { AckTimeout = FromSeconds(8) };
        };
        TaskCompletionSource<CoapResult> never = new();
        Server.MapGet("/slow", (CoapRequestContext _, CancellationToken _) => never.Task);
        Server.MapGet("/", () => "root");
        await StartAsync();
        Transport.Receive(Peer, "40010001b4736c6f77");
        Clock.Advance(FromSeconds(1.9));
        Transport.HasSentNothing();
        Clock.Advance(FromSeconds(0.2));
        Transport.HasSent("60000001");
        Transport.Receive(Other, "40010002");
        Assert.Single(Transport.TakeSent()).Begins("60450002");
        Assert.Equal([Peer, Other], asked);
    }

    [Fact]
    public async Task A_block_that_faults_fails_the_endpoint_and_is_logged_as_critical()
    {
        Options.Pipeline.Insert(CoapStageLinks.MessagingToExchanges, () => new TransformBlock<CoapInbound, CoapInbound>(
            (Func<CoapInbound, CoapInbound>)(_ => throw new InvalidOperationException("bad block"))));
        await StartAsync();
        Task run = Server.RunAsync();
        Transport.Receive(Peer, "40017d34");
        CoapException error = await Assert.ThrowsAsync<CoapException>(() => Within(run));
        error.Mentions("Messaging to Exchanges");
        Assert.IsType<InvalidOperationException>(error.InnerException);
        await Eventually.IsTrueAsync(
            () => Logs.Entries.Any(static entry => entry.Level == Microsoft.Extensions.Logging.LogLevel.Critical));
    }

    [Fact]
    public async Task A_request_that_a_user_block_declines_gets_5_03_and_later_requests_are_served()
    {
        bool open = false;
        Options.Pipeline.Insert(CoapStageLinks.ExchangesToResource, () => new GateBlock<CoAP.NET.CoapExchange>(() => open));
        Server.MapGet("/", () => "root");
        await StartAsync();
        Exchange("40017d34").Begins("60a37d34");
        Assert.Equal(1, Server.Counters[CoapCounter.Declined]);
        open = true;
        Exchange("40017d35").Begins("60457d35");
    }

    [Fact]
    public async Task A_handler_that_throws_or_is_cancelled_gives_5_00_without_detail_and_the_next_request_is_served()
    {
        Server.MapGet("/throw", (Func<CoapRequestContext, CoapResult>)(_ => throw new InvalidOperationException("secret")));
        Server.MapGet("/cancel", (CoapRequestContext _, CancellationToken _) => Task.FromCanceled<CoapResult>(new CancellationToken(true)));
        await StartAsync();
        Assert.Equal("60a00001", Exchange("40010001b57468726f77"));
        Assert.Matches("^60a[03]0002", Exchange("40010002b663616e63656c"));
        Exchange("40010003b178").Begins("60840003");
        Assert.Contains(Logs.Entries,
            entry => entry.Level == Microsoft.Extensions.Logging.LogLevel.Error && entry.Text.Contains("secret", Ordinal));
    }

    [Fact]
    public async Task Payloads_that_a_handler_keeps_are_never_overwritten()
    {
        // Whatever comes back to a pool is overwritten at once.
        using IDisposable poison = BufferPoison.Start();
        List<CoapRequestContext> kept = [];
        Server.MapPost("/keep", request =>
        {
            kept.Add(request);
            return CoapResults.Changed();
        });
        await StartAsync();
        for (int i = 0; i < 1_000; i++)
        {
            Transport.Receive(Peer, $"4002{i:x4}b46b656570ff{i:x4}{i:x4}");
        }

        for (int i = 0; i < 1_000; i++)
        {
            Assert.Equal($"{i:x4}{i:x4}", Wire.Hex(kept[i].Payload.Span));
            Assert.Equal("/keep", kept[i].Path);
        }
    }

    [Fact]
    public async Task Values_that_a_handler_leaves_in_its_execution_context_reach_no_other_handler()
    {
        AsyncLocal<string?> ambient = new();
        List<string?> seen = [];
        Server.MapGet("/set", () =>
        {
            seen.Add(ambient.Value);
            ambient.Value = "left behind";
            return "x";
        });
        await StartAsync();
        Exchange("40010001b3736574");
        Exchange("40010002b3736574");
        Assert.Equal([null, null], seen);
    }

    [Fact]
    public async Task The_same_seed_and_the_same_datagrams_produce_the_same_bytes()
    {
        async Task<string[]> RunAsync()
        {
            DirectTransport transport = new();
            CoAP.NET.Testing.VirtualClock clock = new();
            await using CoapServer server =
                new(new CoapEndpointOptions { TimeProvider = clock, Pipeline = { Random = new CoAP.NET.Testing.VirtualRandom(99) } });
            server.MapGet("/", () => "root");
            server.Endpoint.AddTransport(transport);
            await server.StartAsync();
            List<Task> requests = [];
            CoapClient client = new(server.Endpoint);
            for (int i = 0; i < 50; i++)
            {
                transport.Receive(Peer with { Port = (ushort)(1 + (i % 7)) }, $"5001{i:x4}");
                requests.Add(client.GetAsync($"coap://192.0.2.{i % 5}/x"));
                clock.Advance(FromSeconds(i));
            }

            return [.. transport.TakeAll().Select(item => $"{item.Remote} {Wire.Hex(item.Bytes)}")];
        }

        string[] first = await RunAsync();
        Assert.True(first.Length > 100);
        Assert.Equal(first, await RunAsync());
    }

    private static void WatchAll(CoapPipelineOptions options, ConcurrentQueue<string> seen, bool inline, Action? check = null)
    {
        Watch(CoapStageLinks.TransportToChannel);
        Watch(CoapStageLinks.ChannelToSerializer);
        Watch(CoapStageLinks.SerializerToMessaging);
        Watch(CoapStageLinks.MessagingToExchanges);
        Watch(CoapStageLinks.ExchangesToResource);
        Watch(CoapStageLinks.ResourceToExchanges);
        Watch(CoapStageLinks.ExchangesToMessaging);
        Watch(CoapStageLinks.MessagingToSerializer);
        Watch(CoapStageLinks.SerializerToChannel);
        Watch(CoapStageLinks.ChannelToTransport);

        void Watch<T>(CoapStageLink<T> link)
        {
            void See(T item)
            {
                check?.Invoke();
                seen.Enqueue(link.Name);
            }

            options.Insert(link, () => inline ? new PassBlock<T>(See) : new TransformBlock<T, T>(item =>
            {
                See(item);
                return item;
            }));
        }
    }
}
