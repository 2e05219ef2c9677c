using System.Net.Security;
using System.Runtime.CompilerServices;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Dtls;
using CoAP.NET.Simulation.Attack;
using CoAP.NET.Tests.Transports.Tcp;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.Simulation.LimitFill;

/// <summary>
/// The server of a row over all transports: <c>limit-fill-server ROW</c>, a process of its own that ends when its standard input does. In
/// tests it is in the process of the test.
/// </summary>
internal sealed class LimitFillServer : IAsyncDisposable
{
    /// <summary>The word by which this program serves.</summary>
    public const string Verb = "limit-fill-server";

    /// <summary>How a line begins that says where it listens.</summary>
    public const string Listening = "listening on ";

    /// <summary>The identity that has a key.</summary>
    public const string Identity = "device-1";

    /// <summary>A line by which it is asked to measure.</summary>
    public const string Measuring = "measure";

    /// <summary>The bytes of a body that needs room of the bounds over datagrams.</summary>
    public const int SmallBody = 3000;

    /// <summary>
    /// The same over connections. Two peers of one address send it over three transports at the same time, which has to fit into the share
    /// of a source: the bounds of the small form are small.
    /// </summary>
    public static int LargeBody(bool isShort) => isShort ? 30_000 : 100_000;

    private readonly LimitFillCase _row;
    private readonly LimitFillSettings _settings;
    private readonly X509Certificate2 _certificate = Certificates.Make("localhost");
    private readonly CoapServer _server;
    private readonly WebApplication _web;
    private readonly ConditionalWeakTable<object, string> _sessions = [];
    private readonly CancellationTokenSource _stop = new();
    private int _numbered;

    public LimitFillServer(LimitFillCase row, bool isShort)
    {
        _row = row;
        _settings = new LimitFillSettings(isShort);
        row.Configure(_settings);
        _settings.Endpoint.Tls = new CoapTlsOptions { Server = new SslServerAuthenticationOptions { ServerCertificate = _certificate } };
        _settings.Dtls.PskStore = new CoapPskDictionary { { Identity, Key } };
        _settings.Dtls.Certificate = _certificate;
        _settings.Endpoint.UseDtls(new CoapDtlsOptions { Server = _settings.Dtls });
        _server = new CoapServer(_settings.Endpoint);
        _server.Listen("coap://127.0.0.1:0").Listen("coap+tcp://127.0.0.1:0").Listen("coaps+tcp://127.0.0.1:0")
            .Listen("coaps://127.0.0.1:0");
        byte[] small = Forged.Pattern(1, SmallBody);
        byte[] large = Forged.Pattern(2, LargeBody(isShort));
        _server.MapGet("/hello", () => "hello").AllowInsecureTransport();
        _server.MapGet("/small", () => CoapResults.Bytes(small)).AllowInsecureTransport();
        _server.MapGet("/large", () => CoapResults.Bytes(large)).AllowInsecureTransport();

        // Made anew for each request, so that each answer has memory of its own.
        _server.MapGet("/huge", _ => CoapResults.Bytes(new byte[1_000_000])).AllowInsecureTransport();
        _server.MapGet("/made", _ => CoapResults.Bytes(new byte[SmallBody])).AllowInsecureTransport();
        _server.MapPost("/small", request => Check(request, small)).AllowInsecureTransport();
        _server.MapPost("/large", request => Check(request, large)).AllowInsecureTransport();
        _server.MapPost("/slow", async (CoapRequestContext _, CancellationToken cancellationToken) =>
        {
            using CancellationTokenSource either = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, _stop.Token);
            await Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, either.Token);
            return CoapResults.Changed();
        }).AllowInsecureTransport();
        _server.MapGet("/watched", () => CoapResults.Text($"{_numbered}")).Observable().AllowInsecureTransport();
        _server.MapGet("/session", request => CoapResults.Text(NameOf(request))).AllowInsecureTransport();
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0));

        // By default Kestrel reads up to 1 MiB of each connection ahead into a pool of its own, which is not what is measured here.
        builder.WebHost.UseSockets(sockets => sockets.MaxReadBufferSize = 64 * 1024);
        _web = builder.Build();
        _web.MapCoapWebSocket(_server);
    }

    public static byte[] Key => Encoding.ASCII.GetBytes("secretPSK-1234567");

    public LimitFillTarget Target { get; private set; } = null!;

    /// <summary>The most that the row's gauge may show.</summary>
    public long Most => _row.Most?.Invoke(_settings) ?? long.MaxValue;

    /// <summary>Serves until the standard input ends, and measures for each line of it.</summary>
    public static async Task<int> RunAsync(string rowName)
    {
        await using LimitFillServer server = new(LimitFillCases.All.Single(row => row.Name == rowName), isShort: false);
        await server.StartAsync();
        Console.WriteLine($"{Listening}{server.Target}");
        while (await Console.In.ReadLineAsync() is not null)
        {
            Console.WriteLine(server.Measure());
        }

        return 0;
    }

    public async Task StartAsync()
    {
        await _server.StartAsync();
        await _web.StartAsync();
        Target = new LimitFillTarget(
            PortOf("coap"),
            PortOf("coap+tcp"),
            PortOf("coaps+tcp"),
            PortOf("coaps"),
            new Uri(_web.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.First()).Port);
    }

    public LimitFillFigures Measure()
    {
        // What is free goes back to the system, so that RSS is what is held.
        GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
        long heap = LiveHeap.Measure();
        return Count() with { Heap = heap, Resident = ProcessFigures.Of(Environment.ProcessId).ResidentBytes };
    }

    /// <summary>The counts alone: in a process with others memory means nothing.</summary>
    public LimitFillFigures Count() => new(0, 0, _row.Gauge?.Invoke(_server) ?? 0, _row.Proof is { } proof ? _server.Counters[proof] : 0);

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await Bounded.EndAsync(_web.DisposeAsync(), "the web server");
        await Bounded.EndAsync(_server.DisposeAsync(), "the CoAP server");
        _certificate.Dispose();
        _stop.Dispose();
    }

    private static CoapResult Check(CoapRequestContext request, byte[] body) =>
        request.Payload.Span.SequenceEqual(body) ? CoapResults.Changed() : CoapResults.BadRequest("The body is another one.");

    // A session or connection keeps its number; one that had to be made anew has another.
    private string NameOf(CoapRequestContext request) =>
        _sessions.GetValue(request.Peer.Connection ?? (object)request.Peer, _ => $"{Interlocked.Increment(ref _numbered)}");

    private int PortOf(string scheme) =>
        _server.LocalEndpoints.Single(one => one.Scheme == scheme).Port;
}

/// <summary>The options of a row's server, which the row changes.</summary>
/// <param name="isShort">Whether they are for the small form, as in tests.</param>
internal sealed class LimitFillSettings(bool isShort)
{
    public CoapEndpointOptions Endpoint { get; } = new();

    public CoapDtlsServerOptions Dtls { get; } = new();

    public CoapLimits Limits => Endpoint.Limits;

    /// <summary>A size: the large one, or that of the small form.</summary>
    public int Size(int large, int small) => isShort ? small : large;

    /// <summary>Trusts no address, so that those of loopback are verified by nothing but an Echo or a handshake.</summary>
    public void TrustNobody() => Endpoint.Limits.Peers.TrustedPrefixes.Clear();
}
