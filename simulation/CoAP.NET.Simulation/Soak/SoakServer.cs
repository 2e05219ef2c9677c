using CoAP.NET.Tests.Shared;

namespace CoAP.NET.Simulation.Soak;

/// <summary>The server under load, over UDP and TCP.</summary>
internal sealed class SoakServer : IAsyncDisposable
{
    /// <summary>How many resources can be observed.</summary>
    public const int States = 8;

    private const int RememberedPosts = 1 << 17;
    private static readonly TimeSpan s_slow = TimeSpan.FromMilliseconds(100);

    private readonly CoapServer _server;
    private readonly int[] _states = new int[States];

    // A POST of a request that came long ago gives its place to a new one; what is repeated is repeated within seconds.
    private readonly long[] _posts = new long[RememberedPosts];

    public SoakServer(CoapEndpointOptions options)
    {
        _server = new CoapServer(options);
        _server.Listen("coap://127.0.0.1:0").Listen("coap+tcp://127.0.0.1:0");
        _server.MapGet("/echo", request => CoapResults.Text($"{IdOf(request)}"));
        _server.MapPut("/echo", request => CoapResults.Changed(CoapContent.Text($"{IdOf(request)} {request.Payload.Length}")));
        _server.MapDelete("/echo", request => new CoapResult(CoapCode.Deleted, Encoding.UTF8.GetBytes($"{IdOf(request)}")));
        _server.MapPost("/once", request =>
        {
            long id = IdOf(request);
            if (Interlocked.Exchange(ref _posts[id % RememberedPosts], id) == id)
            {
                Interlocked.Increment(ref _repeated);
            }

            return CoapResults.Changed(CoapContent.Text($"{id}"));
        });
        _server.MapGet("/slow", async (CoapRequestContext request, CancellationToken cancellationToken) =>
        {
            await Task.Delay(s_slow, TimeProvider.System, cancellationToken);
            return CoapResults.Text($"{IdOf(request)}");
        });
        _server.MapGet("/body", request => CoapResults.Bytes(Body(IdOf(request), (int)NumberOf(request, "n"))));
        _server.MapPut("/body", request => request.Payload.Span.SequenceEqual(Body(IdOf(request), request.Payload.Length))
            ? CoapResults.Changed(CoapContent.Text($"{IdOf(request)} {request.Payload.Length}"))
            : CoapResults.BadRequest("The body is another one."));
        for (int i = 0; i < States; i++)
        {
            int index = i;
            _server.MapGet($"/state/{i}", () => CoapResults.Text($"{Volatile.Read(ref _states[index])}"))
                .Observable(observe => observe.MaxAge = TimeSpan.FromSeconds(30));
        }
    }

    private long _repeated;

    public CoapEndpoint Endpoint => _server.Endpoint;

    public CoapServer Face => _server;

    /// <summary>POSTs that ran again.</summary>
    public long Repeated => Interlocked.Read(ref _repeated);

    public IPEndPoint Datagrams { get; private set; } = null!;

    public IPEndPoint Streams { get; private set; } = null!;

    public async Task StartAsync()
    {
        await _server.StartAsync();
        Datagrams = EndpointOf(_server.LocalEndpoints[0].Origin());
        Streams = EndpointOf(_server.LocalEndpoints[1].Origin());
    }

    /// <summary>The state of an observed resource.</summary>
    public int StateOf(int index) => Volatile.Read(ref _states[index]);

    /// <summary>Changes an observed resource.</summary>
    public void Change(int index)
    {
        Interlocked.Increment(ref _states[index]);
        _server.Notify($"/state/{index}");
    }

    /// <summary>The bytes of a body; no two are alike, and none is like a shifted one.</summary>
    public static byte[] Body(long id, int length)
    {
        byte[] body = new byte[length];
        for (int i = 0; i + 8 <= length; i += 8)
        {
            BinaryPrimitives.WriteInt64BigEndian(body.AsSpan(i), (id << 20) ^ (i * 0x9e37_79b9L));
        }

        return body;
    }

    public ValueTask DisposeAsync() => _server.DisposeAsync();

    private static IPEndPoint EndpointOf(string uri)
    {
        Uri parsed = new(uri);
        return new IPEndPoint(IPAddress.Parse(parsed.Host), parsed.Port);
    }

    private static long IdOf(CoapRequestContext request) => NumberOf(request, "i");

    private static long NumberOf(CoapRequestContext request, string name) =>
        request.TryGetQuery(name, out string? text) ? long.Parse(text) : 0;
}
