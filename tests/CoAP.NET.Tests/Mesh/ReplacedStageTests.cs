using System.Collections.Concurrent;
using System.Threading.Tasks.Dataflow;
using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Endpoints;
using CoAP.NET.Tests.Shared;
using Stages;

namespace CoAP.NET.Tests.Mesh;

/// <summary>Blocks of users in place of a stage, over sockets: the wire format and the router of the samples, and others.</summary>
public sealed class ReplacedStageTests
{
    private static readonly byte[] s_key = "sixteen bytes ok"u8.ToArray();

    public static TheoryData<string> Schemes => ["coap", "coap+tcp"];

    [Theory]
    [MemberData(nameof(Schemes))]
    public async Task A_custom_wire_format_carries_requests_responses_and_blockwise_bodies(string scheme)
    {
        byte[] large = [.. Enumerable.Range(0, 100_000).Select(static i => (byte)(i * 31))];
        ConcurrentBag<byte[]> wire = [];
        CoapEndpointOptions options = Sealed();
        options.Pipeline.Insert(CoapStageLinks.ChannelToTransport,
            () => new PassBlock<CoapDatagram>(datagram => wire.Add(datagram.Span.ToArray())));
        await using CoapServer server = new(options);
        server.MapGet("/secret", static () => "the sea is deep");
        server.MapPost("/echo", static request => CoapResults.Content(CoapContent.Binary(request.Payload.ToArray())));
        string uri = await StartAsync(server, scheme);
        await using CoapClient client = new(Sealed());

        await Within(client.GetAsync($"{uri}/secret")).Says("the sea is deep");
        Assert.Equal(large, (await Within(client.PostAsync($"{uri}/echo", CoapContent.Binary(large)))).Payload.ToArray());
        Assert.DoesNotContain(wire, static bytes => bytes.AsSpan().IndexOf("the sea"u8) >= 0);
        Assert.Equal(0, server.Endpoint.Counters[CoapCounter.StageErrors]);
        Assert.Equal(0, server.Endpoint.Counters[CoapCounter.FormatErrors]);
    }

    [Fact]
    public async Task A_request_in_another_wire_format_is_not_served()
    {
        await using CoapServer server = new(Sealed());
        bool served = false;
        server.MapGet("/x", () =>
        {
            served = true;
            return "x";
        });
        string uri = await StartAsync(server, "coap");
        await using CoapClient client = new(Sealed("another key here"u8.ToArray()));
        using CancellationTokenSource cancel = new();
        Task<CoapResponse> request = client.GetAsync($"{uri}/x", cancellationToken: cancel.Token);
        await Eventually.IsTrueAsync(() => server.Endpoint.Counters[CoapCounter.DatagramsReceived] > 0);
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Within(request));
        Assert.False(served);
    }

    [Theory]
    [MemberData(nameof(Schemes))]
    public async Task Inserted_blocks_are_placed_before_and_after_a_replaced_stage(string scheme)
    {
        ConcurrentDictionary<string, int> seen = new();
        CoapEndpointOptions options = Sealed();
        Router(options, static exchange => CoapResults.Text(exchange.Request.Path));
        Watch(CoapStageLinks.ChannelToSerializer);
        Watch(CoapStageLinks.SerializerToMessaging);
        Watch(CoapStageLinks.ExchangesToResource);
        Watch(CoapStageLinks.ResourceToExchanges);
        Watch(CoapStageLinks.MessagingToSerializer);
        Watch(CoapStageLinks.SerializerToChannel);
        await using CoapServer server = new(options);
        string uri = await StartAsync(server, scheme);
        await using CoapClient client = new(Sealed());

        await Within(client.GetAsync($"{uri}/a/b")).Says("/a/b");
        Assert.Equal(6, seen.Count);

        void Watch<T>(CoapStageLink<T> link) =>
            options.Pipeline.Insert(link, () => new PassBlock<T>(_ => seen.AddOrUpdate(link.Name, 1, static (_, count) => count + 1)));
    }

    [Theory]
    [MemberData(nameof(Schemes))]
    public async Task A_router_may_answer_with_a_stream_which_is_read_block_by_block_and_disposed(string scheme)
    {
        byte[] large = [.. Enumerable.Range(0, 100_000).Select(static i => (byte)(i * 31))];
        TaskCompletionSource disposed = new(RunContinuationsAsynchronously);
        CoapEndpointOptions options = new();
        Router(options, exchange => CoapResults.Stream(
            exchange.Request.Path switch
            {
                "/broken" => new EndingStream(large, static () => { }, new IOException("broken")),
                "/gone" => new EndingStream(
                    large, static () => { }, new CoapContentException(CoapResults.Status(CoapCode.BadGateway), "Gone.")),
                _ => new EndingStream(large, () => disposed.TrySetResult()),
            },
            CoapETag.FromVersion(1)));
        await using CoapServer server = new(options);
        string uri = await StartAsync(server, scheme);
        await using CoapClient client = new();

        Assert.Equal(large, (await Within(client.GetAsync($"{uri}/a"))).Payload.ToArray());
        await Within(disposed.Task);
        await Within(client.GetAsync($"{uri}/broken")).Gives(CoapCode.InternalServerError);
        await Within(client.GetAsync($"{uri}/gone")).Gives(CoapCode.BadGateway);
        Assert.Equal(1, server.Endpoint.Counters[CoapCounter.HandlerErrors]);
    }

    [Theory]
    [MemberData(nameof(Schemes))]
    public async Task A_router_with_a_queue_answers_many_requests_and_takes_bodies_in_blocks(string scheme)
    {
        CoapEndpointOptions options = new();
        Router(options, static exchange => exchange.Request.Method == CoapMethod.Put
            ? CoapResults.Text($"{exchange.Request.Payload.Length} bytes")
            : CoapResults.Text(exchange.Request.Path));
        await using CoapServer server = new(options);
        string uri = await StartAsync(server, scheme);
        await using CoapClient client = new(new CoapEndpointOptions { Parameters = new() { NStart = 20 } });

        Task<CoapResponse>[] requests = [.. Enumerable.Range(0, 100).Select(i => client.GetAsync($"{uri}/{i}"))];
        for (int i = 0; i < requests.Length; i++)
        {
            await Within(requests[i]).Says($"/{i}");
        }

        await Within(client.PutAsync($"{uri}/large", CoapContent.Binary(new byte[50_000]))).Says("50000 bytes");
        await Within(client.PutAsync($"{uri}/large", CoapContent.Binary(new byte[2_000_000]))).Gives(CoapCode.RequestEntityTooLarge);
        await Eventually.IsTrueAsync(() => server.Endpoint.Core.Served.Count == 0);
    }

    [Fact]
    public async Task Only_the_first_of_two_answers_of_a_router_counts()
    {
        CoapEndpointOptions options = new() { Transports = { Shards = 1 } };
        options.Pipeline.Replace(CoapStages.Resource, static _ => new TransformManyBlock<CoapExchange, CoapServerReply>(static exchange =>
            [new CoapServerReply(exchange, CoapResults.Text("first")), new CoapServerReply(exchange, CoapResults.Text("second"))]));
        await using CoapServer server = new(options);
        string uri = await StartAsync(server, "coap");
        await using CoapClient client = new();
        for (int i = 0; i < 3; i++)
        {
            await Within(client.GetAsync($"{uri}/x")).Says("first");
        }

        await Eventually.IsTrueAsync(() => server.Endpoint.Counters[CoapCounter.LateResponses] == 3);
        Assert.Equal(0, server.Endpoint.Core.Served.Count);
    }

    [Fact]
    public async Task A_reply_of_a_router_without_an_exchange_is_counted_as_an_error_and_answers_nothing()
    {
        CoapEndpointOptions options = new() { Transports = { Shards = 1 } };
        options.Pipeline.Replace(CoapStages.Resource, static _ => new TransformManyBlock<CoapExchange, CoapServerReply>(static exchange =>
            [default, new CoapServerReply(exchange, CoapResults.Text("right"))]));
        await using CoapServer server = new(options);
        string uri = await StartAsync(server, "coap");
        await using CoapClient client = new();

        await Within(client.GetAsync($"{uri}/x")).Says("right");

        Assert.Equal(1, server.Endpoint.Counters[CoapCounter.StageErrors]);
    }

    [Fact]
    public async Task A_request_to_a_full_router_gets_5_03()
    {
        TaskCompletionSource release = new(RunContinuationsAsynchronously);
        CoapEndpointOptions options = new() { Transports = { Shards = 1 } };
        options.Pipeline.Replace(CoapStages.Resource, _ => new TransformBlock<CoapExchange, CoapServerReply>(
            async exchange =>
            {
                await release.Task;
                return new CoapServerReply(exchange, CoapResults.Text("x"));
            },
            new ExecutionDataflowBlockOptions { BoundedCapacity = 1 }));
        await using CoapServer server = new(options);
        string uri = await StartAsync(server, "coap");
        await using CoapClient client = new(new CoapEndpointOptions { Parameters = new() { NStart = 20 } });
        Task<CoapResponse> first = client.GetAsync($"{uri}/x");
        await Eventually.IsTrueAsync(() => server.Endpoint.Core.Served.Count == 1);

        await Within(client.GetAsync($"{uri}/x")).Gives(CoapCode.ServiceUnavailable);
        await Eventually.IsTrueAsync(() => server.Endpoint.Core.Served.Count == 1);
        release.SetResult();
        await Within(first).Says("x");
        await Eventually.IsTrueAsync(() => server.Endpoint.Core.Served.Count == 0);
    }

    [Fact]
    public async Task A_request_held_by_a_router_gets_5_03_on_disposal_and_its_late_answer_is_dropped()
    {
        TaskCompletionSource release = new(RunContinuationsAsynchronously);
        CoapEndpointOptions options = new() { Transports = { Shards = 1 } };
        TaskCompletionSource<CancellationToken> entered = new(RunContinuationsAsynchronously);
        options.Pipeline.Replace(CoapStages.Resource, _ => new TransformBlock<CoapExchange, CoapServerReply>(async exchange =>
        {
            entered.SetResult(exchange.Request.Aborted);
            await release.Task;
            return new CoapServerReply(exchange, CoapResults.Text("late"));
        }));
        CoapServer server = new(options);
        string uri = await StartAsync(server, "coap");
        await using CoapClient client = new();
        Task<CoapResponse> request = client.GetAsync($"{uri}/x");
        CancellationToken aborted = await Within(entered.Task);
        await Eventually.IsTrueAsync(() => server.Endpoint.Pipelines[0].Resource.Unanswered == 1);

        Task disposal = server.DisposeAsync().AsTask();
        await Within(request).Gives(CoapCode.ServiceUnavailable);
        Assert.True(aborted.IsCancellationRequested);
        release.SetResult();
        await Within(disposal);
        Assert.Equal(0, server.Endpoint.Core.Served.Count);
    }

    [Fact]
    public async Task A_router_that_faults_faults_the_endpoint_and_the_error_says_which_block()
    {
        CoapEndpointOptions options = new();
        Router(options, static CoapResult (_) => throw new InvalidOperationException("mine"));
        CoapServer server = new(options);
        string uri = await StartAsync(server, "coap");
        await using CoapClient client = new();
        using CancellationTokenSource cancel = new();
        Task<CoapResponse> request = client.GetAsync($"{uri}/x", cancellationToken: cancel.Token);
        CoapException fault = await Assert.ThrowsAsync<CoapException>(() => Within(server.Endpoint.Completion));
        Assert.Equal("The block in place of the stage Resource faulted while the endpoint was running.", fault.Message);
        Assert.Equal("mine", Assert.IsType<InvalidOperationException>(fault.InnerException).Message);
        await cancel.CancelAsync();

        // A request without an answer may get 5.03 while the endpoint ends.
        Exception? error = await Record.ExceptionAsync(() => Within(request));
        Assert.True(error is not null || (await request).Code == CoapCode.ServiceUnavailable);
        await Within(server.DisposeAsync().AsTask());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_serializer_that_faults_faults_the_endpoint(bool inbound)
    {
        CoapEndpointOptions options = new();
        options.Pipeline.Replace(CoapStages.Serializer, shard => new CoapSerializerStageBlocks(
            new TransformBlock<CoapDatagram, CoapInbound>(datagram => inbound
                ? throw new InvalidOperationException("mine")
                : shard.Received(datagram, shard.SerializerOf(datagram.Channel!).Deserialize(datagram.Span))),
            new TransformBlock<CoapOutbound, CoapDatagram>(CoapDatagram (_) => throw new InvalidOperationException("mine"))));
        CoapServer server = new(options);
        server.MapGet("/x", static () => "x");
        string uri = await StartAsync(server, "coap");
        await using CoapClient client = new();
        using CancellationTokenSource cancel = new();
        Task<CoapResponse> request = client.GetAsync($"{uri}/x", cancellationToken: cancel.Token);
        CoapException fault = await Assert.ThrowsAsync<CoapException>(() => Within(server.Endpoint.Completion));
        string link = (inbound ? CoapStageLinks.ChannelToSerializer.Name : CoapStageLinks.MessagingToSerializer.Name)!;
        Assert.Equal($"The block in place of the stage behind the link {link} faulted while the endpoint was running.", fault.Message);
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<Exception>(() => Within(request));
        await Within(server.DisposeAsync().AsTask());
    }

    [Fact]
    public async Task A_response_that_a_custom_serializer_cannot_encode_becomes_5_00_and_a_duplicate_gets_the_same()
    {
        CoapEndpointOptions options = new() { Transports = { Shards = 1 } };
        options.Pipeline.Replace(CoapStages.Serializer, static shard => new CoapSerializerStageBlocks(
            new PassThrough<CoapDatagram, CoapInbound>(
                datagram => shard.Received(datagram, shard.SerializerOf(datagram.Channel!).Deserialize(datagram.Span))),
            new PassThrough<CoapOutbound, CoapDatagram>(outbound => Write(shard, outbound))));
        await using CoapServer server = new(options);
        DirectTransport transport = new();
        server.MapGet("/x", static () => "no form");
        server.Endpoint.AddTransport(transport);
        await server.StartAsync();
        CoAP.NET.CoapAddress peer = CoAP.NET.CoapAddress.FromIPv4(0xc0000201, 40_000);
        transport.Receive(peer, "41010001aab178");
        string answer = Assert.Single(transport.TakeSent());
        Assert.Equal("61a00001aa", answer);
        transport.Receive(peer, "41010001aab178");
        transport.HasSent(answer);
        Assert.Equal(1, server.Endpoint.Counters[CoapCounter.EncodeErrors]);

        static CoapDatagram Write(CoapStageContext shard, CoapOutbound outbound)
        {
            if (!outbound.Encoded.IsEmpty)
            {
                return shard.Encoded(outbound, outbound.Encoded.Span);
            }

            if (outbound.Message!.Code == CoapCode.Content)
            {
                outbound = shard.EncodeFailed(outbound, new NotSupportedException("no form"))!.Value;
            }

            return shard.Encoded(outbound, shard.SerializerOf(outbound.Channel).Serialize(outbound.Message!));
        }
    }

    [Fact]
    public async Task A_format_error_reported_by_a_user_serializer_is_rejected_as_by_the_standard_stage()
    {
        CoapEndpointOptions options = new() { Transports = { Shards = 1 } };
        options.Pipeline.Replace(CoapStages.Serializer, static shard => new CoapSerializerStageBlocks(
            new PassThrough<CoapDatagram, CoapInbound>(datagram =>
                shard.Malformed(datagram, new CoapFormatError(CoapMessageFormatViolation.PayloadMissing, 4),
                    CoapMessageType.Confirmable, 0x1234)),
            new PassThrough<CoapOutbound, CoapDatagram>(
                outbound => shard.Encoded(outbound, shard.SerializerOf(outbound.Channel).Serialize(outbound.Message!)))));
        await using CoapServer server = new(options);
        DirectTransport transport = new();
        server.Endpoint.AddTransport(transport);
        await server.StartAsync();
        transport.Receive(CoAP.NET.CoapAddress.FromIPv4(0xc0000201, 40_000), "40011234ff");
        transport.HasSent("70001234");
        Assert.Equal(1, server.Endpoint.Counters[CoapCounter.FormatErrors]);
    }

    [Fact]
    public async Task A_default_item_of_a_custom_serializer_is_counted_as_an_error_and_the_next_message_is_answered()
    {
        CoapEndpointOptions options = new() { Transports = { Shards = 1 } };
        options.Pipeline.Replace(CoapStages.Serializer, static shard => new CoapSerializerStageBlocks(
            new PassThrough<CoapDatagram, CoapInbound>(datagram => datagram.Span.EndsWith("y"u8)
                ? default
                : shard.Received(datagram, shard.SerializerOf(datagram.Channel!).Deserialize(datagram.Span))),
            new PassThrough<CoapOutbound, CoapDatagram>(
                outbound => shard.Encoded(outbound, shard.SerializerOf(outbound.Channel).Serialize(outbound.Message!)))));
        await using CoapServer server = new(options);
        server.MapGet("/x", static () => CoapResults.Changed());
        DirectTransport transport = new();
        server.Endpoint.AddTransport(transport);
        await server.StartAsync();
        CoAP.NET.CoapAddress peer = CoAP.NET.CoapAddress.FromIPv4(0xc0000201, 40_000);

        transport.Receive(peer, "40010001b179");
        Assert.Equal(1, server.Endpoint.Counters[CoapCounter.StageErrors]);
        transport.HasSentNothing();

        transport.Receive(peer, "40010002b178");
        transport.HasSent("60440002");
        Assert.Equal(1, server.Endpoint.Counters[CoapCounter.StageErrors]);
    }

    [Fact]
    public async Task A_custom_channel_stage_identifies_a_device_by_its_number_at_any_address()
    {
        CoapEndpointOptions options = new();
        options.Pipeline.Replace(CoapStages.Channel, DeviceChannel.Make);
        await using CoapServer server = new(options);
        HashSet<CoapPeer> peers = [];
        server.MapGet("/peer", request =>
        {
            peers.Add(request.Peer!);
            return $"{request.Peer!.Address.ToIPAddress()}";
        });
        string uri = await StartAsync(server, "coap");

        Assert.Equal("fd00::7", await AskAsync(7));
        Assert.Equal("fd00::7", await AskAsync(7));
        Assert.Equal("fd00::8", await AskAsync(8));

        // Two sockets, one peer.
        Assert.Equal(2, peers.Count);

        async Task<string> AskAsync(long device)
        {
            CoapEndpointOptions own = new();
            DeviceChannel.WriteNumber(own, device);
            await using CoapClient client = new(own);
            return (await Within(client.GetAsync($"{uri}/peer"))).GetText();
        }
    }

    [Theory]
    [MemberData(nameof(Schemes))]
    public async Task A_custom_channel_stage_that_attaches_no_channel_leaves_attaching_to_the_library(string scheme)
    {
        CoapEndpointOptions options = new();
        options.Pipeline.Replace(CoapStages.Channel, static _ => new CoapChannelStageBlocks(
            new PassBlock<CoapDatagram>(static _ => { }),
            new PassBlock<CoapDatagram>(static datagram => CoapStageContext.Address(datagram))));
        await using CoapServer server = new(options);
        server.MapGet("/x", static () => "x");
        string uri = await StartAsync(server, scheme);
        await using CoapClient client = new();

        await Within(client.GetAsync($"{uri}/x")).Says("x");
    }

    [Theory]
    [MemberData(nameof(Schemes))]
    public async Task A_custom_handler_stage_stores_requests_and_forwards_them_in_order(string scheme)
    {
        StoreAndForward line = new() { Capacity = 3 };
        CoapEndpointOptions options = new();
        options.Pipeline.Replace(CoapStages.Handler, line.Make);
        await using CoapServer server = new(options);
        ConcurrentQueue<string> served = [];
        server.MapPost("/{n}", request =>
        {
            served.Enqueue(request.Path);
            return request.Path;
        });
        string uri = await StartAsync(server, scheme);
        await using CoapClient client = new(new CoapEndpointOptions { Parameters = new() { NStart = 10 } });

        List<Task<CoapResponse>> stored = [];
        for (int i = 0; i < 3; i++)
        {
            long before = server.Counters[CoapCounter.RequestsReceived];
            stored.Add(client.PostAsync($"{uri}/{i}", CoapContent.Text("x")));
            await Eventually.IsTrueAsync(() => server.Counters[CoapCounter.RequestsReceived] > before);
        }

        Task<CoapResponse> more = client.PostAsync($"{uri}/more", CoapContent.Text("x"));
        if (scheme == "coap")
        {
            await Within(more).Gives(CoapCode.ServiceUnavailable);
        }

        Assert.All(stored, static request => Assert.False(request.IsCompleted));
        line.Up();
        foreach (Task<CoapResponse> request in stored)
        {
            Assert.True((await Within(request)).IsSuccess);
        }

        // A connection waits for room instead.
        Assert.Equal(scheme == "coap" ? CoapCode.ServiceUnavailable : CoapCode.Changed, (await Within(more)).Code);
        Assert.Equal(["/0", "/1", "/2"], served.Take(3));
    }

    [Fact]
    public async Task A_custom_handler_stage_works_without_the_handler_stage_of_the_library()
    {
        CoapEndpointOptions options = new() { Transports = { Shards = 1 } };
        options.Pipeline.Replace(CoapStages.Handler, static _ => new CoapHandlerStageBlocks(
            new TransformManyBlock<CoapInbound, CoapExchange>(static item =>
                item is { Kind: CoapInboundKind.Message, Message.Code.IsRequest: true } ? [CoapExchange.Begin(item)] : []),
            new PassThrough<CoapServerReply, CoapOutbound>(static reply =>
            {
                CoapMessage response = reply.ToMessage();
                response.Type = CoapMessageType.Acknowledgement;
                response.MessageId = reply.Exchange.Request.Message.MessageId;
                return new CoapOutbound { Channel = reply.Exchange.Channel, Message = response };
            })));
        await using CoapServer server = new(options);
        server.MapGet("/x", static () => "x");
        DirectTransport transport = new();
        server.Endpoint.AddTransport(transport);
        await server.StartAsync();

        transport.Receive(CoAP.NET.CoapAddress.FromIPv4(0xc0000201, 40_000), "41010001aab178");
        List<string> sent = [];
        await Eventually.IsTrueAsync(() =>
        {
            sent.AddRange(transport.TakeSent());
            return sent.Count > 0;
        });
        Assert.Equal(["61450001aac0ff78"], sent);
        Assert.Throws<ArgumentException>(() => CoapExchange.Begin(default));
    }

    [Fact]
    public async Task A_default_item_of_a_custom_handler_stage_is_counted_as_an_error_for_each_request()
    {
        CoapEndpointOptions options = new() { Transports = { Shards = 1 } };
        int runs = 0;
        options.Pipeline.Replace(CoapStages.Handler, static _ => new CoapHandlerStageBlocks(
            new PassThrough<CoapInbound, CoapExchange>(static item => CoapExchange.Begin(item)),
            new PassThrough<CoapServerReply, CoapOutbound>(static _ => default)));
        await using CoapServer server = new(options);
        server.MapGet("/x", () => $"{++runs}");
        DirectTransport transport = new();
        server.Endpoint.AddTransport(transport);
        await server.StartAsync();

        CoAP.NET.CoapAddress peer = CoAP.NET.CoapAddress.FromIPv4(0xc0000201, 40_000);
        transport.Receive(peer, "41010001aab178");
        Assert.Equal((1, 1), (runs, server.Endpoint.Counters[CoapCounter.StageErrors]));
        transport.Receive(peer, "41010002abb178");
        Assert.Equal((2, 2), (runs, server.Endpoint.Counters[CoapCounter.StageErrors]));
    }

    [Fact]
    public async Task A_stage_on_tasks_runs_up_to_MaxDegreeOfParallelism_items_at_a_time()
    {
        using Barrier four = new(4);
        CoapEndpointOptions options = new();
        options.Pipeline.RunOnTasks(CoapStages.Resource, new ExecutionDataflowBlockOptions { MaxDegreeOfParallelism = 4 });
        await using CoapServer server = new(options);

        // Blocks until four of them run.
        server.MapGet("/x", () => four.SignalAndWait(HangGuard.InMemory) ? "x" : throw new TimeoutException())
            .WithExecution(CoapExecution.Inline);
        string uri = await StartAsync(server, "coap");
        await using CoapClient client = new(new CoapEndpointOptions { Parameters = new() { NStart = 4 } });

        foreach (Task<CoapResponse> request in Enumerable.Range(0, 4).Select(_ => client.GetAsync($"{uri}/x")).ToArray())
        {
            await Within(request).Says("x");
        }
    }

    [Theory]
    [MemberData(nameof(Schemes))]
    public async Task Stages_on_tasks_run_on_their_scheduler_and_keep_the_order_of_each_peer(string scheme)
    {
        CountingScheduler[] schedulers = [new(), new(), new(), new()];
        CoapEndpointOptions options = new();
        options.Pipeline
            .RunOnTasks(CoapStages.Channel, On(schedulers[0], 4))
            .RunOnTasks(CoapStages.Serializer, On(schedulers[1], 4))
            .RunOnTasks(CoapStages.Handler, On(schedulers[2], 1))
            .RunOnTasks(CoapStages.Resource, On(schedulers[3], 1));
        List<string> served = [];
        await using CoapServer server = new(options);
        server.MapPost("/{n}", request =>
        {
            served.Add(request.Path);
            return request.Path;
        }).WithExecution(CoapExecution.Inline);
        string uri;
        if (scheme == "coap")
        {
            // A receiving thread that is suspended inside a block would be replaced by another one, which delivers later datagrams first.
            CoapUdpTransport udp = new(new()
            {
                IsServer = true,
                HandOverAfter = Timeout.InfiniteTimeSpan,
                Endpoints = { new(System.Net.IPAddress.Loopback, 0) },
            });
            server.Endpoint.AddTransport(udp);
            await server.StartAsync();
            uri = server.LocalEndpoints[0].Origin();
        }
        else
        {
            uri = await StartAsync(server, scheme);
        }

        await using CoapClient client = new(new CoapEndpointOptions { Parameters = new() { NStart = 200 } });

        // One thread sends them to a peer that is connected, and loopback keeps their order.
        Assert.True((await Within(client.PostAsync($"{uri}/first", CoapContent.Text("x")))).IsSuccess);
        served.Clear();
        Task<CoapResponse>[] requests = [.. Enumerable.Range(0, 200).Select(i => client.PostAsync($"{uri}/{i}", CoapContent.Text("x")))];
        foreach (Task<CoapResponse> request in requests)
        {
            Assert.True((await Within(request)).IsSuccess);
        }

        Assert.Equal(Enumerable.Range(0, 200).Select(static i => $"/{i}"), served);
        Assert.All(schedulers, static scheduler => Assert.True(scheduler.Count > 0), throwIfEmpty: true);

        static ExecutionDataflowBlockOptions On(TaskScheduler scheduler, int atATime) =>
            new() { TaskScheduler = scheduler, MaxDegreeOfParallelism = atATime };
    }

    [Fact]
    public void RunOnTasks_refuses_stages_and_options_that_are_not_supported()
    {
        ExecutionDataflowBlockOptions four = new() { MaxDegreeOfParallelism = 4 };
        CoapPipelineOptions pipeline = new();

        Assert.Throws<ArgumentException>(() => pipeline.RunOnTasks(CoapStages.Protection, four));
        Assert.Throws<ArgumentException>(() => pipeline.RunOnTasks(CoapStages.Handler, four));
        Assert.Throws<ArgumentException>(() => pipeline.RunOnTasks(
            CoapStages.Serializer, new ExecutionDataflowBlockOptions { MaxDegreeOfParallelism = 4, EnsureOrdered = false }));
        pipeline.RunOnTasks(CoapStages.Serializer, four);
        Assert.Throws<InvalidOperationException>(() => pipeline.RunOnTasks(CoapStages.Serializer, four));
    }

    [Fact]
    public void An_invalid_stage_replacement_is_refused_and_the_error_says_what_to_do()
    {
        CoapEndpointOptions twice = new();
        Router(twice, static _ => CoapResults.NotFound());
        Assert.Throws<InvalidOperationException>(() => Router(twice, static _ => CoapResults.NotFound())).Mentions("already replaced");

        CoapServer taken = new(twice);
        Assert.Contains("before you make it", Assert.Throws<InvalidOperationException>(() =>
            twice.Pipeline.Replace(CoapStages.Serializer, static shard => null!)).Message, Ordinal);
        Assert.Throws<InvalidOperationException>(() => taken.MapGet("/x", static () => "x")).Mentions("never be used");

        CoapRoutes routes = new();
        routes.MapGet("/x", static () => "x");
        CoapEndpointOptions both = new() { Routes = routes };
        Router(both, static _ => CoapResults.NotFound());
        Assert.Throws<InvalidOperationException>(() => new CoapServer(both)).Mentions("never be used");

        CoapEndpointOptions nothing = new();
        nothing.Pipeline.Replace(CoapStages.Serializer, static shard => null!);
        Assert.Throws<InvalidOperationException>(() => new CoapServer(nothing)).Mentions("returned null");

        TransformBlock<CoapExchange, CoapServerReply> one = new(static exchange => new CoapServerReply(exchange, CoapResults.NotFound()));
        CoapEndpointOptions shared = new() { Transports = { Shards = 2 } };
        shared.Pipeline.Replace(CoapStages.Resource, _ => one);
        Assert.Throws<InvalidOperationException>(() => new CoapServer(shared)).Mentions("once for each shard");
    }

    private static CoapEndpointOptions Sealed(byte[]? key = null)
    {
        CoapEndpointOptions options = new();
        options.Pipeline.Replace(CoapStages.Serializer, shard => SealedFormat.Make(shard, key ?? s_key));
        return options;
    }

    private static void Router(CoapEndpointOptions options, Func<CoapExchange, CoapResult> answer) =>
        options.Pipeline.Replace(CoapStages.Resource,
            _ => new TransformBlock<CoapExchange, CoapServerReply>(exchange => new CoapServerReply(exchange, answer(exchange))));

    private static async Task<string> StartAsync(CoapServer server, string scheme)
    {
        server.Listen($"{scheme}://127.0.0.1:0");
        await server.StartAsync();
        return server.LocalEndpoints[0].Origin();
    }

    private static Task<T> Within<T>(Task<T> task) => task.WaitAsync(FromMinutes(2));

    private static Task Within(Task task) => task.WaitAsync(FromMinutes(2));

    private sealed class CountingScheduler : TaskScheduler
    {
        private int _count;

        public int Count => Volatile.Read(ref _count);

        protected override void QueueTask(Task task)
        {
            Interlocked.Increment(ref _count);
            _ = Task.Factory.StartNew(() => TryExecuteTask(task), CancellationToken.None, TaskCreationOptions.None, Default);
        }

        protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued) => false;

        protected override IEnumerable<Task> GetScheduledTasks() => [];
    }

    // A propagator of its own without a queue.
    private sealed class PassThrough<TInput, TOutput>(Func<TInput, TOutput> change) : IPropagatorBlock<TInput, TOutput>
    {
        private readonly TaskCompletionSource _completion = new(RunContinuationsAsynchronously);
        private ITargetBlock<TOutput>? _target;

        public Task Completion => _completion.Task;

        public DataflowMessageStatus OfferMessage(DataflowMessageHeader messageHeader, TInput messageValue, ISourceBlock<TInput>? source,
            bool consumeToAccept) =>
                _target!.OfferMessage(messageHeader, change(messageValue), this, consumeToAccept: false);

        public IDisposable LinkTo(ITargetBlock<TOutput> target, DataflowLinkOptions linkOptions)
        {
            _target = target;
            return new MemoryStream();
        }

        public void Complete()
        {
            _completion.TrySetResult();
            _target?.Complete();
        }

        public void Fault(Exception exception) => _completion.TrySetException(exception);

        public TOutput? ConsumeMessage(DataflowMessageHeader messageHeader, ITargetBlock<TOutput> target, out bool messageConsumed)
        {
            messageConsumed = false;
            return default;
        }

        public bool ReserveMessage(DataflowMessageHeader messageHeader, ITargetBlock<TOutput> target) => false;

        public void ReleaseReservation(DataflowMessageHeader messageHeader, ITargetBlock<TOutput> target)
        {
        }
    }

    private sealed class EndingStream(byte[] bytes, Action ended, Exception? failure = null) : MemoryStream(bytes, writable: false)
    {
        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
            failure is not null ? ValueTask.FromException<int>(failure) : base.ReadAsync(buffer, cancellationToken);

        protected override void Dispose(bool disposing)
        {
            ended();
            base.Dispose(disposing);
        }
    }
}
