using System.Net;
using CoAP.NET.Cluster.Tests.Steering;
using CoAP.NET.Dtls;

namespace CoAP.NET.Package.Tests.Packages;

/// <summary>
/// A device with a DTLS session that it opened with the first process of Projects/Upgrade, and another one that sleeps between them. All
/// processes are at one address for them.
/// </summary>
internal sealed class UpgradeDevice : IAsyncDisposable
{
    private readonly TestBalancer _balancer = new();
    private readonly CoapServer _meter;
    private readonly CoapRouteHandlerBuilder _levelRoute;
    private CoapObservation? _version;
    private volatile string _level = "";

    public UpgradeDevice()
    {
        _meter = Make("meter");
        _levelRoute = _meter.MapGet("/level", () => CoapResults.Text(_level)).Observable();
    }

    /// <summary>The number of handshakes of the device that does not sleep.</summary>
    public long Sessions => _meter.Endpoint.Counters["ConnectionsOpened"];

    /// <summary>Waits until a process serves.</summary>
    /// <returns>Its address.</returns>
    public static async Task<IPEndPoint> AddressAsync(Tool server)
    {
        string line = await server.SaysAsync("Listening on coaps://");
        return IPEndPoint.Parse(CoapTool.Address(line)["coaps://".Length..]);
    }

    /// <summary>Expects of a process all that the devices had at the process before, and leaves the same to the next one.</summary>
    public async Task UseAsync(Tool server, int step)
    {
        _balancer.Use(await AddressAsync(server));
        string now = $"{step}";
        if (step == 0)
        {
            await _meter.StartAsync();
        }

        await SendAsync(_meter, CoapMethod.Get, "/version").Says(now);

        // What it observes at the server.
        _version ??= await _meter.Endpoint.ObserveAsync(new CoapRequest(CoapMethod.Get, Uri("/version")));
        await SendAsync(_meter, CoapMethod.Post, "/notify");
        await foreach (CoapResponse response in _version.ReadAllAsync())
        {
            if (response.GetText() == now)
            {
                break;
            }
        }

        // What the server observes at it.
        if (step == 0)
        {
            await SendAsync(_meter, CoapMethod.Post, "/watch");
        }

        _level = now;
        do
        {
            _levelRoute.Notify();
        }
        while ((await SendAsync(_meter, CoapMethod.Get, "/level")).GetText() != now);

        // What waited for the device that slept.
        await using (CoapServer valve = Make("valve"))
        {
            TaskCompletionSource<string> position = new(RunContinuationsAsynchronously);
            valve.MapPut("/position", request =>
            {
                position.TrySetResult(request.GetText());
                return CoapResults.Changed();
            });
            await valve.StartAsync();
            await SendAsync(valve, CoapMethod.Get, "/version");
            if (step > 0)
            {
                Assert.Equal($"{step - 1}", await position.Task);
            }
        }

        await SendAsync(_meter, CoapMethod.Post, "/queue");
    }

    public async ValueTask DisposeAsync()
    {
        if (_version is not null)
        {
            await _version.DisposeAsync();
        }

        await _meter.DisposeAsync();
        await _balancer.DisposeAsync();
    }

    private static CoapServer Make(string name)
    {
        CoapServer server = new(new CoapEndpointOptions
        {
            Parameters = CoapTransmissionParameters.Default with { AckTimeout = FromMilliseconds(300), MaxRetransmit = 10 },
        }.UseDtls(new CoapDtlsOptions { Client = new CoapDtlsClientOptions { Psk = new CoapPskCredential(name, new byte[16]) } }));
        server.Endpoint.ExpectConnections();
        return server;
    }

    private async Task<CoapResponse> SendAsync(CoapServer device, CoapMethod method, string path) =>
        (await device.Endpoint.SendAsync(new CoapRequest(method, Uri(path)) { Timeout = FromMinutes(2) })).EnsureSuccess();

    private string Uri(string path) => $"coaps://127.0.0.1:{_balancer.Port}{path}";
}
