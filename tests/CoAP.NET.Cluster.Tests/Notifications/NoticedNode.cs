using CoAP.NET.Cluster.Maps;

namespace CoAP.NET.Cluster.Tests.Notifications;

/// <summary>A node with a server of devices, and clients that observe there.</summary>
internal sealed class NoticedNode : IAsyncDisposable
{
    private static int s_state;

    private readonly List<CoapClient> _clients = [];
    private int _runs;

    public NoticedNode(CoapCluster cluster)
    {
        Cluster = cluster;
        Route = Server.MapGet("/devices/{id}", request =>
        {
            Interlocked.Increment(ref _runs);
            return CoapResults.Text($"{request.Path} {Volatile.Read(ref s_state)}");
        }).Observable(observe => observe.SameForAll = true);
        Server.Listen("coap://127.0.0.1:0");
    }

    public CoapCluster Cluster { get; }

    public CoapNodeId Id => Cluster.Self.Id;

    public CoapServer Server { get; } = new();

    public CoapRouteHandlerBuilder Route { get; }

    /// <summary>How often the handler ran.</summary>
    public int Runs => Volatile.Read(ref _runs);

    /// <summary>What the observers were sent: path and state.</summary>
    public ConcurrentQueue<string> Heard { get; } = new();

    /// <summary>Changes the state of all devices at all nodes.</summary>
    public static string NextState() => $"{Interlocked.Increment(ref s_state)}";

    /// <summary>Whether an observer was sent the state of a path, or a later one of another test.</summary>
    public bool HasHeard(string path, string state) => Heard.Any(heard => heard.Split(' ') is [var heardPath, var heardState]
        && heardPath == path && int.Parse(heardState, null) >= int.Parse(state, null));

    public async Task StartAsync()
    {
        await Server.StartAsync();
        Cluster.Notifications!.Attach(Server, "");
        await Cluster.StartAsync();
    }

    public async Task<CoapObservation> ObserveAsync(string path)
    {
        // Observations of one client share a registration.
        CoapClient client = new();
        _clients.Add(client);
        CoapObservation observation = await client.ObserveAsync(Server.LocalEndpoints[0].Origin() + path);
        _ = ReadAsync(observation);
        return observation;
    }

    public async ValueTask DisposeAsync()
    {
        foreach (CoapClient client in _clients)
        {
            await client.DisposeAsync();
        }

        await Server.DisposeAsync();
    }

    private async Task ReadAsync(CoapObservation observation)
    {
        try
        {
            await foreach (CoapResponse response in observation.ReadAllAsync())
            {
                Heard.Enqueue(response.GetText());
            }
        }
        catch (CoapException)
        {
            // The test ends.
        }
    }
}
