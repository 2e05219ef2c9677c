using System.Security.Cryptography;
using Blocking;

namespace CoAP.NET.Speed.Engines;

/// <summary>The server under load, as a process of its own: <c>serve --engine inline|async|blocking</c>.</summary>
internal static class BenchServer
{
    public const string Verb = "serve";

    private const int LargeBytes = 256 * 1024;
    private const int FirstState = 0;

    private static readonly string[] s_values = ["--engine", "--bind", "--frame-timeout"];

    public static async Task<int> RunAsync(string[] args)
    {
        Arguments arguments = Arguments.Parse(args, s_values, [Child.WithParent]);
        string engine = arguments.Text("--engine", "inline");
        IPEndPoint bind = IPEndPoint.Parse(arguments.Text("--bind", "127.0.0.1:0"));
        CoapEndpointOptions options = new();

        // 10,000 frames of which a part is there are what is measured, not what a server should allow.
        options.Limits.Connections.ReceiveMemory = 1L << 30;
        if (arguments.Has("--frame-timeout"))
        {
            int seconds = arguments.Number("--frame-timeout", 0);
            options.Transports.Streams.FrameTimeout = seconds == 0 ? Timeout.InfiniteTimeSpan : TimeSpan.FromSeconds(seconds);
            options.Transports.Streams.KeepAliveInterval = Timeout.InfiniteTimeSpan;
            options.Transports.Streams.IdleTimeout = Timeout.InfiniteTimeSpan;
        }

        if (engine != "blocking")
        {
            options.Transports.TcpEngine = engine switch
            {
                "inline" => CoapSocketEngine.LinuxLoop,
                "async" => CoapSocketEngine.Portable,
                _ => throw new ArgumentException($"'{engine}' is not an engine: inline, async or blocking."),
            };
        }

        await using CoapServer server = new(options);
        Map(server);
        if (engine == "blocking")
        {
            server.Endpoint.AddTransport(new BlockingTransport(bind));
        }
        else
        {
            server.Listen($"coap+tcp://{bind}");
        }

        await server.StartAsync();
        Child.EndWithParent(arguments);
        Console.WriteLine($"{Child.Listening}{server.LocalEndpoints[0]}");
        await Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System);
        return 0;
    }

    private static void Map(CoapServer server)
    {
        byte[] stored = [];
        byte[] large = new byte[LargeBytes];
        int state = FirstState;
        server.MapGet("/hello", () => CoapResults.Text(Frames.Hello));
        server.MapGet("/large", () => CoapResults.Bytes(large));
        server.MapGet("/stored", () => CoapResults.Bytes(stored));
        server.MapPut("/stored", request =>
        {
            stored = request.Payload.ToArray();
            return CoapResults.Changed();
        });

        // Says what came, so that who sent it knows that nothing was lost or mixed up.
        server.MapPut("/sum", request => CoapResults.Text(Sum(request.Options.GetAll<UriQueryOption>().Count(), request.Payload.Span)));
        CoapRouteHandlerBuilder observed = server.MapGet("/state", () => CoapResults.Text($"state {Volatile.Read(ref state)}"))
            .Observable(observe => observe.MaxAge = TimeSpan.FromHours(1));
        server.MapPut("/state", () =>
        {
            Interlocked.Increment(ref state);
            observed.Notify();
            return CoapResults.Changed();
        });
        byte[] message = [];
        CoapRouteHandlerBuilder chat = server.MapGet("/chat", () => CoapResults.Bytes(Volatile.Read(ref message)))
            .Observable(observe => observe.MaxAge = TimeSpan.FromHours(1));
        server.MapPut("/chat", request =>
        {
            Volatile.Write(ref message, request.Payload.ToArray());
            chat.Notify();
            return CoapResults.Changed();
        });
        server.MapGet("/heap", () => CoapResults.Text(GC.GetTotalMemory(forceFullCollection: false).ToString("D20")));
        server.MapPost("/collect", () =>
        {
            // For figures of memory: what is garbage is none of what a connection costs.
            GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
            return CoapResults.Changed();
        });
    }

    /// <summary>What <c>/sum</c> answers.</summary>
    public static string Sum(int options, ReadOnlySpan<byte> payload) =>
        $"{options} {payload.Length} {Convert.ToHexStringLower(SHA256.HashData(payload))}";
}
