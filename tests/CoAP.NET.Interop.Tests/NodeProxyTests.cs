using CoAP.NET.Proxy;

namespace CoAP.NET.Interop.Tests;

/// <summary>node-coap as the client of our proxy, as the server behind it, and as the proxy of our client.</summary>
[External(NodePeers.Program)]
public sealed class NodeProxyTests(NodeServerFixture node) : IClassFixture<NodeServerFixture>, IAsyncLifetime
{
    private readonly CoapServer _server = new();
    private readonly CoapServer _origin = new();
    private readonly CoapClient _client = new();
    private readonly CoapProxy _proxy = new(Options());
    private CoapRouteHandlerBuilder _state = null!;
    private int _value;

    private string Proxy => _server.LocalEndpoints[0].Origin();

    private string Origin => _origin.LocalEndpoints[0].Origin();

    public async ValueTask InitializeAsync()
    {
        _server.Listen("coap://127.0.0.1:0").MapForwardProxy(_proxy);
        _origin.Listen("coap://127.0.0.1:0");
        _origin.MapGet("/asked", request => CoapResults.Text(
            $"{request.Path}?{string.Join('&', request.Queries)} hops={request.Options.HopLimit}"));
        _origin.MapGet("/", () => CoapResults.Text("the root"));
        _origin.MapPut("/echo", request => CoapResults.Changed(CoapContent.Binary(request.Payload.ToArray())));
        _state = _origin.MapGet("/state", () => CoapResults.Text($"state {Volatile.Read(ref _value)}")).Observable();
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
    [Rfc("7252-5.10.2-2")]
    public async Task The_node_coap_client_uses_our_proxy_with_Uri_options_in_addition_to_Proxy_Uri()
    {
        // It writes the path twice; Proxy-Uri goes before it.
        (byte[] body, PeerResult result) = await NodePeers.TransferAsync(null, "GET", $"{Origin}/asked?a=1", "--proxy", Proxy);

        Assert.Equal("2.05", result.Output);
        Assert.Equal("/asked?a=1 hops=16", Encoding.UTF8.GetString(body));
    }

    [Fact]
    public async Task The_node_coap_client_transfers_large_bodies_through_our_proxy()
    {
        byte[] body = Bodies.Make(20_000, 7);

        Assert.Equal(NodePeers.Large, (await NodePeers.TransferAsync(null, "GET", $"{node.Host}/large", "--proxy", Proxy)).Body);
        (byte[] echo, PeerResult result) = await NodePeers.TransferAsync(body, "PUT", $"{Origin}/echo", "--block1", "5", "--proxy", Proxy);
        Assert.Equal("2.04", result.Output);
        Assert.Equal(body, echo);
    }

    [Fact]
    [Rfc("7641-5-1")]
    public async Task The_node_coap_client_observes_through_our_proxy()
    {
        // It would cancel after the last notification, of which one more is to come than there are.
        await using PeerProcess observer = NodePeers.ObserveThrough(Proxy, $"{Origin}/state", 5);
        for (int i = 0; i < 3; i++)
        {
            await observer.WaitForLineAsync(line => line.Contains($"state {i}"));
            Interlocked.Increment(ref _value);
            _state.Notify();
        }

        Assert.Equal(1, _proxy.GetCounters().Observations);
    }

    [Fact]
    public async Task The_node_coap_server_is_read_and_changed_through_our_proxy()
    {
        _client.Proxy = new CoapUri(Proxy);
        string path = $"{node.Host}/through-proxy";

        Assert.Equal("hello from node", (await Within(_client.GetAsync($"{node.Host}/hello"))).GetText());
        Assert.Equal(CoapCode.Created, (await Within(_client.PutAsync(path, CoapContent.Text("x")))).Code);
        Assert.Equal("x", (await Within(_client.GetAsync(path))).GetText());
        Assert.Equal(CoapCode.Deleted, (await Within(_client.DeleteAsync(path))).Code);
        Assert.Equal(NodePeers.Large, (await Within(_client.GetAsync($"{node.Host}/large"))).Payload.ToArray());
        Assert.Equal("FETCH q", (await Within(_client.FetchAsync($"{node.Host}/any", CoapContent.Text("q")))).GetText());
    }

    [Fact]
    public async Task Our_client_sends_requests_through_the_node_coap_proxy()
    {
        await using SampleServer proxy = await NodePeers.StartProxyAsync();
        CoapUri uri = CoapUri.Parse(proxy.Uri.OriginalString);

        // It takes the host from Proxy-Uri and the path from Uri-Path, which nobody sends beside it, so that it asks for the root.
        CoapResponse root = await Within(_client.SendAsync(new CoapRequest(CoapMethod.Get, $"{Origin}/").WithProxy(uri)));
        CoapRequest both = new(CoapMethod.Get, proxy.Uri.OriginalString);
        both.Options.Add(new ProxyUriOption($"{Origin}/asked"));
        both.Options.Add(new UriPathOption("asked"));
        CoapResponse asked = await Within(_client.SendAsync(both));

        Assert.Equal("the root", root.GetText());
        asked.GetText().Begins("/asked");
    }

    [Fact]
    public async Task Our_proxy_forwards_requests_to_the_node_coap_proxy()
    {
        await using SampleServer last = await NodePeers.StartProxyAsync();
        CoapProxyOptions options = Options();
        options.NextProxy = CoapUri.Parse(last.Uri.OriginalString);
        await using CoapProxy proxy = new(options);
        await using CoapServer server = new();
        server.Listen("coap://127.0.0.1:0").MapForwardProxy(proxy);
        await server.StartAsync();
        _client.Proxy = server.LocalEndpoints[0];

        Assert.Equal("the root", (await Within(_client.GetAsync($"{Origin}/"))).EnsureSuccess().GetText());
    }

    private static CoapProxyOptions Options()
    {
        CoapProxyOptions options = new() { Identifier = "gw1" };
        options.Targets.AllowNetwork("127.0.0.0/8:*");
        return options;
    }
}
