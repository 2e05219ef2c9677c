using CoAP.NET.Diagnostics;

namespace CoAP.NET.Orleans.Tests.Silos;

/// <summary>A device of a site that can be asked: a server of this library that opens a session.</summary>
internal sealed class SiloDevice : IAsyncDisposable
{
    private readonly CoapServer _server;
    private int _asked;

    public SiloDevice(string name, byte[] key)
    {
        Name = name;
        _server = new CoapServer(new CoapEndpointOptions
        {
            Parameters = CoapTransmissionParameters.Default with { AckTimeout = FromMilliseconds(200), MaxRetransmit = 11 },
        }.UseDtls(new CoapDtlsOptions
        {
            Client = new CoapDtlsClientOptions { Psk = new CoapPskCredential(name, key) },
            HandshakeTimeout = FromMinutes(3),
        }));
        _server.Endpoint.ExpectConnections();
        _server.MapGet("/slow", WaitAsync);
        _server.MapPost("/slow", WaitAsync);
    }

    public string Name { get; }

    /// <summary>How many sessions it opened.</summary>
    public long Sessions => _server.Endpoint.Counters[CoapCounter.ConnectionsOpened];

    /// <summary>How often its slow resource was asked.</summary>
    public int Asked => Volatile.Read(ref _asked);

    /// <summary>Its slow resource answers then.</summary>
    public TaskCompletionSource Answer { get; } = new(RunContinuationsAsynchronously);

    public Task StartAsync() => _server.StartAsync();

    public Task<CoapResponse> SpeakAsync(string uri) =>
        _server.Endpoint.SendAsync(new CoapRequest(CoapMethod.Get, uri) { Timeout = FromMinutes(4) });

    public ValueTask DisposeAsync() => _server.DisposeAsync();

    private async Task<CoapResult> WaitAsync(CoapRequestContext request, CancellationToken cancellationToken)
    {
        Interlocked.Increment(ref _asked);
        await Answer.Task.WaitAsync(cancellationToken);
        return CoapResults.Text(Name);
    }
}
