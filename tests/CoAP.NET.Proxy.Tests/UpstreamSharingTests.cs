namespace CoAP.NET.Proxy.Tests;

/// <summary>Requests to servers of other protocols that one answer does for.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class UpstreamSharingTests : IAsyncLifetime
{
    private readonly ProxyWorld _world = new(options => options.RequireVerified = false);
    private readonly SlowServer _server = new();

    public async ValueTask InitializeAsync()
    {
        _world.ProxyServer.MapReverseProxy("/config", "http://service.example/config", _server, _world.Proxy).AllowInsecureTransport();
        _world.ProxyServer.Endpoint.AddTransport(
            _world.Network.CreateTransport("coaps", InMemoryNetwork.Address("[2001:db8::1]:5684"), CoapTestIdentity.None));
        await _world.StartAsync();
    }

    public async ValueTask DisposeAsync() => await _world.DisposeAsync();

    [Theory]
    [InlineData(false, false, 1)]
    [InlineData(false, true, 1)]
    [InlineData(true, false, 1)] // of one client
    [InlineData(true, true, 2)] // of two that the server tells apart
    public async Task Equal_concurrent_requests_are_forwarded_once_unless_the_server_distinguishes_their_clients(
        bool tellsApart, bool ofTwo, int expected)
    {
        _server.TellsApart = tellsApart;
        CoapClient other = _world.MakeClient("[2001:db8:2::1]");

        Assert.Equal(["a", "a"], await AskTwiceAsync(_world.Client, ofTwo ? other : _world.Client, null));
        Assert.Equal(expected, _server.Asked);
        Assert.Equal(2 - expected, _world.Proxy.GetCounters().Shared);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Clients_on_a_secured_transport_do_not_share_a_request_even_with_the_same_credential(bool haveCredential)
    {
        _server.TellsApart = true;
        CoapTestIdentity identity = haveCredential ? CoapTestIdentity.Psk("both") : CoapTestIdentity.None;
        CoapClient[] clients = [_world.MakeClient("[2001:db8:2::1]"), _world.MakeClient("[2001:db8:2::2]")];
        foreach ((CoapClient client, int i) in clients.Select((client, i) => (client, i)))
        {
            client.Endpoint.AddTransport(
                _world.Network.CreateTransport("coaps", InMemoryNetwork.Address($"[2001:db8:3::{i + 1}]:5701"), identity));
        }

        Assert.Equal(["a", "a"], await AskTwiceAsync(clients[0], clients[1], null, "coaps://[2001:db8::1]"));
        Assert.Equal(2, _server.Asked);
    }

    [Fact]
    public async Task A_client_without_a_stored_response_does_not_get_the_2_03_of_another_client()
    {
        Assert.Equal(["2.03", "a"], await AskTwiceAsync(_world.Client, _world.MakeClient("[2001:db8:2::1]"), "a"u8.ToArray()));
        Assert.Equal(2, _server.Asked);
    }

    private async Task<string[]> AskTwiceAsync(CoapClient one, CoapClient other, byte[]? tag, string proxy = ProxyWorld.ProxyUri)
    {
        // The second one comes when the first one is under way.
        Task<CoapResponse> first = AskAsync(one, tag, proxy);
        await _world.Clock.AdvanceUntilAsync(() => _server.Asked == 1, FromSeconds(30));
        Task<CoapResponse> second = AskAsync(other, null, proxy);
        await _world.Clock.AdvanceUntilAsync(() => _world.Proxy.GetCounters().InProgress == 2, FromSeconds(30));
        _server.Answer.SetResult();
        CoapResponse[] responses = await _world.RunAsync(() => Task.WhenAll(first, second));
        return [.. responses.Select(response =>
            response.Code == CoapCode.Valid ? response.Code.ToString()[..4] : response.GetText())];
    }

    private static Task<CoapResponse> AskAsync(CoapClient client, byte[]? tag, string proxy)
    {
        CoapRequest request = new(CoapMethod.Get, $"{proxy}/config") { CacheMode = CoapCacheMode.Bypass };
        if (tag is not null)
        {
            request.Options.Add(new ETagOption(tag));
        }

        return client.SendAsync(request);
    }

    private sealed class SlowServer : UpstreamClient
    {
        private int _asked;

        public TaskCompletionSource Answer { get; } = new(RunContinuationsAsynchronously);

        public int Asked => Volatile.Read(ref _asked);

        public bool TellsApart { get; set; }

        public override IReadOnlyCollection<string> Schemes => ["http"];

        public override bool DependsOnClient => TellsApart;

        public override async Task<CoapResult> SendAsync(CoapForwardedRequest request, CancellationToken cancellationToken)
        {
            Interlocked.Increment(ref _asked);
            await Answer.Task.WaitAsync(cancellationToken);
            return request.Options.ETags.Any() ? new CoapResult(CoapCode.Valid) : new CoapResult(CoapCode.Content, "a"u8.ToArray());
        }
    }
}
