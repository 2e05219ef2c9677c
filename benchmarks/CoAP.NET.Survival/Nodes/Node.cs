using System.Globalization;
using System.Text.Json;
using CoAP.NET.Bench;
using CoAP.NET.Cluster;
using CoAP.NET.Dtls;
using CoAP.NET.Footprint;

namespace CoAP.NET.Survival.Nodes;

/// <summary>
/// A server with coaps as a process of its own (<c>node</c>), which keeps its sessions in a store. It does what lines on its standard
/// input say, and ends with it, so that none is left behind.
/// </summary>
internal static class Node
{
    public const string Verb = "node";
    public const string Listening = "listening ";
    public const string Figures = "figures";
    public const string Collected = "collected";
    public const string Stop = "stop";
    public const string Ready = "ready";
    public const string State = "state";
    public const string Count = "count";

    private const int Most = 1_000_000;
    private static readonly string[] s_values = ["--name", "--store", "--secret", "--ran", "--lease"];

    public static async Task<int> RunAsync(string[] args)
    {
        Arguments arguments = Arguments.Parse(args, s_values, []);
        string name = arguments.Text("--name", "A");
        ICoapClusterStore? store = NodeStore.Open(arguments.Text("--store", NodeStore.None));
        CoapCluster? cluster = store is null ? null : new CoapCluster(store, new CoapClusterOptions
        {
            Secret = Convert.FromHexString(arguments.Text("--secret", "")),
            Lease = TimeSpan.FromSeconds(arguments.Number("--lease", 5)),
        });
        if (cluster is not null)
        {
            await cluster.StartAsync();
        }

        using RunLog? runs = arguments.Has("--ran") ? new RunLog(arguments.Text("--ran", "")) : null;
        CoapDtlsServerOptions dtls = new()
        {
            PskStore = new AnyDevice(),
            SessionKeeping = cluster?.KeepDtlsSessions(),
            MaxSessions = Most,
            MaxSessionsPerAddress = Most,
            MaxSessionsPerIdentity = Most,
        };

        // What comes while it stops is for the node that has the sessions next: it would be refused here.
        CoapEndpointOptions options = new() { AnswerWhileStopping = cluster is null };
        CoapServer server = new(options.UseDtls(new CoapDtlsOptions { Server = dtls }));
        Map(server, name, cluster, runs);
        server.Listen("coaps://127.0.0.1:0").Listen("coap://127.0.0.1:0");
        long begin = TimeProvider.System.GetTimestamp();
        await server.StartAsync();
        TimeSpan start = TimeProvider.System.GetElapsedTime(begin);
        string[] uris = [.. server.LocalEndpoints.OrderByDescending(static uri => uri.Length)];
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{Listening}{uris[0]} {uris[1]} {start.TotalMilliseconds:0}"));
        await ObeyAsync(server, cluster);

        // As a host stops: what is under way is finished, then the node leaves.
        await server.DisposeAsync();
        if (cluster is not null)
        {
            await cluster.DisposeAsync();
        }

        return 0;
    }

    private static void Map(CoapServer server, string name, CoapCluster? cluster, RunLog? runs)
    {
        server.MapGet("/hello", static () => CoapResults.Text(BenchServer.Hello));
        server.MapGet($"/{State}/{{number}}", request => CoapResults.Text($"{IdentityOf(request)} {request.Route["number"]} {name}"));
        server.MapPost($"/{Count}", request =>
        {
            string number = $"{IdentityOf(request)} {request.GetText()}";
            runs?.Add(number);
            return CoapResults.Text($"{number} {name}");
        });

        // What a balancer asks.
        server.MapGet($"/{Ready}", () => cluster is null || cluster.Map.SlotsOf(cluster.Self.Id).Count > 0
            ? CoapResults.Text(name)
            : CoapResults.ServiceUnavailable(retryAfter: TimeSpan.FromSeconds(1))).AllowInsecureTransport();
    }

    private static string IdentityOf(CoapRequest request) => (request.Peer.Identity as CoapDtlsIdentity)?.PskIdentity ?? "nobody";

    private static async Task ObeyAsync(CoapServer server, CoapCluster? cluster)
    {
        while (await Console.In.ReadLineAsync() is { } line && line != Stop)
        {
            if (line is Figures or Collected)
            {
                Console.WriteLine(JsonSerializer.Serialize(new NodeFigures(
                    server.Endpoint.ConnectedPeers.Count,
                    line == Collected ? Heap.LiveBytes() : GC.GetTotalMemory(false),
                    cluster?.Map.SlotsOf(cluster.Self.Id).Count ?? 0,
                    server.Counters[CoapCounter.RequestsInDoubt])));
            }
        }
    }
}
