using System.Threading.Tasks.Dataflow;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>A server that stops in order finishes what is inside of blocks of users, over sockets.</summary>
/// <remarks>Real clock: sockets, and blocks with tasks of their own. No time is asserted.</remarks>
public sealed class StoppingBlocksTests
{
    private const int Requests = 12;

    private static readonly string[] s_stageLinks =
    [
        "TransportToChannel", "ChannelToSerializer", "SerializerToMessaging", "MessagingToExchanges", "ExchangesToResource",
        "ResourceToExchanges", "ExchangesToMessaging", "MessagingToSerializer", "SerializerToChannel", "ChannelToTransport",
    ];

    private readonly Gate _gate = new();
    private readonly CoapEndpointOptions _options = new() { Processes = { StopGracePeriod = FromMinutes(5) } };

    public static TheoryData<string, string, string> Cases
    {
        get
        {
            TheoryData<string, string, string> cases = [];
            foreach (string scheme in (string[])["coap", "coap+tcp"])
            {
                foreach (string link in s_stageLinks)
                {
                    cases.Add(scheme, link, "buffer");
                    cases.Add(scheme, link, "awaiting");
                    cases.Add(scheme, link, "parallel");
                }
            }

            return cases;
        }
    }

    public static TheoryData<string> StageLinks => [.. s_stageLinks];

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task A_request_inside_a_user_block_is_answered_before_the_sockets_close(string scheme, string link, string kind)
    {
        Insert(link, kind);
        await AllAreAnsweredAsync(scheme);
    }

    [Theory]
    [MemberData(nameof(StageLinks))]
    public async Task A_request_that_waits_for_a_full_user_block_of_a_connection_is_answered_before_the_stop_ends(string link)
    {
        Insert(link, "full");

        // The first one takes the room. While the second one waits, no third one is read.
        await AllAreAnsweredAsync("coap+tcp", 2);
    }

    [Theory]
    [InlineData("coap")]
    [InlineData("coap+tcp")]
    public async Task Requests_inside_blocks_at_all_stage_links_are_answered_before_the_stop_ends(string scheme)
    {
        foreach (string link in s_stageLinks)
        {
            Insert(link, "parallel");
        }

        await AllAreAnsweredAsync(scheme);
    }

    [Theory]
    [InlineData("coap")]
    [InlineData("coap+tcp")]
    public async Task A_request_inside_a_user_router_is_answered_before_the_stop_ends(string scheme)
    {
        _options.Pipeline.Replace(CoapStages.Resource, _ => new TransformBlock<CoapExchange, CoapServerReply>(
            async exchange =>
            {
                await _gate.PassAsync();
                return new CoapServerReply(exchange, CoapResults.Text(exchange.Request.Path));
            },
            new ExecutionDataflowBlockOptions { MaxDegreeOfParallelism = 4, EnsureOrdered = false }));
        await AllAreAnsweredAsync(scheme);
    }

    [Theory]
    [InlineData("coap")]
    [InlineData("coap+tcp")]
    public async Task A_request_inside_a_user_serializer_is_answered_before_the_stop_ends(string scheme)
    {
        _options.Pipeline.Replace(CoapStages.Serializer, shard => new CoapSerializerStageBlocks(
            new TransformBlock<CoapDatagram, CoapInbound>(async datagram =>
            {
                await _gate.PassAsync();
                return shard.Received(datagram, shard.SerializerOf(datagram.Channel!).Deserialize(datagram.Span));
            }),
            new TransformBlock<CoapOutbound, CoapDatagram>(async outbound =>
            {
                await _gate.PassAsync();
                return shard.Encoded(outbound,
                    outbound.Encoded.IsEmpty ? shard.SerializerOf(outbound.Channel).Serialize(outbound.Message!) : outbound.Encoded.Span);
            })));
        await AllAreAnsweredAsync(scheme);
    }

    [Theory]
    [InlineData("coap")]
    [InlineData("coap+tcp")]
    public async Task A_request_inside_a_user_channel_stage_is_answered_before_the_stop_ends(string scheme)
    {
        _options.Pipeline.Replace(CoapStages.Channel, shard => new CoapChannelStageBlocks(
            new TransformBlock<CoapDatagram, CoapDatagram>(async datagram =>
            {
                await _gate.PassAsync();
                return shard.TryAttach(datagram) ? datagram : throw new InvalidOperationException("a datagram of nobody");
            }),
            new TransformBlock<CoapDatagram, CoapDatagram>(async datagram =>
            {
                await _gate.PassAsync();
                return CoapStageContext.Address(datagram);
            })));
        await AllAreAnsweredAsync(scheme);
    }

    [Theory]
    [InlineData("coap", true)]
    [InlineData("coap", false)]
    [InlineData("coap+tcp", true)]
    [InlineData("coap+tcp", false)]
    public async Task A_request_inside_a_user_handler_stage_is_answered_before_the_stop_ends(string scheme, bool takesWhatLeaves)
    {
        // Blocks between the stages of the library are inside of it too.
        Insert("MessagingToExchanges", "awaiting");
        Insert("ExchangesToMessaging", "awaiting");
        _options.Pipeline.Replace(CoapStages.Handler, shard =>
        {
            TransformBlock<CoapInbound, CoapInbound> before = new(PassAsync);
            TransformBlock<CoapServerReply, CoapServerReply> replies = new(PassAsync);
            before.LinkTo(shard.Handler.Inbound, new() { PropagateCompletion = true });
            replies.LinkTo(shard.Handler.Outbound, new() { PropagateCompletion = true });
            if (!takesWhatLeaves)
            {
                // What leaves the stages of the library passes by these blocks.
                return new CoapHandlerStageBlocks(
                    DataflowBlock.Encapsulate(before, Behind<CoapExchange>(shard.Handler.Inbound)),
                    DataflowBlock.Encapsulate(replies, Behind<CoapOutbound>(shard.Handler.Outbound)));
            }

            TransformBlock<CoapExchange, CoapExchange> requests = new(PassAsync);
            TransformBlock<CoapOutbound, CoapOutbound> messages = new(PassAsync);
            shard.Handler.Inbound.LinkTo(requests, new() { PropagateCompletion = true });
            shard.Handler.Outbound.LinkTo(messages, new() { PropagateCompletion = true });
            return new CoapHandlerStageBlocks(DataflowBlock.Encapsulate(before, requests), DataflowBlock.Encapsulate(replies, messages));
        });
        await AllAreAnsweredAsync(scheme);

        static BufferBlock<T> Behind<T>(IDataflowBlock block)
        {
            BufferBlock<T> behind = new();
            _ = block.Completion.ContinueWith(_ => behind.Complete(), TaskScheduler.Default);
            return behind;
        }

        async Task<T> PassAsync<T>(T item)
        {
            await _gate.PassAsync();
            return item;
        }
    }

    [Theory]
    [InlineData("coap")]
    [InlineData("coap+tcp")]
    public async Task A_request_inside_stages_that_run_on_tasks_is_answered_before_the_stop_ends(string scheme)
    {
        ExecutionDataflowBlockOptions four = new() { MaxDegreeOfParallelism = 4 };
        _options.Pipeline
            .RunOnTasks(CoapStages.Channel, four)
            .RunOnTasks(CoapStages.Serializer, four)
            .RunOnTasks(CoapStages.Handler, new ExecutionDataflowBlockOptions())
            .RunOnTasks(CoapStages.Resource, four);
        Insert("MessagingToExchanges", "awaiting");
        await AllAreAnsweredAsync(scheme);
    }

    private async Task AllAreAnsweredAsync(string scheme, int count = Requests)
    {
        await using CoapServer server = new(_options);
        int served = 0;
        if (!_options.Pipeline.IsReplaced(CoapStages.Resource))
        {
            server.MapPost("/{n}", request =>
            {
                Interlocked.Increment(ref served);
                return request.Path;
            });
        }

        server.Listen($"{scheme}://127.0.0.1:0");
        await server.StartAsync();
        string uri = server.LocalEndpoints[0].Origin();
        await using CoapClient client = new(new CoapEndpointOptions { Parameters = new() { NStart = Requests } });
        Assert.True((await Within(client.SendAsync(new CoapRequest(CoapMethod.Post, $"{uri}/first")))).IsSuccess);
        long received = server.Counters[CoapCounter.DatagramsReceived];

        _gate.Close();
        Task<CoapResponse>[] requests = [.. Enumerable.Range(0, count)
            .Select(i => client.SendAsync(new CoapRequest(CoapMethod.Post, $"{uri}/{i}")))];
        await Eventually.IsTrueAsync(() => server.Counters[CoapCounter.DatagramsReceived] >= received + count && _gate.Count > 0);
        Task stop = server.StopAsync();
        Assert.False(stop.IsCompleted);
        _gate.Open();

        for (int i = 0; i < count; i++)
        {
            CoapResponse response = await Within(requests[i]);
            Assert.Equal((true, $"/{i}"), (response.IsSuccess, response.GetText()));
        }

        await Within(stop);
        Assert.Equal(0, server.Counters[CoapCounter.LateResponses]);
        Assert.Equal(0, server.Counters[CoapCounter.Declined]);
        Assert.Equal(0, server.Counters[CoapCounter.StageErrors]);
        Assert.True(_options.Pipeline.IsReplaced(CoapStages.Resource) || served == count + 1);
    }

    private void Insert(string link, string kind)
    {
        switch (link)
        {
            case "TransportToChannel":
                Insert(CoapStageLinks.TransportToChannel, kind);
                break;
            case "ChannelToSerializer":
                Insert(CoapStageLinks.ChannelToSerializer, kind);
                break;
            case "SerializerToMessaging":
                Insert(CoapStageLinks.SerializerToMessaging, kind);
                break;
            case "MessagingToExchanges":
                Insert(CoapStageLinks.MessagingToExchanges, kind);
                break;
            case "ExchangesToResource":
                Insert(CoapStageLinks.ExchangesToResource, kind);
                break;
            case "ResourceToExchanges":
                Insert(CoapStageLinks.ResourceToExchanges, kind);
                break;
            case "ExchangesToMessaging":
                Insert(CoapStageLinks.ExchangesToMessaging, kind);
                break;
            case "MessagingToSerializer":
                Insert(CoapStageLinks.MessagingToSerializer, kind);
                break;
            case "SerializerToChannel":
                Insert(CoapStageLinks.SerializerToChannel, kind);
                break;
            default:
                Insert(CoapStageLinks.ChannelToTransport, kind);
                break;
        }
    }

    private void Insert<T>(CoapStageLink<T> link, string kind) => _options.Pipeline.Insert(link, () =>
    {
        TransformBlock<T, T> pass = new(
            async item =>
            {
                await _gate.PassAsync();
                return item;
            },
            new ExecutionDataflowBlockOptions
            {
                MaxDegreeOfParallelism = kind == "parallel" ? 4 : 1,
                BoundedCapacity = kind is "buffer" or "full" ? 1 : DataflowBlockOptions.Unbounded,
            });
        if (kind != "buffer")
        {
            return pass;
        }

        // What the second block has no room for stays in the first one.
        BufferBlock<T> buffer = new();
        buffer.LinkTo(pass, new DataflowLinkOptions { PropagateCompletion = true });
        return DataflowBlock.Encapsulate(buffer, pass);
    });

    private static Task<T> Within<T>(Task<T> task) => task.WaitAsync(HangGuard.InMemory);

    private static Task Within(Task task) => task.WaitAsync(HangGuard.InMemory);

    // Holds what passes while it is closed.
    private sealed class Gate
    {
        private volatile TaskCompletionSource? _closed;
        private int _count;

        public int Count => Volatile.Read(ref _count);

        public void Close() => _closed = new TaskCompletionSource(RunContinuationsAsynchronously);

        public void Open() => _closed!.SetResult();

        public async Task PassAsync()
        {
            if (_closed is { } closed)
            {
                Interlocked.Increment(ref _count);
                await closed.Task;
            }
        }
    }
}
