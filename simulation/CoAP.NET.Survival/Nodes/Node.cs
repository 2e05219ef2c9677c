using System.Globalization;
using System.Text.Json;
using CoAP.NET.Bench;
using CoAP.NET.Cluster;
using CoAP.NET.Dtls;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Survival.Nodes;

/// <summary>
/// A server with coaps as a process of its own (<c>node</c>), which keeps its sessions in a store. It does what lines on its standard
/// input say, and ends with it, so that none is left behind.
/// </summary>
internal static class Node
{
    public const string Verb = "node";
    public const string Links = "--links";
    public const string Orleans = "--orleans";
    public const string Verbose = "--verbose";
    public const string Listening = "listening ";
    public const string Figures = "figures";
    public const string Collected = "collected";
    public const string Stop = "stop";
    public const string Ready = "ready";
    public const string State = "state";
    public const string Count = "count";
    public const string Phase = "phase";

    private const int Most = 1_000_000;
    private static readonly string[] s_values = ["--name", "--store", "--secret", "--ran", "--lease"];

    public static async Task<int> RunAsync(string[] args)
    {
        Arguments arguments = Arguments.Parse(args, s_values, [Links, Orleans, Verbose]);
        string name = arguments.Text("--name", "A");
        using NodeLog log = new(name, arguments.Has(Verbose) ? LogLevel.Information : LogLevel.Error);
        string place = arguments.Text("--store", NodeStore.None);
        ICoapClusterStore? store = NodeStore.Open(place);
        CoapClusterOptions clusterOptions = new();
        Configure(clusterOptions);
        NodeSilo? silo = arguments.Has(Orleans)
            ? await NodeSilo.CreateAsync(store!, NodeStore.ConnectionOf(place), Configure, log)
            : null;
        CoapCluster? cluster = silo?.Cluster ?? (store is null ? null : new CoapCluster(store, clusterOptions, logger: log));
        if (cluster is not null && silo is null)
        {
            await cluster.StartAsync();
        }

        using RunLog? runs = arguments.Has("--ran") ? new RunLog(arguments.Text("--ran", "")) : null;
        CoapDtlsServerOptions dtls = new()
        {
            PskStore = new AnyDevice(),
            MaxSessions = Most,
            MaxSessionsPerAddress = Most,
            MaxSessionsPerIdentity = Most,
        };

        CoapEndpointOptions options = new() { LoggerFactory = log };
        options.UseDtls(new CoapDtlsOptions { Server = dtls });
        if (cluster is not null)
        {
            options.UseCluster(cluster);
        }

        CoapServer server = new(options);
        cluster?.Attach(server);
        NodePhase phase = new();
        Map(server, name, cluster, arguments.Has(Links) || silo is not null, runs, phase);
        server.Listen("coaps://127.0.0.1:0").Listen("coap://127.0.0.1:0");
        long begin = TimeProvider.System.GetTimestamp();
        await (silo?.StartAsync(server) ?? server.StartAsync());
        TimeSpan start = TimeProvider.System.GetElapsedTime(begin);
        string[] uris = [.. server.LocalEndpoints.OrderByDescending(static uri => uri.Length)];
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{Listening}{uris[0]} {uris[1]} {start.TotalMilliseconds:0}"));
        await ObeyAsync(server, cluster, phase, log);

        if (silo is not null)
        {
            await silo.DisposeAsync();
            Tell(server, cluster, log);
            return 0;
        }

        // As a host stops: the node leaves while the server still runs.
        if (cluster is not null)
        {
            await cluster.LeaveAsync();
        }

        Tell(server, cluster, log);

        await server.DisposeAsync();
        if (cluster is not null)
        {
            await cluster.DisposeAsync();
        }

        return 0;

        void Configure(CoapClusterOptions options)
        {
            if (store is not null)
            {
                options.Secret = Convert.FromHexString(arguments.Text("--secret", ""));
                options.Lease = TimeSpan.FromSeconds(arguments.Number("--lease", 5));
                options.LinkAddress = arguments.Has(Links) ? "coaps+tcp://127.0.0.1:0" : "";
            }
        }
    }

    private static void Map(CoapServer server, string name, CoapCluster? cluster, bool hasLinks, RunLog? runs, NodePhase phase)
    {
        server.MapGet("/hello", static () => CoapResults.Text(Frames.Hello));
        server.MapGet($"/{State}/{{number}}", request => CoapResults.Text($"{IdentityOf(request)} {request.Route["number"]} {name}"));
        server.MapPost($"/{Count}", request =>
        {
            string number = $"{IdentityOf(request)} {request.GetText()}";
            runs?.Add(number);
            return CoapResults.Text($"{number} {name}");
        });

        // Nobody asks again because it got old.
        server.MapGet($"/{Phase}", () => CoapResults.Text($"{phase.Number}").WithMaxAge(TimeSpan.FromDays(1))).Observable();

        // What a balancer asks. A node with links relays what it has not itself, so it serves everybody.
        server.MapGet($"/{Ready}", () => cluster is null
            || (hasLinks ? !cluster.IsLeaving : cluster.Map.SlotsOf(cluster.Self.Id).Count > 0)
            ? CoapResults.Text(name)
            : CoapResults.ServiceUnavailable(retryAfter: TimeSpan.FromSeconds(1))).AllowInsecureTransport();
    }

    private static string IdentityOf(CoapRequest request) => (request.Peer.Identity as CoapDtlsIdentity)?.PskIdentity ?? "nobody";

    // Where datagrams were lost, say.
    private static void Tell(CoapServer server, CoapCluster? cluster, NodeLog log)
    {
        if (log.IsEnabled(LogLevel.Information))
        {
            Console.Error.WriteLine($"{server.Counters} {cluster?.GetNodeCounters()}");
        }
    }

    private static async Task ObeyAsync(CoapServer server, CoapCluster? cluster, NodePhase phase, NodeLog log)
    {
        while (await Console.In.ReadLineAsync() is { } line && line != Stop)
        {
            if (line.StartsWith(Phase, StringComparison.Ordinal))
            {
                phase.Number = int.Parse(line[Phase.Length..], CultureInfo.InvariantCulture);
                server.Notify($"/{Phase}");
                Console.WriteLine(Phase);
                Tell(server, cluster, log);
            }
            else if (line is Figures or Collected)
            {
                Console.WriteLine(JsonSerializer.Serialize(new NodeFigures(
                    server.Endpoint.ConnectedPeers.Count,
                    line == Collected ? Heap.LiveBytes() : GC.GetTotalMemory(false),
                    cluster?.Map.SlotsOf(cluster.Self.Id).Count ?? 0,
                    server.Counters[CoapCounter.RequestsInDoubt],
                    cluster?.GetNodeCounters() is { } counters ? counters.Relayed + counters.RelaysReturned : 0)));
            }
        }
    }
}
