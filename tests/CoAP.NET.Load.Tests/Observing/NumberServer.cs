using CoAP.NET.Load.Figures;
using CoAP.NET.Load.Observing;
using CoAP.NET.Load.Plans;
using CoAP.NET.Load.Running;

namespace CoAP.NET.Load.Tests;

/// <summary>A server with a resource that is a number, and peers that observe it.</summary>
internal sealed class NumberServer : IAsyncDisposable
{
    private readonly CoapServer _server = new();
    private readonly List<CoapClient> _clients = [];
    private readonly CoapRouteHandlerBuilder _route;
    private string _state;

    private NumberServer(string state, Func<string, string>? onPut)
    {
        _state = state;
        _route = _server.MapGet("/number", () => CoapResults.Text(Volatile.Read(ref _state))).Observable();
        _server.MapGet("/plain", () => CoapResults.Text("1"));
        if (onPut is not null)
        {
            _server.MapPut("/number", request =>
            {
                Set(onPut(request.GetText()));
                return CoapResults.Changed();
            });
        }

        _server.Listen("coap://127.0.0.1:0");
    }

    public int ObserverCount => _server.ObserverCount;

    public string Uri => _server.LocalEndpoints[0] + "number";

    /// <param name="state">What the resource is at first.</param>
    /// <param name="onPut">What it is after a PUT; null when it takes none.</param>
    public static async Task<NumberServer> StartAsync(string state, Func<string, string>? onPut)
    {
        NumberServer server = new(state, onPut);
        await server._server.StartAsync();
        return server;
    }

    public void Set(long state) => Set(state.ToString(CultureInfo.InvariantCulture));

    public void Set(string state)
    {
        Volatile.Write(ref _state, state);
        _route.Notify();
    }

    public LoadPlan Plan(double rate, double factor = 1) =>
        new()
        {
            Uri = Uri, Loop = LoadPacing.Observe, Peers = 12, Rate = rate, Seconds = 0.5 * factor, WarmUpSeconds = 0.05,
            RampSeconds = 0.05, TimeoutSeconds = 20, Retransmissions = 4
        };

    /// <summary>Runs it.</summary>
    /// <param name="plan">What is done.</param>
    /// <param name="onTick">Is told how it stands.</param>
    /// <param name="hasAddresses">Whether peers are addresses of one client, instead of clients.</param>
    /// <param name="cancellationToken">Ends it early.</param>
    public Task<LoadResult> RunAsync(LoadPlan plan, Action<LoadProgress>? onTick = null, bool hasAddresses = false,
        CancellationToken cancellationToken = default)
    {
        ObservingPeer[] peers = [.. Enumerable.Range(1, plan.Peers).Select(i =>
        {
            if (!hasAddresses || i == 1)
            {
                _clients.Add(new CoapClient());
            }

            return new ObservingPeer(_clients[^1],
                () => new CoapRequest(CoapMethod.Get, plan.Uri) { LocalAddress = hasAddresses ? IPAddress.Parse($"127.1.0.{i}") : null });
        })];
        return ObserveLoop.RunAsync(plan, peers, null, onTick is null ? null : new Progress(onTick), StartGate.Open, cancellationToken)
            .WaitAsync(FromSeconds(240), TimeProvider.System, CancellationToken.None);
    }

    public async ValueTask DisposeAsync()
    {
        foreach (CoapClient client in _clients)
        {
            await client.DisposeAsync();
        }

        await _server.DisposeAsync();
    }

    private sealed class Progress(Action<LoadProgress> onTick) : IProgress<LoadProgress>
    {
        public void Report(LoadProgress value) => onTick(value);
    }
}
