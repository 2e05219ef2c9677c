namespace CoAP.NET.Simulation.Overload;

/// <summary>
/// The server whose capacity is known: <c>overload-server [--max N]</c>, a process of its own that ends when its standard input does.
/// </summary>
internal sealed class OverloadServer : IAsyncDisposable
{
    /// <summary>The word by which this program serves.</summary>
    public const string Verb = "overload-server";

    /// <summary>How a line begins that says where it listens.</summary>
    public const string Listening = "listening on ";

    /// <summary>The bytes of the body that is fetched and sent in blocks.</summary>
    public const int BodyLength = 40 * 64;

    /// <summary>What the handler of /busy takes of a processor.</summary>
    public static readonly TimeSpan Cost = TimeSpan.FromMilliseconds(0.5);

    // Behind /awaiting: so many at a time, each for so long.
    private const int Places = 10;
    private static readonly TimeSpan s_wait = TimeSpan.FromMilliseconds(4);
    private static readonly TimeSpan s_change = TimeSpan.FromSeconds(1);

    private readonly CoapServer _server;
    private readonly SemaphoreSlim _places = new(Places);
    private readonly CancellationTokenSource _stop = new();
    private readonly CoapRouteHandlerBuilder _observed;
    private string _state = "0 0";
    private Task _changing = Task.CompletedTask;

    public OverloadServer(int maxRequestsServed)
    {
        CoapEndpointOptions options = new();
        options.Limits.Requests.MaxServed = maxRequestsServed;
        _server = new CoapServer(options);
        _server.Listen("coap://127.0.0.1:0");
        _server.MapGet("/busy", () =>
        {
            for (TimeSpan began = ThreadTime.Now; ThreadTime.Now - began < Cost;)
            {
            }

            return CoapResults.Text("done");
        });
        _server.MapGet("/awaiting", async (CoapRequestContext _, CancellationToken cancellationToken) =>
        {
            await _places.WaitAsync(cancellationToken);
            try
            {
                await Task.Delay(s_wait, TimeProvider.System, cancellationToken);
            }
            finally
            {
                _places.Release();
            }

            return CoapResults.Text("done");
        });
        byte[] body = Body();
        _server.MapGet("/body", () => CoapResults.Bytes(body));
        _server.MapPut("/body",
            request => request.Payload.Span.SequenceEqual(body)
                ? CoapResults.Changed()
                : CoapResults.BadRequest("The body is another one."));
        _observed = _server.MapGet("/state", () => CoapResults.Text(Volatile.Read(ref _state)))
            .Observable(observe => observe.MaxAge = TimeSpan.FromHours(1));
        _server.MapGet("/counters", () => CoapResults.Text($"{_server.Counters}"));
    }

    public IPEndPoint Endpoint { get; private set; } = null!;

    public CoapCounters Counters => _server.Counters;

    /// <summary>Serves until the standard input ends.</summary>
    public static async Task<int> RunAsync(string[] args)
    {
        Arguments arguments = Arguments.Parse(args, ["--max"], []);
        await using OverloadServer server = new(arguments.Number("--max", new CoapLimits().Requests.MaxServed));
        await server.StartAsync();
        Console.WriteLine($"{Listening}{server.Endpoint}");
        await Console.In.ReadToEndAsync();
        return 0;
    }

    public async Task StartAsync()
    {
        await _server.StartAsync();
        CoapUri uri = _server.LocalEndpoints[0];
        Endpoint = new IPEndPoint(uri.HostAddress!, uri.Port);
        _changing = ChangeAsync();
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await _changing;
        await _server.DisposeAsync();
        _stop.Dispose();
        _places.Dispose();
    }

    /// <summary>The body, in which no part is like another.</summary>
    public static byte[] Body()
    {
        byte[] body = new byte[BodyLength];
        for (int i = 0; i < body.Length; i += 4)
        {
            BinaryPrimitives.WriteInt32BigEndian(body.AsSpan(i), i);
        }

        return body;
    }

    private async Task ChangeAsync()
    {
        using PeriodicTimer timer = new(s_change, TimeProvider.System);
        try
        {
            for (int state = 1; await timer.WaitForNextTickAsync(_stop.Token); state++)
            {
                // With the time, so that who is told knows how old it is.
                Volatile.Write(ref _state, $"{state} {TimeProvider.System.GetTimestamp()}");
                _observed.Notify();
            }
        }
        catch (OperationCanceledException)
        {
            // It ends.
        }
    }
}
