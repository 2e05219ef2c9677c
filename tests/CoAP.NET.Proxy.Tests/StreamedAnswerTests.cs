using CoAP.NET.Tests.Blockwise;

namespace CoAP.NET.Proxy.Tests;

/// <summary>Large answers pass the proxy block by block.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class StreamedAnswerTests
{
    private const int Length = 200_000;

    private readonly List<PatternStream> _streams = [];

    [Fact]
    public async Task A_large_response_is_streamed_as_fast_as_the_client_reads()
    {
        await using ProxyWorld world = await StartAsync(_ => Body(1 << 30));
        CoapResponseBodyStream body = await world.RunAsync(() => world.Client.OpenReadAsync(Ask()));
        byte[] read = new byte[Length];

        await world.RunAsync(() => body.ReadExactlyAsync(read).AsTask().ContinueWith(_ => 0, TaskScheduler.Default));
        await world.PassAsync(FromSeconds(20));

        Assert.Equal(PatternStream.Bytes(0, Length), read);
        Assert.InRange(Assert.Single(_streams).Given, Length, Length + (32 * 1024));
        Assert.InRange(world.ProxyServer.BodyBytes, 64 * 1024, 65 * 1024);
        Assert.Equal((1, 0), (world.Proxy.GetCounters().Streamed, world.Proxy.GetCounters().InProgress));
        await world.EndAsync(body);
    }

    [Theory]
    [InlineData(65_536, 0)]
    [InlineData(65_537, 1)]
    [InlineData(Length, 1)]
    public async Task A_response_larger_than_the_holding_limit_is_streamed_and_arrives_complete(int length, int streamed)
    {
        await using ProxyWorld world = await StartAsync(_ => Body(length));

        CoapResponse response = await world.SendAsync(Ask());

        Assert.Equal(PatternStream.Bytes(0, length), response.EnsureSuccess().Payload.ToArray());
        Assert.Equal(streamed, world.Proxy.GetCounters().Streamed);
        Assert.Equal("07", Convert.ToHexString(response.Options.ETag!.Value.ToArray()));
    }

    [Fact]
    public async Task A_response_in_large_messages_over_a_connection_is_streamed()
    {
        await using ProxyWorld world = await StartAsync(_ => Body(Length), scheme: "coap+tcp");

        CoapResponse response = await world.SendAsync(Ask("coap+tcp://[2001:db8:1::1]/x"));

        Assert.Equal(PatternStream.Bytes(0, Length), response.EnsureSuccess().Payload.ToArray());
        Assert.Equal(1, world.Proxy.GetCounters().Streamed);
    }

    [Fact]
    public async Task An_endless_response_ends_at_the_limit_while_only_a_window_of_it_is_held()
    {
        await using ProxyWorld world = await StartAsync(_ => Body(1 << 30), options => options.Limits.MaxStreamedBodySize = Length);
        long held = 0;
        CountingStream destination = new(() => held = Math.Max(held, world.ProxyServer.BodyBytes));
        CoapRequest request = Ask();
        request.Destination = destination;

        CoapResponse response = await world.SendAsync(request);

        response.Gives(CoapCode.BadGateway);
        response.GetText().Mentions("more than 200000 bytes");
        Assert.InRange(destination.Count, Length - (8 * 1024), Length);
        Assert.InRange(held, 64 * 1024, 65 * 1024);
        await world.Clock.AdvanceUntilAsync(() => world.ProxyServer.BodyBytes == 0, FromMinutes(10));
    }

    [Fact]
    [Rfc("7959-2.4-5")]
    public async Task A_resource_that_changes_during_a_transfer_ends_the_transfer_without_mixing_representations()
    {
        byte version = 1;
        await using ProxyWorld world = await StartAsync(_ => Body(Length));
        CoapServer origin = world.MakeServer("[2001:db8:1::2]:5683", options => options.Limits.Blockwise.ResponseMemory = 0);
        origin.MapGet("/x", () =>
        {
            byte[] body = new byte[Length];
            Array.Fill(body, version);
            return CoapResults.Bytes(body).WithETag(CoapETag.FromVersion(version));
        });
        await origin.StartAsync();
        static CoapRequest Ask() => ProxyWorld.Ask("coap://[2001:db8:1::2]/x");
        CoapResponseBodyStream stream = await world.RunAsync(() => world.Client.OpenReadAsync(Ask()));
        byte[] read = new byte[100_000];
        await world.RunAsync(() => stream.ReadAtLeastAsync(read, read.Length).AsTask());

        version = 2;
        CoapResponseException failure = await Assert.ThrowsAsync<CoapResponseException>(
            () => world.RunAsync(() => stream.ReadAtLeastAsync(new byte[Length], Length).AsTask()));

        Assert.All(read, value => Assert.Equal(1, value));
        Assert.Equal(CoapCode.BadGateway, failure.Response.Code);
        CoapResponse anew = await world.SendAsync(Ask());
        Assert.All(anew.EnsureSuccess().Payload.ToArray(), value => Assert.Equal(2, value), throwIfEmpty: true);
        await world.EndAsync(stream);
    }

    [Fact]
    [Rfc("7252-5.7.1-1")]
    public async Task A_server_that_becomes_silent_during_a_transfer_causes_5_04_for_the_next_block()
    {
        await using ProxyWorld world = await StartAsync(_ => Body(1 << 30));
        CoapResponseBodyStream stream = await world.RunAsync(() => world.Client.OpenReadAsync(Ask()));
        await world.RunAsync(() => stream.ReadAtLeastAsync(new byte[80_000], 80_000).AsTask());

        await world.Origin.DisposeAsync();
        CoapResponseException failure = await Assert.ThrowsAsync<CoapResponseException>(
            () => world.RunAsync(() => stream.ReadAtLeastAsync(new byte[Length], Length).AsTask()));

        Assert.Equal(CoapCode.GatewayTimeout, failure.Response.Code);
        Assert.Equal(1, world.Proxy.GetCounters().Timeouts);
        await world.EndAsync(stream);
    }

    [Fact]
    public async Task The_transfer_of_a_client_that_stops_reading_ends_and_resumes_when_it_requests_the_next_block()
    {
        await using ProxyWorld world = await StartAsync(_ => Body(Length));
        for (int number = 0; number < 100; number++)
        {
            await BlockAsync(world, number);
        }

        await world.Clock.AdvanceUntilAsync(() => world.ProxyServer.BodyBytes == 0, FromMinutes(10));
        int asked = world.Asked.Count;
        CoapResponse next = await BlockAsync(world, 100);

        Assert.Equal(PatternStream.Bytes(100 * 1024, 1024), next.EnsureSuccess().Payload.ToArray());
        Assert.Equal(asked + 1, world.Asked.Count);
        Assert.Equal(100, world.Asked[^1].Options.Block2!.Value.Number);
    }

    [Fact]
    public async Task A_later_block_is_fetched_without_the_blocks_before_it()
    {
        await using ProxyWorld world = await StartAsync(_ => Body(1 << 30));

        CoapResponse block = await BlockAsync(world, 900_000);

        Assert.Equal(PatternStream.Bytes(900_000L * 1024, 1024), block.EnsureSuccess().Payload.ToArray());
        Assert.Equal(900_000, Assert.Single(world.Asked).Options.Block2!.Value.Number);
    }

    [Fact]
    public async Task Equal_requests_for_a_response_too_large_to_be_held_are_forwarded_separately()
    {
        await using ProxyWorld world = await StartAsync(_ => Body(Length));
        CoapClient other = world.MakeClient("[2001:db8::3]");
        await world.RunAsync(() => other.SendAsync(ProxyWorld.Ask("coap://[2001:db8:1::99]/", CoapMethod.Put)));

        CoapResponse[] responses = await world.RunAsync(() => Task.WhenAll(world.Client.SendAsync(Ask()), other.SendAsync(Ask())));

        Assert.All(responses, response => Assert.Equal(PatternStream.Bytes(0, Length), response.EnsureSuccess().Payload.ToArray()));
        Assert.Equal(2, world.Proxy.GetCounters().Streamed);
        Assert.Equal(0, world.Proxy.GetCounters().Shared);
    }

    [Fact]
    public async Task A_large_response_without_an_ETag_gets_an_ETag_of_the_proxy_for_the_transfer()
    {
        await using ProxyWorld world = await StartAsync(_ => Body(Length));
        using ScriptedPeer origin = world.Network.CreatePeer(
            InMemoryNetwork.Address("[2001:db8:1::9]:5683"), InMemoryNetwork.Address("[2001:db8::1]:50001"));
        origin.Responder = received =>
        {
            CoapMessage asked = CoapDatagramSerializer.Default.Deserialize(received.Data);
            BlockValue block = asked.Options.Block2 ?? new BlockValue(0, false, 6);
            int length = Math.Min(1024, Length - (int)block.ByteOffset);
            CoapMessage answer = new(CoapCode.Content)
            {
                Type = CoapMessageType.Acknowledgement,
                MessageId = asked.MessageId,
                Token = asked.Token,
                Payload = PatternStream.Bytes(block.ByteOffset, length),
            };
            answer.Options.Block2 = new BlockValue(block.Number, block.ByteOffset + length < Length, 6);
            origin.Send(CoapDatagramSerializer.Default.Serialize(answer));
            return true;
        };

        CoapResponse first = await world.SendAsync(Ask("coap://[2001:db8:1::9]/"));
        CoapResponse second = await world.SendAsync(Ask("coap://[2001:db8:1::9]/"));

        Assert.Equal(PatternStream.Bytes(0, Length), first.EnsureSuccess().Payload.ToArray());
        Assert.Equal(first.Payload.ToArray(), second.EnsureSuccess().Payload.ToArray());
        Assert.False(first.Options.ETag == second.Options.ETag);
    }

    [Fact]
    public async Task Closing_the_connection_of_the_client_ends_the_transfer_from_the_server()
    {
        await using ProxyWorld world = await StartAsync(_ => Body(1 << 30), downstream: "coap+tcp");
        CoapClient client = world.MakeClient("[2001:db8:78::1]");
        client.Endpoint.AddTransport(world.Network.CreateTransport("coap+tcp", InMemoryNetwork.Address("[2001:db8:78::1]:40000")));
        CoapRequest request = new(CoapMethod.Get, "coap+tcp://[2001:db8::1]/") { BlockSize = 1024 };
        request.Options.Add(new ProxyUriOption("coap://[2001:db8:1::1]/x"));
        CoapResponseBodyStream stream = await world.RunAsync(() => client.OpenReadAsync(request));
        Assert.True(world.ProxyServer.BodyBytes > 0);

        await client.DisposeAsync();
        await world.Clock.AdvanceUntilAsync(() => world.ProxyServer.BodyBytes == 0, FromMinutes(1));

        int asked = _streams.Sum(one => (int)one.Given);
        await world.PassAsync(FromMinutes(2));
        Assert.Equal(asked, _streams.Sum(one => (int)one.Given));
        await world.EndAsync(stream);
    }

    private static CoapRequest Ask(string target = "coap://[2001:db8:1::1]/x") => ProxyWorld.Ask(target);

    private static Task<CoapResponse> BlockAsync(ProxyWorld world, int number)
    {
        CoapRequest request = Ask();
        request.Options.Block2 = new BlockValue(number, false, 6);
        return world.SendAsync(request);
    }

    private async Task<ProxyWorld> StartAsync(
        Func<CoapRequestContext, CoapResult> answer, Action<CoapProxyOptions>? configure = null, string scheme = "coap",
        string? downstream = null)
    {
        ProxyWorld world = new(configure);
        world.ProxyServer.MapForwardProxy(world.Proxy);
        if (scheme != "coap")
        {
            world.Origin.Endpoint.AddTransport(world.Network.CreateTransport(scheme, InMemoryNetwork.Address("[2001:db8:1::1]:5683")));
            world.Proxy.Client.Endpoint.AddTransport(
                world.Network.CreateTransport(scheme, InMemoryNetwork.Address("[2001:db8::1]:40000")));
        }

        if (downstream is not null)
        {
            world.ProxyServer.Endpoint.AddTransport(
                world.Network.CreateTransport(downstream, InMemoryNetwork.Address("[2001:db8::1]:5683")));
        }

        world.Answer(answer);
        await world.StartAsync();
        await world.VerifyAsync();
        return world;
    }

    private CoapResult Body(long length)
    {
        PatternStream stream = new(length);
        _streams.Add(stream);
        return CoapResults.Stream(stream, CoapETag.FromVersion(7));
    }

    /// <summary>Counts what is written, and forgets it.</summary>
    private sealed class CountingStream(Action onWrite) : MemoryStream
    {
        public long Count { get; private set; }

        public override bool CanSeek => false;

        public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
        {
            Count += buffer.Length;
            onWrite();
            return ValueTask.CompletedTask;
        }
    }
}
