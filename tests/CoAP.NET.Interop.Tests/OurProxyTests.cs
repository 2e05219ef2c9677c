using CoAP.NET.Proxy;

namespace CoAP.NET.Interop.Tests;

/// <summary>Our proxy between libcoap's client and server, and libcoap's proxy between our client and server.</summary>
public sealed class OurProxyTests : IAsyncLifetime
{
    private readonly CoapServer _server = new();
    private readonly CoapServer _origin = new();
    private readonly CoapClient _client = new();
    private readonly CoapProxy _proxy;

    public OurProxyTests()
    {
        CoapProxyOptions options = new() { Identifier = "gw1" };
        options.Targets.AllowNetwork("127.0.0.0/8:*");
        _proxy = new CoapProxy(options);
    }

    private string Proxy => _server.LocalEndpoints[0].Origin();

    private string Origin => _origin.LocalEndpoints[0].Origin();

    public async ValueTask InitializeAsync()
    {
        _server.Listen("coap://127.0.0.1:0").MapForwardProxy(_proxy);
        _server.MapGet("/own", () => CoapResults.Text("mine"));
        _origin.Listen("coap://127.0.0.1:0");
        _origin.MapGet("/asked", request => CoapResults.Text(
            $"{request.Path}?{string.Join('&', request.Queries)} hops={request.Options.HopLimit} tag={request.Options.RequestTags.Count}"));
        _origin.MapGet("/large", () => CoapResults.Bytes(Bodies.Make(20_000, 7)));
        _origin.MapPut("/echo", request => CoapResults.Changed(CoapContent.Binary(request.Payload.ToArray())));
        await _server.StartAsync();
        await _origin.StartAsync();
    }

    public async ValueTask DisposeAsync()
    {
        await _client.DisposeAsync();
        await _server.DisposeAsync();
        await _proxy.DisposeAsync();
        await _origin.DisposeAsync();
    }

    [Fact]
    [External(LibcoapClient.Program)]
    [Rfc("7252-5.7.2-3", "8768-3-3")]
    public async Task The_libcoap_client_sends_requests_through_our_proxy()
    {
        PeerResult result = await LibcoapClient.RunAsync("-P", Proxy, "-m", "get", $"{Origin}/asked?a=1&b");

        // The client itself begins with 16.
        Assert.Equal("/asked?a=1&b hops=15 tag=0", result.Output);
    }

    [Fact]
    [External(LibcoapClient.Program)]
    [Rfc("8768-3-3", "8768-4-1")]
    public async Task The_libcoap_client_limits_the_hops_of_a_request()
    {
        Assert.Contains("hops=3", (await LibcoapClient.RunAsync("-P", Proxy, "-H", "4", "-m", "get", $"{Origin}/asked")).Output,
            Ordinal);
        PeerResult last = await LibcoapClient.RunAsync("-P", Proxy, "-H", "1", "-m", "get", $"{Origin}/asked");
        (last.Errors + last.Output).Mentions("5.08");
        (last.Errors + last.Output).Mentions("gw1");
    }

    [Fact]
    [External(LibcoapClient.Program)]
    public async Task The_libcoap_client_transfers_large_bodies_through_our_proxy()
    {
        byte[] body = Bodies.Make(20_000, 7);

        Assert.Equal(body, (await LibcoapClient.TransferAsync(null, "-P", Proxy, "-m", "get", $"{Origin}/large")).Body);
        Assert.Equal(body, (await LibcoapClient.TransferAsync(body, "-P", Proxy, "-m", "put", $"{Origin}/echo")).Body);
    }

    [Fact]
    [External(LibcoapClient.Program)]
    public async Task The_libcoap_client_gets_5_05_for_a_target_that_is_not_allowed()
    {
        PeerResult denied = await LibcoapClient.RunAsync("-P", Proxy, "-m", "get", "coap://192.0.2.1/");

        (denied.Errors + denied.Output).Mentions("5.05");
    }

    [Fact]
    [External(LibcoapServer.Program)]
    public async Task A_libcoap_server_is_reached_through_our_proxy()
    {
        await using LibcoapServer server = await LibcoapServer.StartAsync("-e");

        CoapResponse time = await _client.SendAsync(Through(Proxy, server.Uri("/time")));
        CoapRequest put = Through(Proxy, server.Uri("/new"), CoapMethod.Put);
        put.Content = CoapContent.Text("stored");
        CoapResponse created = await _client.SendAsync(put);
        CoapResponse stored = await _client.SendAsync(Through(Proxy, server.Uri("/new")));

        Assert.Equal(CoapCode.Content, time.Code);
        Assert.Equal(CoapCode.Created, created.Code);
        Assert.Equal("stored", stored.GetText());
    }

    [Fact]
    [External(LibcoapServer.Program)]
    [Rfc("7641-5-1")]
    public async Task Two_clients_observe_a_libcoap_server_through_our_proxy()
    {
        await using LibcoapServer server = await LibcoapServer.StartAsync();
        await using CoapClient other = new();
        CoapObservation first = await _client.ObserveAsync(Through(Proxy, server.Uri("/time")));
        CoapObservation second = await other.ObserveAsync(Through(Proxy, server.Uri("/time")));

        Assert.Equal(1, _proxy.GetCounters().Observations);
        Assert.True(await ChangesAsync(first) && await ChangesAsync(second));
        await first.DisposeAsync();
        await second.DisposeAsync();
    }

    [Fact]
    [External(LibcoapServer.Program)]
    public async Task Our_client_reaches_our_server_through_the_libcoap_proxy()
    {
        await using LibcoapServer proxy = await LibcoapServer.StartAsync("-P", ",proxyself");

        CoapResponse asked = await _client.SendAsync(Through(proxy.Uri().TrimEnd('/'), $"{Origin}/asked?a=1"));
        CoapResponse large = await _client.SendAsync(Through(proxy.Uri().TrimEnd('/'), $"{Origin}/large"));

        asked.GetText().Begins("/asked?a=1 hops=");
        Assert.Equal(Bodies.Make(20_000, 7), large.Payload.ToArray());
    }

    [Fact]
    [External(LibcoapServer.Program)]
    public async Task A_chain_of_our_proxy_and_the_libcoap_proxy_passes_on_the_response()
    {
        // Ours puts 16 in, and that of libcoap takes one off.
        await using LibcoapServer last = await LibcoapServer.StartAsync("-P", ",proxyself");
        CoapProxyOptions options = new() { NextProxy = CoapUri.Parse(last.Uri()) };
        options.Targets.AllowNetwork("127.0.0.0/8:*");
        await using CoapProxy proxy = new(options);
        await using CoapServer server = new();
        server.Listen("coap://127.0.0.1:0").MapForwardProxy(proxy);
        await server.StartAsync();

        CoapResponse asked = await _client.SendAsync(Through(server.LocalEndpoints[0].Origin(), $"{Origin}/asked"));

        asked.EnsureSuccess().GetText().Begins("/asked? hops=15");
    }

    [Fact]
    [External(LibcoapServer.Program)]
    [Rfc("8768-4-1", "8768-4-2")]
    public async Task A_loop_of_our_proxy_and_the_libcoap_proxy_ends_when_the_hop_limit_is_reached()
    {
        // What ours is handed goes to that of libcoap, and what that is handed comes to ours.
        await using CoapServer server = new();
        server.Listen("coap://127.0.0.1:0");
        await server.StartAsync();
        await using LibcoapServer other = await LibcoapServer.StartAsync("-P", $"{server.LocalEndpoints[0].Origin()},proxyself");
        CoapProxyOptions options = new() { Identifier = "gw1", NextProxy = CoapUri.Parse(other.Uri()), HopLimit = 6 };
        options.Targets.AllowNetwork("192.0.2.0/24");
        await using CoapProxy proxy = new(options);
        server.MapForwardProxy(proxy);

        CoapResponse response = await _client.SendAsync(Through(server.LocalEndpoints[0].Origin(), "coap://192.0.2.77/x"));

        Assert.Equal(CoapCode.HopLimitReached, response.Code);
        Assert.Equal("gw1", response.GetText());
        await Eventually.IsTrueAsync(() => proxy.GetCounters().InProgress == 0);
    }

    [Fact]
    [Rfc("8768-3-3", "7641-5-1", "7252-5.7.2-3")]
    public async Task A_chain_of_three_proxies_over_UDP_TCP_and_DTLS_passes_on_bodies_and_notifications()
    {
        CoapPskCredential key = CoapPskCredential.Parse("gw2:0x00112233445566778899");
        await using CoapServer third = new(new CoapEndpointOptions().UseDtls(new CoapDtlsOptions
        {
            Server = new CoapDtlsServerOptions { PskStore = new CoapPskDictionary { key } },
        }));
        await using CoapProxy thirdProxy = Make(third, "coaps://127.0.0.1:0", "gw3", null);
        await third.StartAsync();
        await using CoapServer second = new();
        await using CoapProxy secondProxy = Make(second, "coap+tcp://127.0.0.1:0", "gw2", third.LocalEndpoints[0].Origin(), client =>
            client.UseDtls(new CoapDtlsOptions { Client = new CoapDtlsClientOptions { Psk = key } }));
        await second.StartAsync();
        await using CoapServer first = new();
        await using CoapProxy firstProxy = Make(first, "coap://127.0.0.1:0", "gw1", second.LocalEndpoints[0].Origin());
        await first.StartAsync();
        int value = 0;
        CoapRouteHandlerBuilder state = _origin.MapGet("/state", () => CoapResults.Text($"{Volatile.Read(ref value)}")).Observable();
        _client.Proxy = first.LocalEndpoints[0];
        _client.Timeout = PeerProcess.HangLimit;
        byte[] body = Bodies.Make(20_000, 7);

        Assert.Equal("/asked?a=1 hops=14 tag=0", (await _client.GetAsync($"{Origin}/asked?a=1")).EnsureSuccess().GetText());
        Assert.Equal(body, (await _client.GetAsync($"{Origin}/large")).EnsureSuccess().Payload.ToArray());
        Assert.Equal(body, (await _client.PutAsync($"{Origin}/echo", CoapContent.Binary(body))).EnsureSuccess().Payload.ToArray());
        await using CoapObservation observation = await _client.ObserveAsync($"{Origin}/state");
        Assert.Equal(1, state.ObserverCount);
        Volatile.Write(ref value, 1);
        state.Notify();
        using CancellationTokenSource time = new(PeerProcess.HangLimit);
        await foreach (CoapResponse response in observation.ReadAllAsync(time.Token))
        {
            if (response.GetText() == "1")
            {
                break;
            }
        }

        Assert.Equal((1, 1, 1), (firstProxy.GetCounters().Observations, secondProxy.GetCounters().Observations,
            thirdProxy.GetCounters().Observations));

        // The hops end in the second one, and all who know of it say so.
        CoapRequest last = new(CoapMethod.Get, $"{Origin}/asked");
        last.Options.Add(new HopLimitOption(2));
        CoapResponse ended = await _client.SendAsync(last);
        Assert.Equal((CoapCode.HopLimitReached, "gw1 gw2"), (ended.Code, ended.GetText()));

        static CoapProxy Make(CoapServer server, string listen, string identifier, string? next,
            Action<CoapEndpointOptions>? configure = null)
        {
            CoapProxyOptions options = new()
            {
                Identifier = identifier, NextProxy = next is null ? null : CoapUri.Parse(next), ConfigureClient = configure,
            };
            options.Targets.AllowNetwork("127.0.0.0/8:*");
            CoapProxy proxy = new(options);
            server.Listen(listen).MapForwardProxy(proxy);
            return proxy;
        }
    }

    private static CoapRequest Through(string proxy, string target, CoapMethod method = CoapMethod.Get)
    {
        CoapRequest request = new(method, proxy) { Timeout = PeerProcess.HangLimit };
        request.Options.Add(new ProxyUriOption(target));
        return request;
    }

    private static async Task<bool> ChangesAsync(CoapObservation observation)
    {
        using CancellationTokenSource time = new(PeerProcess.HangLimit);
        int count = 0;
        await foreach (CoapResponse response in observation.ReadAllAsync(time.Token))
        {
            if (response.IsSuccess && ++count == 2)
            {
                return true;
            }
        }

        return false;
    }
}
