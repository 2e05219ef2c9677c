namespace CoAP.NET.Simulation.Simulate.Proxies;

/// <summary>A server behind the proxies. What it serves survives its restarts, what it knows of clients does not.</summary>
/// <param name="index">Which one.</param>
/// <param name="clock">The clock.</param>
internal sealed class ProxyOrigin(int index, VirtualClock clock)
{
    public const int Count = 2;
    public const int States = 2;

    /// <summary>How long a state is fresh, in seconds.</summary>
    public const int StateAge = 60;

    private static readonly int[] s_keptAges = [10, 60];

    private readonly int[] _values = new int[States];
    private readonly int[] _versions = new int[States];
    private readonly ConcurrentDictionary<(int Kept, int Version), TimeSpan> _replaced = [];
    private readonly ConcurrentDictionary<int, int> _runs = [];
    private CoapServer _server = null!;
    private int _serial;
    private int _validations;
    private bool _hasEnded;

    /// <summary>The codes that it answers with on purpose.</summary>
    public static IReadOnlyList<CoapCode> Errors { get; } =
        [CoapCode.BadRequest, CoapCode.Forbidden, CoapCode.NotFound, CoapCode.Conflict, CoapCode.InternalServerError,
            CoapCode.NotImplemented];

    public string Host { get; } = $"[2001:db8:1::{index + 1}]";

    /// <summary>How often it said that what somebody has still holds.</summary>
    public int Validations => _validations;

    public int ObserverCount => _server.ObserverCount;

    /// <summary>The answer to a request.</summary>
    public static byte[] Answer(int origin, int id, ReadOnlySpan<byte> body) =>
        [.. Encoding.ASCII.GetBytes($"{origin}/{id}/"), .. body];

    /// <summary>How long something is fresh.</summary>
    public static TimeSpan AgeOf(int kept) => TimeSpan.FromSeconds(s_keptAges[kept]);

    public async Task StartAsync(InMemoryNetwork network, CoapEndpointOptions options)
    {
        CoapServer server = new(options);
        server.Routes.AllowInsecureTransport();
        server.Map("/echo/{id}", [CoapMethod.Get, CoapMethod.Put, CoapMethod.Post, CoapMethod.Fetch], (CoapRequestContext request) =>
        {
            int id = Number(request, "id");
            _runs.AddOrUpdate(id, 1, (_, count) => count + 1);
            return new CoapResult(
                request.Method == CoapMethod.Get || request.Method == CoapMethod.Fetch ? CoapCode.Content : CoapCode.Changed,
                Answer(index, id, request.Payload.Span));
        });
        server.Map("/kept/{which}", [CoapMethod.Get, CoapMethod.Put], (CoapRequestContext request) =>
        {
            int kept = Number(request, "which");
            return request.Method == CoapMethod.Put ? Replace(kept) : Keep(request, kept);
        });
        server.MapGet("/own", () => CoapResults.Text($"{index}:{Interlocked.Increment(ref _serial)}"));
        server.MapGet("/error/{which}", request =>
        {
            CoapCode code = Errors[Number(request, "which")];
            return CoapResults.Status(code, $"on purpose {code}");
        });
        server.MapGet("/slow/{id}", async (CoapRequestContext request) =>
        {
            _runs.AddOrUpdate(Number(request, "id"), 1, (_, count) => count + 1);
            await Task.Delay(TimeSpan.FromSeconds(2), clock);
            return CoapResults.Text("slow").WithMaxAge(TimeSpan.Zero);
        });
        for (int i = 0; i < States; i++)
        {
            int state = i;
            server.MapGet($"/state/{state}", _ => Volatile.Read(ref _hasEnded) ? CoapResults.NotFound()
                    : CoapResults.Text(TextOf(state)).WithMaxAge(TimeSpan.FromSeconds(StateAge)))
                .Observable(observe => observe.MaxAge = TimeSpan.FromSeconds(StateAge));
        }

        server.Endpoint.AddTransport(network.CreateTransport("coap", InMemoryNetwork.Address($"{Host}:5683")));
        server.Endpoint.AddTransport(network.CreateTransport("coap+tcp", InMemoryNetwork.Address($"{Host}:5683")));
        server.Endpoint.AddTransport(
            network.CreateTransport("coaps", InMemoryNetwork.Address($"{Host}:5684"),
                CoapTestIdentity.From(new CoapNamedPeerIdentity("origin"))));
        await server.StartAsync();
        _server = server;
    }

    public ValueTask CloseAsync() => _server?.DisposeAsync() ?? default;

    public void Change(int state)
    {
        Interlocked.Increment(ref _values[state]);
        _server.Notify($"/state/{state}");
    }

    /// <summary>Has what can be observed vanish or come back.</summary>
    public void SetEnded(bool hasEnded)
    {
        Volatile.Write(ref _hasEnded, hasEnded);
        for (int i = 0; i < States; i++)
        {
            Change(i);
        }
    }

    public string TextOf(int state) =>
        $"{index}.{state}={Volatile.Read(ref _values[state])}";

    public int ObserversOf(int state) => _server.CountObservers($"/state/{state}");

    public int RunsOf(int id) => _runs.GetValueOrDefault(id);

    /// <summary>Replaces something that proxies may keep.</summary>
    public CoapResult Replace(int kept)
    {
        int before = Interlocked.Increment(ref _versions[kept]) - 1;
        _replaced[(kept, before)] = clock.Elapsed;
        return CoapResults.Changed();
    }

    /// <summary>How long a version is not the newest any more; zero for the newest one.</summary>
    public TimeSpan Outdated(int kept, int version) =>
        _replaced.TryGetValue((kept, version), out TimeSpan at) ? clock.Elapsed - at : TimeSpan.Zero;

    public int VersionOf(int kept) => Volatile.Read(ref _versions[kept]);

    private static int Number(CoapRequestContext request, string name) => int.Parse(request.Route[name]);

    private CoapResult Keep(CoapRequestContext request, int kept)
    {
        int version = VersionOf(kept);
        CoapResult result = CoapResults.ValidOr(
            request, CoapETag.FromVersion((ulong)version), () => CoapResults.Text(version.ToString()))
            .WithMaxAge(AgeOf(kept));
        if (result.Code == CoapCode.Valid)
        {
            Interlocked.Increment(ref _validations);
        }

        return result;
    }
}
