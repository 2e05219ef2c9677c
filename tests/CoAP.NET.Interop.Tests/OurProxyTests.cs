using System.Text;
using CoAP.NET.Interop.Tests.Peers;
using CoAP.NET.Options;
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
        options.Targets.AllowNetwork("127.0.0.0/8");
        _proxy = new CoapProxy(options);
    }

    private string Proxy => _server.LocalEndpoints[0].TrimEnd('/');

    private string Origin => _origin.LocalEndpoints[0].TrimEnd('/');

    public async Task InitializeAsync()
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

    public async Task DisposeAsync()
    {
        await _client.DisposeAsync();
        await _server.DisposeAsync();
        await _proxy.DisposeAsync();
        await _origin.DisposeAsync();
    }

    [PeerFact(LibcoapClient.Program)]
    [Rfc("7252-5.7.2-3", "8768-3-3")]
    public async Task The_client_of_libcoap_asks_through_our_proxy()
    {
        PeerResult result = await LibcoapClient.RunAsync("-P", Proxy, "-m", "get", $"{Origin}/asked?a=1&b");

        // The client itself begins with 16.
        Assert.Equal("/asked?a=1&b hops=15 tag=0", result.Output);
    }

    [PeerFact(LibcoapClient.Program)]
    [Rfc("8768-3-3", "8768-4-1")]
    public async Task The_client_of_libcoap_says_how_far_it_may_go()
    {
        Assert.Contains("hops=3", (await LibcoapClient.RunAsync("-P", Proxy, "-H", "4", "-m", "get", $"{Origin}/asked")).Output,
            StringComparison.Ordinal);
        PeerResult last = await LibcoapClient.RunAsync("-P", Proxy, "-H", "1", "-m", "get", $"{Origin}/asked");
        Assert.Contains("5.08", last.Errors + last.Output, StringComparison.Ordinal);
        Assert.Contains("gw1", last.Errors + last.Output, StringComparison.Ordinal);
    }

    [PeerFact(LibcoapClient.Program)]
    public async Task The_client_of_libcoap_moves_large_bodies_through_our_proxy()
    {
        byte[] body = Bodies.Make(20_000, 7);

        Assert.Equal(body, (await LibcoapClient.TransferAsync(null, "-P", Proxy, "-m", "get", $"{Origin}/large")).Body);
        Assert.Equal(body, (await LibcoapClient.TransferAsync(body, "-P", Proxy, "-m", "put", $"{Origin}/echo")).Body);
    }

    [PeerFact(LibcoapClient.Program)]
    public async Task The_client_of_libcoap_is_told_what_is_not_allowed()
    {
        PeerResult denied = await LibcoapClient.RunAsync("-P", Proxy, "-m", "get", "coap://192.0.2.1/");

        Assert.Contains("5.05", denied.Errors + denied.Output, StringComparison.Ordinal);
    }

    [PeerFact(LibcoapServer.Program)]
    public async Task A_server_of_libcoap_is_asked_through_our_proxy()
    {
        await using LibcoapServer server = await LibcoapServer.StartAsync("-e");

        CoapResponse time = await _client.SendAsync(Through(Proxy, server.Uri("/time").OriginalString));
        CoapRequest put = Through(Proxy, server.Uri("/new").OriginalString, CoapMethod.Put);
        put.Content = CoapContent.Text("stored");
        CoapResponse created = await _client.SendAsync(put);
        CoapResponse stored = await _client.SendAsync(Through(Proxy, server.Uri("/new").OriginalString));

        Assert.Equal(CoapCode.Content, time.Code);
        Assert.Equal(CoapCode.Created, created.Code);
        Assert.Equal("stored", stored.GetText());
    }

    [PeerFact(LibcoapServer.Program)]
    [Rfc("7641-5-1")]
    public async Task A_server_of_libcoap_is_observed_through_our_proxy_by_two()
    {
        await using LibcoapServer server = await LibcoapServer.StartAsync();
        await using CoapClient other = new();
        CoapObservation first = await _client.ObserveAsync(Through(Proxy, server.Uri("/time").OriginalString));
        CoapObservation second = await other.ObserveAsync(Through(Proxy, server.Uri("/time").OriginalString));

        Assert.Equal(1, _proxy.GetCounters().Observations);
        Assert.True(await ChangesAsync(first) && await ChangesAsync(second));
        await first.DisposeAsync();
        await second.DisposeAsync();
    }

    [PeerFact(LibcoapServer.Program)]
    public async Task Our_client_asks_our_server_through_the_proxy_of_libcoap()
    {
        await using LibcoapServer proxy = await LibcoapServer.StartAsync("-P", ",proxyself");

        CoapResponse asked = await _client.SendAsync(Through(proxy.Uri().OriginalString.TrimEnd('/'), $"{Origin}/asked?a=1"));
        CoapResponse large = await _client.SendAsync(Through(proxy.Uri().OriginalString.TrimEnd('/'), $"{Origin}/large"));

        Assert.StartsWith("/asked?a=1 hops=", asked.GetText(), StringComparison.Ordinal);
        Assert.Equal(Bodies.Make(20_000, 7), large.Payload.ToArray());
    }

    [PeerFact(LibcoapServer.Program)]
    public async Task A_chain_of_our_proxy_and_that_of_libcoap_brings_the_answer()
    {
        // Ours puts 16 in, and that of libcoap takes one off.
        await using LibcoapServer last = await LibcoapServer.StartAsync("-P", ",proxyself");
        CoapProxyOptions options = new() { NextProxy = CoapUri.Parse(last.Uri().OriginalString) };
        options.Targets.AllowNetwork("127.0.0.0/8");
        await using CoapProxy proxy = new(options);
        await using CoapServer server = new();
        server.Listen("coap://127.0.0.1:0").MapForwardProxy(proxy);
        await server.StartAsync();

        CoapResponse asked = await _client.SendAsync(Through(server.LocalEndpoints[0].TrimEnd('/'), $"{Origin}/asked"));

        Assert.StartsWith("/asked? hops=15", asked.EnsureSuccess().GetText(), StringComparison.Ordinal);
    }

    private static CoapRequest Through(string proxy, string target, CoapMethod method = CoapMethod.Get)
    {
        CoapRequest request = new(method, proxy) { Timeout = TimeSpan.FromSeconds(20) };
        request.Options.Add(new ProxyUri(target));
        return request;
    }

    private static async Task<bool> ChangesAsync(CoapObservation observation)
    {
        using CancellationTokenSource time = new(TimeSpan.FromSeconds(20));
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
