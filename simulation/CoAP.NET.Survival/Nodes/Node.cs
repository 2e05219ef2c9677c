using System.Text.Json;
using CoAP.NET.Tests.Shared;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Npgsql;

namespace CoAP.NET.Survival.Nodes;

/// <summary>
/// A server with coaps as a process of its own (<c>node</c>), which keeps its sessions in a store. It does what lines on its standard
/// input say, and ends with it, so that none is left behind.
/// </summary>
internal sealed class Node
{
    public const string Verb = "node";
    public const string Silo = "--silo";
    public const string KeepsWrites = "--keeps-writes";
    public const string Verbose = "--verbose";
    public const string Listening = "listening ";
    public const string Figures = "figures";
    public const string Collected = "collected";
    public const string Stop = "stop";
    public const string Ready = "ready";
    public const string State = "state";
    public const string Count = "count";
    public const string Phase = "phase";
    public const string Protected = "protected ";

    private static readonly string[] s_values = ["--name", "--store", "--secret", "--ran", "--lease"];

    private readonly string _name;
    private readonly bool _isSilo;
    private readonly NodeLog _log;
    private readonly RunLog? _runs;
    private readonly NodePhase _phase = new();

    private Node(string name, bool isSilo, NodeLog log, RunLog? runs)
    {
        _name = name;
        _isSilo = isSilo;
        _log = log;
        _runs = runs;
    }

    public static async Task<int> RunAsync(string[] args)
    {
        Arguments arguments = Arguments.Parse(args, s_values, [Silo, KeepsWrites, Verbose]);
        string name = arguments.Text("--name", "A");
        using NodeLog log = new(name, arguments.Has(Verbose) ? LogLevel.Information : LogLevel.Error);
        using RunLog? runs = arguments.Has("--ran") ? new RunLog(arguments.Text("--ran", "")) : null;
        Node node = new(name, arguments.Has(Silo), log, runs);
        string place = arguments.Text("--store", NodeStore.None);
        try
        {
            using IHost host = await NodeHost.MakeAsync(
                NodeStore.Open(place, arguments.Has(KeepsWrites)), node._isSilo ? NodeStore.ConnectionOf(place) : null,
                options =>
                {
                    options.Secrets = [Convert.FromHexString(arguments.Text("--secret", ""))];
                    options.Lease = TimeSpan.FromSeconds(arguments.Number("--lease", 5));
                },
                log, node.Map);
            await node.RunAsync(host);
            return 0;
        }
        catch (NpgsqlException exception)
        {
            // Without its store a silo does not know the others.
            Console.Error.WriteLine($"{name}: {exception.Message}");
            return 3;
        }
    }

    private async Task RunAsync(IHost host)
    {
        Watch begin = new();
        await host.StartAsync();
        TimeSpan start = begin.Elapsed;
        CoapServer server = host.Services.GetRequiredService<CoapServer>();
        CoapCluster? cluster = host.Services.GetService<CoapCluster>();
        await using ProtectedSender? sender = cluster is null ? null : new ProtectedSender(cluster.OscoreStore);
        string[] uris = [.. server.LocalEndpoints.Select(uri => uri.Origin()).OrderByDescending(uri => uri.Length)];
        Console.WriteLine($"{Listening}{uris[0]} {uris[1]} {start.TotalMilliseconds:0}");
        while (await Console.In.ReadLineAsync() is { } line && line != Stop)
        {
            if (line.StartsWith(Phase, StringComparison.Ordinal))
            {
                _phase.Number = int.Parse(line[Phase.Length..]);
                server.Notify($"/{Phase}");
                Console.WriteLine(Phase);
                Report(server, cluster);
            }
            else if (line.StartsWith(Protected, StringComparison.Ordinal))
            {
                Console.WriteLine(await sender!.SendAsync(int.Parse(line[Protected.Length..])));
            }
            else if (line is Figures or Collected)
            {
                Console.WriteLine(JsonSerializer.Serialize(new NodeFigures(
                    cluster?.Self.Id.Value ?? default,
                    server.Endpoint.ConnectedPeers.Count,
                    line == Collected ? Heap.LiveBytes() : GC.GetTotalMemory(false),
                    cluster?.Map.SlotsOf(cluster.Self.Id).Count ?? 0,
                    cluster?.GetNodeCounters() is { } counters ? counters.Relayed + counters.RelaysReturned : 0)));
            }
        }

        await host.StopAsync();
        Report(server, cluster);
    }

    private void Map(CoapServer server, IServiceProvider services)
    {
        server.MapGet("/hello", () => CoapResults.Text(Frames.Hello));
        server.MapGet($"/{State}/{{number}}", request => CoapResults.Text($"{IdentityOf(request)} {request.Route["number"]} {_name}"));
        server.MapPost($"/{Count}", request =>
        {
            string number = $"{IdentityOf(request)} {request.GetText()}";
            _runs?.Add(number);
            return CoapResults.Text($"{number} {_name}");
        });

        // Nobody asks again because it got old.
        server.MapGet($"/{Phase}", () => CoapResults.Text($"{_phase.Number}").WithMaxAge(TimeSpan.FromDays(1))).Observable();

        // What a balancer asks. A silo relays what it has not itself, so it serves everybody; of others the one with all slots serves.
        CoapCluster? cluster = services.GetService<CoapCluster>();
        HealthCheckService health = services.GetRequiredService<HealthCheckService>();
        server.MapGet($"/{Ready}", async (CoapRequestContext _, CancellationToken cancellationToken) =>
            cluster is null || (!cluster.IsLeaving && (_isSilo || cluster.Map.SlotsOf(cluster.Self.Id).Count > 0)
                && (await health.CheckHealthAsync(cancellationToken)).Status != HealthStatus.Unhealthy)
            ? CoapResults.Text(_name)
            : CoapResults.ServiceUnavailable(retryAfter: TimeSpan.FromSeconds(1))).AllowInsecureTransport();
    }

    private static string IdentityOf(CoapRequestContext request) =>
        (request.Peer.Identity as CoapDtlsPeerIdentity)?.PskIdentity ?? "nobody";

    // Where datagrams were lost, say.
    private void Report(CoapServer server, CoapCluster? cluster)
    {
        if (_log.IsEnabled(LogLevel.Information))
        {
            Console.Error.WriteLine($"{server.Counters} {cluster?.GetNodeCounters()}");
        }
    }
}
