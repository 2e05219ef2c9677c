using System.IO.Pipelines;
using System.Net.Sockets;

namespace CoAP.NET.Explorer.Tests.Dashboard;

/// <summary>Peers and their messages over HTTP.</summary>
public sealed class DashboardPeersTests : IAsyncDisposable
{
    private const string Hostile = "<img src=x onerror=\"document.title='owned'\">\u001b[2J\u202e";

    private readonly VirtualClock _clock = new();
    private readonly CoapServer _coap = new(new CoapEndpointOptions { Name = "peers" });
    private readonly Pipe _toServer = new();
    private readonly Pipe _toClient = new();
    private DashboardSite? _site;

    public async ValueTask DisposeAsync()
    {
        if (_site is not null)
        {
            await _site.DisposeAsync();
        }

        await _coap.DisposeAsync();
    }

    [Fact]
    public async Task The_identity_of_a_peer_is_sent_escaped_and_on_a_single_line()
    {
        DashboardSite site = await StartAsync();
        Task had = await ConnectAsync();
        using HttpResponseMessage response = await site.PostAsync("peers", new { });
        string json = await response.Content.ReadAsStringAsync();

        // Neither markup nor control characters stand in the answer, and what is read from it is the name.
        Assert.DoesNotContain('<', json);
        Assert.DoesNotContain('\u001b', json);
        JsonElement peer = Assert.Single(JsonDocument.Parse(json).RootElement.GetProperty("peers").EnumerateArray());
        Assert.Equal("<img src=x onerror=\"document.title='owned'\"> [2J ", peer.TextOf("identity"));
        Assert.Equal(("192.0.2.7:40000", "coap+tcp", true),
            (peer.TextOf("address"), peer.TextOf("scheme"), peer.GetProperty("known").GetBoolean()));
        await EndAsync(had);
    }

    [Fact]
    public async Task Peers_are_filtered_by_address_and_limited_to_MaxPeers()
    {
        await _coap.Listen("coap://127.0.0.1:0").StartAsync();
        DashboardSite site = await StartAsync(options => options.MaxPeers = 1);
        await using CoapClient one = new();
        await using CoapClient two = new();
        await one.GetAsync(_coap.LocalEndpoints[0] + "a");
        await two.GetAsync(_coap.LocalEndpoints[0] + "a");

        using HttpResponseMessage all = await site.PostAsync("peers", new { address = "127.0.0.1" });
        JsonElement table = JsonDocument.Parse(await all.Content.ReadAsStringAsync()).RootElement;
        Assert.Equal((1, true), (table.GetProperty("peers").GetArrayLength(), table.GetProperty("truncated").GetBoolean()));

        using HttpResponseMessage nobody = await site.PostAsync("peers", new { address = "192.0.2.99" });
        table = JsonDocument.Parse(await nobody.Content.ReadAsStringAsync()).RootElement;
        Assert.Equal((0, false), (table.GetProperty("peers").GetArrayLength(), table.GetProperty("truncated").GetBoolean()));
    }

    [Fact]
    public async Task A_trace_shows_only_the_messages_of_its_peer()
    {
        _coap.MapPost("/a/{id}", request => CoapResults.Text("secret " + request.GetText()));
        await _coap.Listen("coap://127.0.0.1:0").StartAsync();
        DashboardSite site = await StartAsync();
        using UdpClient traced = new(new IPEndPoint(IPAddress.Loopback, 0));
        using UdpClient other = new(new IPEndPoint(IPAddress.Loopback, 0));
        using HttpResponseMessage response = await site.PostAsync("trace", new { peer = traced.Client.LocalEndPoint!.ToString() });
        using StreamReader lines = new(await response.Content.ReadAsStreamAsync());
        Assert.Equal("begin", (await DashboardSite.ReadAsync(lines)).TextOf("kind"));

        await AskAsync(other, "4102000155b1610139ff70617373");
        await AskAsync(traced, "4102000255b1610137ff70617373");
        JsonElement request = await DashboardSite.ReadAsync(lines);
        JsonElement answer = await DashboardSite.ReadAsync(lines);

        Assert.Equal(("message", true, "0.02", 2), (request.TextOf("kind"), request.GetProperty("inbound").GetBoolean(),
            request.TextOf("code"), request.GetProperty("messageId").GetInt32()));
        Assert.Equal(traced.Client.LocalEndPoint!.ToString(), request.TextOf("peer"));
        Assert.Equal("4102000255b1610137ff00000000", request.TextOf("hex"));
        Assert.True(request.GetProperty("blanked").GetBoolean());
        Assert.NotEqual(0, request.GetProperty("fields").GetArrayLength());
        Assert.Equal((false, "2.05"), (answer.GetProperty("inbound").GetBoolean(), answer.TextOf("code")));
        answer.TextOf("hex").Omits("736563726574");

        _clock.Advance(FromSeconds(60));
        JsonElement end = await DashboardSite.ReadAsync(lines);
        Assert.Equal(("end", "time", 2), (end.TextOf("kind"), end.TextOf("reason"),
            end.GetProperty("messages").GetInt32()));
        Assert.Null(await lines.ReadLineAsync().WaitAsync(DashboardSite.Hang));
    }

    [Fact]
    public async Task A_trace_ends_after_its_last_message_and_shows_payloads_only_when_allowed()
    {
        _coap.MapPost("/a/{id}", _ => CoapResults.Changed());
        await _coap.Listen("coap://127.0.0.1:0").StartAsync();
        DashboardSite site = await StartAsync(options =>
        {
            options.MaxTraceMessages = 3;
            options.MaxTraces = 1;
            options.IncludePayloads = true;
        });
        using UdpClient peer = new(new IPEndPoint(IPAddress.Loopback, 0));
        using HttpResponseMessage response = await site.PostAsync("trace", new { peer = "127.0.0.1" });
        using StreamReader lines = new(await response.Content.ReadAsStreamAsync());
        await DashboardSite.ReadAsync(lines);
        using HttpResponseMessage refused = await site.PostAsync("trace", new { peer = "127.0.0.1" });
        Assert.Equal(HttpStatusCode.ServiceUnavailable, refused.StatusCode);

        await AskAsync(peer, "4102000255b1610137ff70617373");
        await AskAsync(peer, "4102000355b1610137ff70617373");

        JsonElement first = await DashboardSite.ReadAsync(lines);
        Assert.Equal(("pass", false), (first.TextOf("payload"), first.GetProperty("blanked").GetBoolean()));
        await DashboardSite.ReadAsync(lines);
        await DashboardSite.ReadAsync(lines);
        Assert.Equal("messages", (await DashboardSite.ReadAsync(lines)).TextOf("reason"));
        Assert.Null(await lines.ReadLineAsync().WaitAsync(DashboardSite.Hang));
    }

    [Fact]
    public async Task Messages_on_connections_are_traced_separately_also_when_they_span_several_packets()
    {
        _coap.MapPost("/large", request => CoapResults.Changed());
        DashboardSite site = await StartAsync();
        Task had = await ConnectAsync();
        using HttpResponseMessage response = await site.PostAsync("trace", new { peer = "192.0.2.7:40000" });
        using StreamReader lines = new(await response.Content.ReadAsStreamAsync());
        await DashboardSite.ReadAsync(lines);

        // A Ping and a POST of 100,000 bytes in one piece.
        byte[] payload = new byte[100_000];
        int length = 1 + 5 + 1 + payload.Length;
        byte[] frame = [0x01, 0xe2, 0x0a, 0xf1, .. Bytes(length - 65_805), 0x02, 0x0b, 0xb5, .. "large"u8, 0xff, .. payload];
        await _toServer.Writer.WriteAsync(frame);

        List<JsonElement> messages = [];
        for (int i = 0; i < 4; i++)
        {
            messages.Add(await DashboardSite.ReadAsync(lines));
        }

        Assert.Equal(["0.02", "2.04", "7.02", "7.03"], messages.Select(one => one.TextOf("code")).Order());
        JsonElement post = messages.Single(one => one.TextOf("code") == "0.02");
        Assert.Equal((frame.Length - 3, "coap+tcp", "/large"),
            (post.GetProperty("size").GetInt32(), post.TextOf("scheme"), post.TextOf("path")));
        Assert.False(post.TryGetProperty("error", out _));
        Assert.Equal(8192, post.TextOf("hex")!.Length);
        await EndAsync(had);
    }

    private static byte[] Bytes(int number) => [(byte)(number >> 24), (byte)(number >> 16), (byte)(number >> 8), (byte)number];

    private async Task AskAsync(UdpClient client, string message)
    {
        int port = _coap.LocalEndpoints[0].Port;
        await client.SendAsync(Convert.FromHexString(message), new IPEndPoint(IPAddress.Loopback, port));
        await client.ReceiveAsync().WaitAsync(DashboardSite.Hang);
    }

    // A device that has a connection, and a name of its own making.
    private async Task<Task> ConnectAsync()
    {
        TaskCompletionSource ready = new(RunContinuationsAsynchronously);
        _coap.Endpoint.PeerConnected += (_, _) => ready.TrySetResult();
        await _coap.Endpoint.ExpectConnections().StartAsync();
        Task had = _coap.Endpoint.AcceptStreamAsync(new CoapDuplexPipe(_toServer.Reader, _toClient.Writer), new CoapAcceptedConnectionInfo
        {
            Remote = IPEndPoint.Parse("192.0.2.7:40000"),
            Local = IPEndPoint.Parse("192.0.2.1:5683"),
            Identity = new CoapUserPeerIdentity(
                    new ClaimsPrincipal(new ClaimsIdentity([new Claim(ClaimTypes.Name, Hostile)], "test"))),
        });
        await _toServer.Writer.WriteAsync(new byte[] { 0x00, 0xe1 });
        await ready.Task.WaitAsync(DashboardSite.Hang);
        return had;
    }

    private async Task EndAsync(Task had)
    {
        await _toServer.Writer.CompleteAsync();
        await had.WaitAsync(DashboardSite.Hang);
    }

    private async Task<DashboardSite> StartAsync(Action<CoapDashboardOptions>? configure = null) =>
        _site = await DashboardSite.StartAsync(_coap.Endpoint, configure, _clock);
}
