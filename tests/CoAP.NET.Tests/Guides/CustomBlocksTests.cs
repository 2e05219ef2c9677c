using System.Collections.Concurrent;
using System.Net;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Threading.Tasks.Dataflow;
using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Shared;
using CoAP.NET.Tests.Structure;

namespace CoAP.NET.Tests.Guides;

/// <summary>The snippets of docs/custom-blocks.md, so that they compile and do what the page says.</summary>
public sealed class CustomBlocksTests
{
    private static readonly TimeSpan s_hang = FromMinutes(2);

    [Fact]
    public void Every_snippet_of_the_page_stands_in_these_tests() => Snippets.AllStandInTests("custom-blocks.md", "Guides", 11);

    [Fact]
    public void The_page_describes_each_stage_link()
    {
        string page = File.ReadAllText(Path.Combine(SourceTree.Root, "docs", "custom-blocks.md"));
        PropertyInfo[] links = typeof(CoapStageLinks).GetProperties();
        Assert.Equal(10, links.Length);
        Assert.All(links, link => page.Mentions($"\n| `{link.Name}` |"));
    }

    [Fact]
    public async Task A_custom_channel_stage_treats_all_ports_of_a_host_as_a_single_peer()
    {
        CoapEndpointOptions options = new();
        options.Pipeline.Replace(CoapStages.Channel, shard =>
        {
            ConditionalWeakTable<CoapChannel, StrongBox<CoapAddress>> last = [];
            return new CoapChannelStageBlocks(
                new TransformManyBlock<CoapDatagram, CoapDatagram>(datagram =>
                {
                    CoapAddress address = datagram.Remote;
                    if (datagram.Channel is null)
                    {
                        datagram.Remote = address with { Port = 5683 };
                    }

                    if (!shard.TryAttach(datagram))
                    {
                        return [];
                    }

                    last.GetOrCreateValue(datagram.Channel!).Value = address;
                    return [datagram];
                }),
                new TransformBlock<CoapDatagram, CoapDatagram>(datagram =>
                {
                    CoapStageContext.Address(datagram);
                    datagram.Remote = last.TryGetValue(datagram.Channel!, out var heard) ? heard.Value : datagram.Remote;
                    return datagram;
                }));
        });
        await using CoapServer server = new(options);
        ConcurrentQueue<CoapPeer> peers = [];
        server.MapGet("/x", request =>
        {
            peers.Enqueue(request.Peer!);
            return "x";
        });
        server.Listen("coap://127.0.0.1:0");
        await server.StartAsync();
        for (int i = 0; i < 2; i++)
        {
            await using CoapClient client = new();
            await client.GetAsync($"{server.LocalEndpoints[0]}x").WaitAsync(s_hang).Says("x");
        }

        Assert.Single(peers.Distinct());
    }

    [Fact]
    public async Task A_custom_handler_stage_delays_requests()
    {
        (Task IsUp, TaskCompletionSource Up) line = (Task.CompletedTask, new());
        line.IsUp = line.Up.Task;
        CoapEndpointOptions options = new();
        options.Pipeline.Replace(CoapStages.Handler, shard =>
        {
            TransformBlock<CoapExchange, CoapExchange> store = new(
                async exchange =>
                {
                    await line.IsUp;
                    return exchange;
                },
                new ExecutionDataflowBlockOptions { BoundedCapacity = 1_000 });
            shard.Handler.Inbound.LinkTo(store, new DataflowLinkOptions { PropagateCompletion = true });
            return new CoapHandlerStageBlocks(DataflowBlock.Encapsulate(shard.Handler.Inbound, store), shard.Handler.Outbound);
        });
        await using CoapServer server = new(options);
        Task<string> asked = AskAsync(server);
        await Eventually.IsTrueAsync(() => server.Counters[CoapCounter.RequestsReceived] > 0);
        Assert.False(asked.IsCompleted);
        line.Up.SetResult();
        Assert.Equal("here", await asked);
    }

    [Fact]
    public async Task Stages_run_on_tasks()
    {
        CoapEndpointOptions options = new();
        options.Pipeline
            .RunOnTasks(CoapStages.Serializer, new ExecutionDataflowBlockOptions { MaxDegreeOfParallelism = 4 })
            .RunOnTasks(
                CoapStages.Resource, new ExecutionDataflowBlockOptions { MaxDegreeOfParallelism = 8, BoundedCapacity = 1_000 });
        await using CoapServer server = new(options);
        Assert.Equal("here", await AskAsync(server));
    }

    [Fact]
    public async Task A_custom_router_replaces_the_Resource_stage()
    {
        CoapEndpointOptions options = new();
        options.Pipeline.Replace(CoapStages.Resource, shard => new TransformBlock<CoapExchange, CoapServerReply>(exchange =>
        {
            CoapResult result = exchange.Request.Path == "/x" ? CoapResults.Text("here") : CoapResults.NotFound();
            return new CoapServerReply(exchange, result);
        }));
        await using CoapServer server = new(options);
        server.Listen("coap://127.0.0.1:0");
        await server.StartAsync();
        await using CoapClient client = new();
        await client.GetAsync($"{server.LocalEndpoints[0]}x").WaitAsync(s_hang).Says("here");
    }

    [Fact]
    public async Task A_custom_wire_format_replaces_the_Serializer_stage()
    {
        // The response comes in the acknowledgement, however busy the machine is.
        CoapEndpointOptions options = new() { Parameters = new() { PiggybackWindow = s_hang } };
        options.Pipeline.Replace(CoapStages.Serializer, shard => new CoapSerializerStageBlocks(
            new TransformBlock<CoapDatagram, CoapInbound>(datagram =>
            {
                Flip(datagram.Buffer.AsSpan(datagram.Offset, datagram.Length));
                return shard.SerializerOf(datagram.Channel!)
                    .TryDeserialize(datagram.Span, out CoapMessage? message, out CoapFormatError error)
                    ? shard.Received(datagram, message)
                    : shard.Malformed(datagram, error);
            }),
            new TransformManyBlock<CoapOutbound, CoapDatagram>(outbound => Write(shard, outbound))));

        static IEnumerable<CoapDatagram> Write(CoapStageContext shard, CoapOutbound outbound)
        {
            if (!outbound.Encoded.IsEmpty)
            {
                return [shard.Encoded(outbound, outbound.Encoded.Span)];
            }

            try
            {
                byte[] bytes = shard.SerializerOf(outbound.Channel).Serialize(outbound.Message!);
                Flip(bytes);
                return [shard.Encoded(outbound, bytes)];
            }
            catch (Exception exception)
            {
                return shard.EncodeFailed(outbound, exception) is { } error ? Write(shard, error) : [];
            }
        }

        static void Flip(Span<byte> bytes)
        {
            foreach (ref byte value in bytes)
            {
                value ^= 0xff;
            }
        }

        await using CoapServer server = new(options);
        server.MapGet("/x", static () => "here");
        server.Listen("coap://127.0.0.1:0");
        await server.StartAsync();
        using System.Net.Sockets.UdpClient peer = new();
        peer.Connect(IPAddress.Loopback, server.LocalEndpoints[0].Port);
        byte[] request = [0x40, 0x01, 0x12, 0x34, 0xb1, (byte)'x'];
        Flip(request);
        await peer.SendAsync(request);
        byte[] answer = (await peer.ReceiveAsync().WaitAsync(s_hang)).Buffer;
        Flip(answer);
        Assert.Equal("60451234", Convert.ToHexStringLower(answer.AsSpan(0, 4)));
    }

    [Fact]
    public async Task An_inserted_block_prints_the_messages_at_a_stage_link()
    {
        CoapEndpointOptions options = new();
        options.Pipeline.Insert(CoapStageLinks.MessagingToExchanges, () => new TransformBlock<CoapInbound, CoapInbound>(item =>
        {
            if (item.Kind == CoapInboundKind.Message)
            {
                Console.WriteLine(item.Message);
            }

            return item;
        }));
        await using CoapServer server = new(options);

        Assert.Equal("here", await AskAsync(server));
    }

    [Fact]
    public async Task A_temporarily_inserted_block_prints_messages()
    {
        await using CoapServer server = new();
        StringWriter printed = new();
        Recorder Console = new(printed);
        TaskCompletionSource end = new();
        Task enough = end.Task;
        Task watching = WatchAsync();

        Assert.Equal("here", await AskAsync(server));
        end.SetResult();
        await watching;
        printed.ToString().Mentions("GET");

        async Task WatchAsync()
        {
            await using (server.Endpoint.Insert(
                CoapStageLinks.MessagingToExchanges,
                () => new Tap<CoapInbound>(item => Console.WriteLine(item.Message))))
            {
                await enough;
            }
        }
    }

    [Fact]
    public async Task A_block_without_a_queue_fits_every_stage_link()
    {
        ConcurrentDictionary<string, int> seen = new();
        CoapEndpointOptions options = new();
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
        await using CoapServer server = new(options);

        Assert.Equal("here", await AskAsync(server));
        Assert.Equal(10, seen.Count);

        void Watch<T>(CoapStageLink<T> link) =>
            options.Pipeline.Insert(link, () => new Tap<T>(_ => seen.AddOrUpdate(link.Name, 1, (_, count) => count + 1)));
    }

    [Fact]
    public async Task An_inserted_block_records_the_bytes_of_a_peer()
    {
        IPAddress watched = IPAddress.Loopback;

        // A server that has no processor for this long acknowledges the request first.
        CoapEndpointOptions options = new() { Parameters = new() { PiggybackWindow = s_hang } };
        StringWriter printed = new();
        Recorder Console = new(printed);
        options.Pipeline
            .Insert(CoapStageLinks.TransportToChannel, () => new Tap<CoapDatagram>(datagram => Print("<", datagram)))
            .Insert(CoapStageLinks.ChannelToTransport, () => new Tap<CoapDatagram>(datagram => Print(">", datagram)));

        void Print(string direction, CoapDatagram datagram)
        {
            if (datagram.Remote.ToIPAddress().Equals(watched))
            {
                Console.WriteLine($"{direction} {Convert.ToHexStringLower(datagram.Span)}");
            }
        }

        await using (CoapServer server = new(options))
        {
            Assert.Equal("here", await AskAsync(server));
        }

        Assert.Equal(["<", ">"],
            printed.ToString().Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries).Select(line => line[..1]));
    }

    [Theory]
    [InlineData("127.0.0.0/8", true)]
    [InlineData("192.0.2.0/24", false)]
    public async Task An_inserted_block_drops_datagrams_from_unknown_networks(string network, bool isServed)
    {
        IPNetwork allowed = IPNetwork.Parse(network);
        CoapEndpointOptions options = new();
        options.Pipeline.Insert(CoapStageLinks.TransportToChannel, () => new TransformManyBlock<CoapDatagram, CoapDatagram>(datagram =>
        {
            if (allowed.Contains(datagram.Remote.ToIPAddress()))
            {
                return [datagram];
            }

            datagram.Dispose();
            return [];
        }, new ExecutionDataflowBlockOptions { BoundedCapacity = 10_000 }));

        await using CoapServer server = new(options);
        if (isServed)
        {
            Assert.Equal("here", await AskAsync(server));
        }
        else
        {
            using CancellationTokenSource stop = new();
            Task<string> asked = AskAsync(server, cancellationToken: stop.Token);
            await Eventually.IsTrueAsync(() => server.Counters[CoapCounter.DatagramsReceived] > 0);
            await stop.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => asked);
            Assert.Equal(0, server.Counters[CoapCounter.RequestsReceived]);
        }
    }

    [Fact]
    public async Task A_block_of_the_library_drops_what_a_source_sends_beyond_a_rate()
    {
        CoapEndpointOptions options = new();
        options.Pipeline.Insert(
            CoapStageLinks.TransportToChannel,
            () => new CoapDatagramRateLimiter(perSecond: 100, burst: 200));

        await using CoapServer server = new(options);
        Assert.Equal("here", await AskAsync(server));
    }

    [Fact]
    public async Task A_block_understands_a_critical_option()
    {
        int understood = 0;
        CoapEndpointOptions options = new();
        options.Pipeline.Insert(CoapStageLinks.MessagingToExchanges, () => new Tap<CoapInbound>(item =>
        {
            if (item is { Kind: CoapInboundKind.Message, Message: { } message } && message.Options.Remove(65_001))
            {
                Interlocked.Increment(ref understood);
            }
        }));

        await using CoapServer server = new(options);
        Assert.Equal("here", await AskAsync(server, request => request.Options.Add(65_001, [1])));
        Assert.Equal(1, understood);
    }

    /// <summary>Takes the place of the console, whose lines all tests share.</summary>
    private sealed class Recorder(TextWriter writer)
    {
        public void WriteLine(object? line)
        {
            lock (writer)
            {
                writer.WriteLine(line);
            }
        }
    }

    private static async Task<string> AskAsync(
        CoapServer server, Action<CoapRequest>? change = null, CancellationToken cancellationToken = default)
    {
        server.Listen("coap://127.0.0.1:0");
        server.MapGet("/", () => "here");
        await server.StartAsync(cancellationToken);

        // What passes is counted, so that nothing may be sent twice because the machine is busy.
        await using CoapClient client = new(new CoapEndpointOptions { Parameters = new() { AckTimeout = s_hang } });
        CoapRequest request = new(CoapMethod.Get, server.LocalEndpoints[0]);
        change?.Invoke(request);
        CoapResponse response = await client.SendAsync(request, cancellationToken).WaitAsync(s_hang, cancellationToken);
        response.Gives(CoapCode.Content);
        return response.GetText();
    }
}
