namespace CoAP.NET.Load.Tests;

/// <summary>A server on the loopback that knows who asked it how often.</summary>
internal sealed class TestServer : IAsyncDisposable
{
    private readonly CoapServer _server = new();
    private long _count;

    private TestServer()
    {
    }

    /// <summary>Requests that reached a handler.</summary>
    public long Count => Interlocked.Read(ref _count);

    /// <summary>How many requests each peer sent.</summary>
    public ConcurrentDictionary<CoapAddress, int> Peers { get; } = new();

    /// <summary>Called with each request and how many there were.</summary>
    public Action<CoapRequestContext, long>? Asked { get; set; }

    public string Uri { get; private set; } = "";

    public static async Task<TestServer> StartAsync(string listen = "coap://127.0.0.1:0")
    {
        TestServer server = new();
        server._server.Listen(listen);
        server._server.MapGet("/hello", request => server.Answer(request, CoapResults.Text("hello world!")));
        server._server.MapPut("/stored", request => server.Answer(request, CoapResults.Changed()));
        server._server.MapGet("/broken", request => server.Answer(request, CoapResults.Status(CoapCode.ServiceUnavailable)));
        await server._server.StartAsync();
        server.Uri = server._server.LocalEndpoints[0].Origin();
        return server;
    }

    public ValueTask DisposeAsync() => _server.DisposeAsync();

    private CoapResult Answer(CoapRequestContext request, CoapResult result)
    {
        Peers.AddOrUpdate(request.Peer.Address, 1, (_, count) => count + 1);
        long count = Interlocked.Increment(ref _count);
        Asked?.Invoke(request, count);
        return result;
    }
}
