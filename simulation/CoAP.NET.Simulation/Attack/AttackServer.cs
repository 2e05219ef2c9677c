using CoAP.NET.Diagnostics;
using Server;

namespace CoAP.NET.Simulation.Attack;

/// <summary>A server with all resources of samples/Server and some of its own, on virtual time, whom anybody can send datagrams.</summary>
internal sealed class AttackServer : IAsyncDisposable
{
    public static readonly CoapAddress Address = CoapAddress.FromIPv4(0xc000_0201, 5683);

    private readonly AttackWire _wire = new(Address);
    private readonly CoapServer _server;
    private int _state;
    private int _counted;
    private int _stored;

    private AttackServer(Action<CoapEndpointOptions>? configure, Action<CoapServer>? map)
    {
        CoapEndpointOptions options = new() { TimeProvider = Clock, Pipeline = { Random = new VirtualRandom(42) }, LoggerFactory = Log };
        configure?.Invoke(options);
        _server = new CoapServer(options);
        PlugtestResources.MapTo(_server, Clock);
        _server.MapPost("/count", () =>
        {
            Interlocked.Increment(ref _counted);
            return CoapResults.Changed();
        });
        _server.MapPut("/fresh", () => CoapResults.Changed()).RequireFreshness(TimeSpan.FromSeconds(10));
        Watched = _server.MapGet("/watched", () => $"{Volatile.Read(ref _state)}").Observable();
        _server.MapPut("/store/{id}", request =>
        {
            if (request.Payload.Span.SequenceEqual(Forged.Pattern(int.Parse(request.Route["id"], null), KnownPeer.BodyLength)))
            {
                Interlocked.Increment(ref _stored);
            }

            return CoapResults.Changed();
        });
        map?.Invoke(_server);
        _server.Endpoint.AddTransport(_wire);
    }

    public VirtualClock Clock { get; } = new();

    public ErrorLog Log { get; } = new();

    public AttackWire Wire => _wire;

    public CoapServer Server => _server;

    public CoapCounters Counters => _server.Endpoint.Counters;

    public CoapRouteHandlerBuilder Watched { get; }

    /// <summary>How many times the handler of /count ran.</summary>
    public int Counted => Volatile.Read(ref _counted);

    /// <summary>How many bodies came whole to /store.</summary>
    public int Stored => Volatile.Read(ref _stored);

    /// <summary>The state of /watched.</summary>
    public int State => Volatile.Read(ref _state);

    public static async Task<AttackServer> StartAsync(Action<CoapEndpointOptions>? configure = null, Action<CoapServer>? map = null)
    {
        AttackServer server = new(configure, map);
        await server._server.StartAsync();
        return server;
    }

    /// <summary>Tells the observers of /watched of a new state.</summary>
    public void Change()
    {
        Interlocked.Increment(ref _state);
        Watched.Notify();
    }

    public ValueTask DisposeAsync() => _server.DisposeAsync();
}
