using CoAP.NET.Diagnostics;
using CoAP.NET.Transports.Tcp;

namespace CoAP.NET.Interop.Tests.Peers;

/// <summary>Our server with sessions, in this process: on a reliable transport, or over DTLS.</summary>
internal sealed class StreamServer : IAsyncDisposable
{
    public const string Identity = "device-7";
    public const string Key = "secretPSK";

    private byte[] _stored = [];
    private CoapRouteHandlerBuilder? _quiet;
    private string _state = "first";
    private readonly TaskCompletionSource<CoapDisconnection> _ended = new(RunContinuationsAsynchronously);

    private StreamServer(CoapEndpointOptions options)
    {
        Server = new CoapServer(options);
        Server.Endpoint.PeerDisconnected += (_, end) => _ended.TrySetResult(end);
    }

    public CoapServer Server { get; }

    /// <summary>What was put into <c>/store</c> last.</summary>
    public byte[] Stored => Volatile.Read(ref _stored);

    /// <summary>Whom the request for <c>/who</c> or <c>/echo</c> last came from.</summary>
    public object? LastIdentity { get; private set; }

    /// <summary>Starts one.</summary>
    /// <param name="engine">How TCP is driven.</param>
    /// <param name="tls">Certificates, to listen on <c>coaps+tcp</c>; null for plain TCP.</param>
    public static Task<StreamServer> StartAsync(CoapSocketEngine engine, CoapTlsOptions? tls = null) =>
        StartAsync(new CoapEndpointOptions { Transports = { TcpEngine = engine }, Tls = tls }, tls is null ? "coap+tcp" : "coaps+tcp");

    /// <summary>Starts one that listens on <c>coaps</c>.</summary>
    /// <param name="dtls">Keys or certificates.</param>
    public static Task<StreamServer> StartAsync(CoapDtlsOptions dtls) => StartAsync(new CoapEndpointOptions().UseDtls(dtls), "coaps");

    /// <summary>Starts one that listens on <c>coaps</c> and knows <see cref="Identity"/> by <see cref="Key"/>.</summary>
    /// <param name="handshakeTimeout">How long a handshake may take; null for as long as a test.</param>
    public static Task<StreamServer> StartWithKeyAsync(TimeSpan? handshakeTimeout = null) => StartAsync(new CoapDtlsOptions
    {
        Server = new CoapDtlsServerOptions { PskStore = new CoapPskDictionary { { Identity, Encoding.ASCII.GetBytes(Key) } } },
        RetransmitTimeout = TimeSpan.FromMilliseconds(500),
        HandshakeTimeout = handshakeTimeout ?? PeerProcess.HangLimit,
    });

    /// <summary>Waits until a peer that was connected is no more, and says why.</summary>
    public Task<CoapDisconnection> WaitForEndAsync() => _ended.Task.WaitAsync(PeerProcess.HangLimit);

    /// <summary>Waits until so many handshakes have failed. Clients may be gone before the server has read why.</summary>
    public Task WaitForFailuresAsync(int count = 1) =>
        Eventually.IsTrueAsync(() => Server.Counters[CoapCounter.HandshakesFailed] >= count);

    /// <summary>Its address with a path.</summary>
    /// <param name="path">The path.</param>
    /// <param name="host">The name to ask it by; null for its address.</param>
    public string Uri(string path, string? host = null)
    {
        string uri = Server.LocalEndpoints[0].Origin();
        return (host is null ? uri : uri.Replace("127.0.0.1", host)) + path;
    }

    /// <summary>Changes <c>/quiet</c>, which observers are told of.</summary>
    public void Change(string state)
    {
        Volatile.Write(ref _state, state);
        _quiet!.Notify();
    }

    public ValueTask DisposeAsync() => Server.DisposeAsync();

    private static async Task<StreamServer> StartAsync(CoapEndpointOptions options, string scheme)
    {
        StreamServer server = new(options);
        server.Map();
        server.Server.Listen($"{scheme}://127.0.0.1:0");
        await server.Server.StartAsync();
        return server;
    }

    private void Map()
    {
        Server.MapGet("/hello", () => CoapResults.Text("hello world!"));
        Server.MapGet("/store", () => CoapResults.Bytes(Stored));
        Server.MapPut("/store", request =>
        {
            Volatile.Write(ref _stored, request.Payload.ToArray());
            return CoapResults.Changed();
        });
        Server.MapPost("/echo", request =>
        {
            LastIdentity = request.Peer.Identity;
            return CoapResults.Bytes(request.Payload.ToArray());
        });
        Server.MapGet("/who", request =>
        {
            LastIdentity = request.Peer.Identity;
            return CoapResults.Text(request.Peer.Identity switch
            {
                CoapTlsPeerIdentity tls => tls.Certificate?.Subject,
                CoapDtlsPeerIdentity dtls => dtls.PskIdentity ?? dtls.Certificate?.Subject,
                _ => null,
            } ?? "nobody");
        });
        _quiet = Server.MapGet("/quiet", () => CoapResults.Text(Volatile.Read(ref _state)))
            .Observable(observe => observe.MaxAge = TimeSpan.FromHours(1));
    }
}
