using CoAP.NET.Diagnostics;

namespace CoAP.NET.Cluster.Tests.Steering;

/// <summary>A device of a site that can be observed: a server of this library that opens a session.</summary>
internal sealed class SiteDevice : IAsyncDisposable
{
    /// <summary>What is observed at it.</summary>
    public const string Path = "/state";

    private readonly CoapServer _server;
    private readonly CoapRouteHandlerBuilder _route;
    private int _state;

    public SiteDevice(string name, byte[] key)
    {
        Name = name;
        _server = new CoapServer(new CoapEndpointOptions
        {
            Parameters = CoapTransmissionParameters.Default with { AckTimeout = FromMilliseconds(200), MaxRetransmit = 11 },
        }.UseDtls(new CoapDtlsOptions
        {
            Client = new CoapDtlsClientOptions { Psk = new CoapPskCredential(name, key) },
            SilenceToProbe = FromMinutes(10),
            HandshakeTimeout = FromMinutes(3),
        }));
        _server.Endpoint.ExpectConnections();
        _route = _server.MapGet(Path, () => CoapResults.Text(State)).Observable(observe => observe.MaxAge = FromHours(1));
    }

    public string Name { get; }

    public string State => Volatile.Read(ref _state).ToString(CultureInfo.InvariantCulture);

    /// <summary>How often somebody registered as an observer.</summary>
    public long Registrations => _server.Counters[CoapCounter.Registrations];

    /// <summary>How many observers it has.</summary>
    public int Observers => _route.ObserverCount;

    /// <summary>How many sessions it opened.</summary>
    public long Sessions => _server.Endpoint.Counters[CoapCounter.ConnectionsOpened];

    public Task StartAsync() => _server.StartAsync();

    public Task<CoapResponse> SpeakAsync(string uri) =>
        _server.Endpoint.SendAsync(new CoapRequest(CoapMethod.Get, uri) { Timeout = FromMinutes(4) });

    /// <summary>Its state is another one, and it notifies.</summary>
    public void Change()
    {
        Interlocked.Increment(ref _state);
        _route.Notify();
    }

    /// <summary>What happened to it, for whoever wonders why something was lost.</summary>
    public string Describe() => $"{Name} at state {State}: {_server.Counters}, {Observers} observers";

    public ValueTask DisposeAsync() => _server.DisposeAsync();
}
