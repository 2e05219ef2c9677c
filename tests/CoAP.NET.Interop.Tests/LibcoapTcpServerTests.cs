using CoAP.NET.Diagnostics;
using CoAP.NET.Transports.Tcp;

namespace CoAP.NET.Interop.Tests;

/// <summary>Our client against libcoap's server over TCP (RFC 8323), with each engine.</summary>
[External(LibcoapServer.Program)]
public sealed class LibcoapTcpServerTests : IAsyncLifetime
{
    private LibcoapServer _server = null!;

    public static TheoryData<CoapSocketEngine> Engines => LibcoapTcpClientTests.Engines;

    public async ValueTask InitializeAsync() => _server = await LibcoapServer.StartAsync();

    public ValueTask DisposeAsync() => _server.DisposeAsync();

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task Resources_are_read_changed_and_deleted(CoapSocketEngine engine)
    {
        await using CoapClient client = Client(engine);
        Assert.Equal(CoapCode.Created, (await Within(client.PutAsync(Uri("/ours"), CoapContent.Text("x")))).Code);
        Assert.Equal("x", (await Within(client.GetAsync(Uri("/ours")))).GetText());
        Assert.Equal(CoapCode.Deleted, (await Within(client.DeleteAsync(Uri("/ours")))).Code);
        Assert.Equal(CoapCode.NotFound, (await Within(client.GetAsync(Uri("/ours")))).Code);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_PUT_and_a_GET_transfer_a_mebibyte(CoapSocketEngine engine)
    {
        await using CoapClient client = Client(engine);
        byte[] body = Bodies.Make(1024 * 1024, 7);
        Assert.True((await Within(client.PutAsync(Uri("/large"), CoapContent.Binary(body)))).IsSuccess);
        Assert.Equal(body, (await Within(client.GetAsync(Uri("/large")))).Payload.ToArray());
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task Two_hundred_concurrent_requests_share_a_connection(CoapSocketEngine engine)
    {
        await using CoapClient client = Client(engine);
        Task<CoapResponse>[] requests = [.. Enumerable.Range(0, 200).Select(_ => client.GetAsync(Uri("/")))];
        Assert.All(await Within(Task.WhenAll(requests)), response => Assert.Equal(CoapCode.Content, response.Code));
        Assert.Equal(1, client.Endpoint.Counters[CoapCounter.ConnectionsOpened]);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_resource_is_observed(CoapSocketEngine engine)
    {
        await using CoapClient client = Client(engine);
        await using CoapObservation observation = await Within(client.ObserveAsync(Uri("/time")));

        // Max-Age is one second, so that it may be stale for a moment.
        Assert.NotEqual(CoapObserveState.NotObserving, observation.State);
        HashSet<string> times = [];
        using CancellationTokenSource limit = new(PeerProcess.HangLimit);
        await foreach (CoapResponse change in observation.ReadAllAsync(limit.Token))
        {
            if (times.Add(change.GetText()) && times.Count == 3)
            {
                break;
            }
        }

        Assert.Equal(3, times.Count);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_ping_is_answered(CoapSocketEngine engine)
    {
        await using CoapClient client = Client(engine);
        Assert.True(await Within(client.PingAsync(Uri(""))) >= TimeSpan.Zero);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_killed_and_restarted_server_gets_requests_on_a_new_connection(CoapSocketEngine engine)
    {
        await using CoapClient client = Client(engine);
        Assert.Equal(CoapCode.Content, (await Within(client.GetAsync(Uri("/")))).Code);
        await _server.KillAsync();
        await Assert.ThrowsAsync<CoapConnectionException>(() => Within(client.GetAsync(Uri("/"))));
        await _server.StartAgainAsync();
        Assert.Equal(CoapCode.Content, (await Within(client.GetAsync(Uri("/")))).Code);
    }

    private static CoapClient Client(CoapSocketEngine engine) => new(new CoapEndpointOptions { Transports = { TcpEngine = engine } });

    private string Uri(string path) => _server.Uri(path, "coap+tcp");
}
