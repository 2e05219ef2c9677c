namespace CoAP.NET.Proxy.Tests;

[Collection(VirtualTimeCollection.Name)]
public sealed class BoundTests
{
    [Fact]
    public async Task A_body_size_limit_beyond_the_block_number_range_is_refused()
    {
        CoapProxyOptions options = new();
        Assert.Throws<ArgumentOutOfRangeException>(() => options.Limits.MaxBodySize = (1 << 30) + 1);
        options.Limits.MaxBodySize = 1 << 30;
        await using CoapProxy proxy = new(options);
    }

    [Fact]
    public async Task Requests_of_forged_addresses_are_never_forwarded()
    {
        await using ProxyWorld world = new();
        world.ProxyServer.MapForwardProxy(world.Proxy);
        world.Answer(_ => CoapResults.Bytes(new byte[900]));
        await world.StartAsync();
        using ScriptedPeer attacker = world.Network.CreatePeer(InMemoryNetwork.Address("[2001:db8:66::1]:5683"),
            InMemoryNetwork.Address("[2001:db8::1]:5683"));
        byte[] request = Wire(new ProxyUriOption($"{ProxyWorld.OriginUri}/x"));
        int answered = 0;
        int bytes = 0;
        attacker.Responder = received =>
        {
            answered++;
            bytes += received.Data.Length;
            return true;
        };
        for (int i = 0; i < 2000; i++)
        {
            (request[2], request[3]) = ((byte)(i >> 8), (byte)i);
            attacker.Send(request);
            world.Clock.Advance(FromMilliseconds(1));
        }

        Assert.Empty(world.Asked);
        Assert.Equal(0, world.Proxy.GetCounters().Forwarded);
        Assert.True(world.Proxy.GetCounters().Challenges > 0);
        Assert.True(bytes <= 2000 * request.Length, $"{bytes} bytes went to the victim for {2000 * request.Length}.");
        Assert.True(answered <= 2000);
    }

    [Fact]
    public async Task Requests_to_slow_servers_use_a_limited_share_of_a_source_and_other_requests_are_served_at_once()
    {
        await using ProxyWorld world = new(options =>
        {
            options.Limits.MaxRequests = 40;
            options.Limits.MaxRequestsPerSource = 30;
        });
        world.ProxyServer.MapForwardProxy(world.Proxy);
        world.Answer(_ => CoapResults.Text("here"));
        CoapClient greedy = world.MakeClient(
            "[2001:db8:77::1]", options => options.Parameters = CoapTransmissionParameters.Default with { NStart = 100 });
        await world.StartAsync();
        await world.VerifyAsync();
        await world.RunAsync(() => greedy.SendAsync(ProxyWorld.Ask(ProxyWorld.OriginUri)));

        Task<CoapResponse>[] slow = [.. Enumerable.Range(0, 60).Select(i =>
        {
            CoapRequest request = ProxyWorld.Ask($"coap://[2001:db8:1::{i + 100:x}]/");
            request.Confirmable = false;
            return greedy.SendAsync(request);
        })];
        await world.Clock.AdvanceUntilAsync(() => world.Proxy.GetCounters().Busy > 0, FromMinutes(1));
        int held = world.Proxy.GetCounters().InProgress;
        CoapResponse honest = await world.SendAsync(ProxyWorld.Ask(ProxyWorld.OriginUri));

        Assert.InRange(held, 10, 21);
        Assert.Equal("here", honest.EnsureSuccess().GetText());
        CoapResponse[] ends = await world.RunAsync(() => Task.WhenAll(slow));
        Assert.Contains(ends, end => end.Code == CoapCode.ServiceUnavailable);
        Assert.Contains(ends, end => end.Code == CoapCode.GatewayTimeout);
        Assert.Equal(0, world.Proxy.GetCounters().InProgress);
    }

    [Theory]
    [InlineData(CoapMethod.Get)]
    [InlineData(CoapMethod.Post)]
    public async Task A_client_with_many_requests_to_a_slow_server_does_not_keep_other_clients_from_that_server(CoapMethod method)
    {
        await using ProxyWorld world = new();
        world.ProxyServer.MapForwardProxy(world.Proxy);
        CoapClient greedy = world.MakeClient(
            "[2001:db8:77::1]", options => options.Parameters = CoapTransmissionParameters.Default with { NStart = 100 });
        await world.StartAsync();
        await world.VerifyAsync();
        await world.RunAsync(() => greedy.SendAsync(ProxyWorld.Ask($"{ProxyWorld.OriginUri}/none")));
        int asked = 0;
        using ScriptedPeer slow = world.Network.CreatePeer(InMemoryNetwork.Address("[2001:db8:1::99]:5683"));
        slow.Responder = received =>
        {
            // Only every other copy is acknowledged, so that each request takes its time.
            CoapMessage request = CoapDatagramSerializer.Default.Deserialize(received.Data);
            asked++;
            if (asked % 2 == 0)
            {
                slow.SendTo(received.From, CoapDatagramSerializer.Default.Serialize(new CoapMessage(CoapCode.Content)
                {
                    Type = CoapMessageType.Acknowledgement, MessageId = request.MessageId, Token = request.Token,
                }));
            }

            return true;
        };
        Task<CoapResponse>[] many =
            [.. Enumerable.Range(0, 40).Select(i => greedy.SendAsync(ProxyWorld.Ask($"coap://[2001:db8:1::99]/{i}", method)))];
        await world.Clock.AdvanceUntilAsync(() => world.Proxy.GetCounters().InProgress == many.Length, FromMinutes(1));

        CoapResponse response = await world.SendAsync(ProxyWorld.Ask("coap://[2001:db8:1::99]/other", method));
        Assert.Equal(CoapCode.Content, response.Code);
        Assert.InRange(many.Count(one => one.IsCompleted), 0, 5);
        await world.RunAsync(() => Task.WhenAll(many));
    }

    [Fact]
    public async Task Requests_of_a_client_that_closes_its_connection_are_cancelled()
    {
        await using ProxyWorld world = new();
        world.ProxyServer.MapForwardProxy(world.Proxy);
        world.ProxyServer.Endpoint.AddTransport(world.Network.CreateTransport("coap+tcp", InMemoryNetwork.Address("[2001:db8::1]:5683")));
        CoapClient client = world.MakeClient("[2001:db8:78::1]");
        client.Endpoint.AddTransport(world.Network.CreateTransport("coap+tcp", InMemoryNetwork.Address("[2001:db8:78::1]:40000")));
        await world.StartAsync();
        CoapRequest request = new(CoapMethod.Get, "coap+tcp://[2001:db8::1]/");
        request.Options.Add(new ProxyUriOption("coap://[2001:db8:1::99]/"));
        Task<CoapResponse> response = client.SendAsync(request);
        await world.Clock.AdvanceUntilAsync(() => world.Proxy.GetCounters().InProgress == 1, FromMinutes(1));

        await client.DisposeAsync();
        await world.Clock.AdvanceUntilAsync(() => world.Proxy.GetCounters().InProgress == 0, FromSeconds(30));

        await Assert.ThrowsAnyAsync<Exception>(() => response);
    }

    private static byte[] Wire(CoapOption option)
    {
        CoapMessage message = new(CoapCode.Get) { Type = CoapMessageType.Confirmable, MessageId = 1, Token = new CoapToken([1]) };
        message.Options.Add(option);
        return CoapDatagramSerializer.Default.Serialize(message);
    }
}
