using CoAP.NET.Dtls;

namespace CoAP.NET.Explorer.Tests.Exploring;

/// <summary>A server with the resources of samples/Server and some of its own, and an explorer that looks at it.</summary>
public sealed class ExplorerWorld : IAsyncLifetime
{
    public const string Psk = "explorer:secret of the tests";

    private const int HeldFrom = 32 * 1024;

    private readonly TaskCompletionSource _gate = new(RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _held = new(RunContinuationsAsynchronously);

    private CoapServer _secured = null!;

    /// <summary>What <c>/slow</c> has, of which the later part comes after <see cref="Release"/> only.</summary>
    public static byte[] SlowBody { get; } = [.. Enumerable.Range(0, 100_000).Select(i => (byte)(i * 7))];

    internal CoapServer Server { get; private set; } = null!;

    internal CoapLocalExplorer Explorer { get; private set; } = null!;

    internal ExplorerPage Page { get; private set; } = null!;

    /// <summary>The address of the server over UDP.</summary>
    public string Coap => Server.LocalEndpoints.First(uri => uri.Scheme == "coap").Origin();

    public string Tcp => Server.LocalEndpoints.First(uri => uri.Scheme == "coap+tcp").Origin();

    public string Coaps => _secured.LocalEndpoints[0].Origin();

    /// <summary>A number that is observed at <c>/count</c>.</summary>
    public int Count { get; private set; }

    /// <summary>How many bodies were put to <c>/file</c>, the last one.</summary>
    public byte[] File { get; private set; } = [];

    public async ValueTask InitializeAsync()
    {
        CoapEndpointOptions secured = new();
        CoapPskCredential credential = CoapPskCredential.Parse(Psk);
        CoapPskDictionary keys = [];
        keys.Add(credential);
        secured.UseDtls(new CoapDtlsOptions { Server = new() { PskStore = keys } });
        _secured = new CoapServer(secured);
        _secured.MapGet("/hello", () => CoapResults.Text("hello, whoever has the key"));
        _secured.Listen("coaps://127.0.0.1:0");
        await _secured.StartAsync();
        Server = new CoapServer();
        global::Server.PlugtestResources.MapTo(Server);
        Server.MapGet("/count", () => CoapResults.Text($"{Count}")).Observable().WithTitle("A number that grows");
        Server.MapGet("/senml", () => CoapResults.Bytes("[{\"bn\":\"urn:dev:1:\",\"n\":\"temp\",\"u\":\"Cel\",\"v\":21.5}]"u8.ToArray(),
            CoapContentFormat.SenmlJson)).Observable();
        Server.MapGet("/cbor", () => CoapResults.Bytes(Convert.FromHexString("a101f5"), CoapContentFormat.Cbor));
        Server.MapPut("/file", (CoapRequestContext request) =>
        {
            File = request.Payload.ToArray();
            return CoapResults.Changed();
        });
        Server.MapGet("/config", () => CoapResults.Text("without a slash"));
        Server.MapGet("/config/", () =>
            CoapResults.Content(CoapContent.Text("with a slash")).WithETag(new CoapETag([0x0a, 0x0b])));
        Server.MapGet("/file", () => CoapResults.Bytes(File, CoapContentFormat.OctetStream));
        Server.MapPost("/echo", (CoapRequestContext request) =>
            CoapResults.Bytes(request.Payload.ToArray(), request.ContentFormat ?? CoapContentFormat.TextPlain));
        Server.MapGet("/never", async (CoapRequestContext _, CancellationToken cancellationToken) =>
        {
            await _held.Task.WaitAsync(cancellationToken);
            return CoapResults.Text("at last");
        });
        Server.MapGet("/slow", (CoapRequestContext _) => CoapResults.Stream(
            new GateStream(SlowBody, HeldFrom, _gate.Task), new CoapETag([1]), CoapContentFormat.OctetStream));
        Server.Listen("coap://127.0.0.1:0").Listen("coap+tcp://127.0.0.1:0");
        await Server.StartAsync();
        Explorer = await CoapLocalExplorer.StartAsync(explorer =>
        {
            explorer.FirstTarget = new CoapUri(Coap);
            explorer.MaxBodySize = 2 * 1024 * 1024;
            explorer.AddProfile(
                "the tests", endpoint => endpoint.UseDtls(new CoapDtlsOptions { Client = new() { Psk = credential } }));
        });
        Page = new ExplorerPage(Explorer);
    }

    public void Release() => _gate.TrySetResult();

    public void Increase()
    {
        Count++;
        Server.Notify("/count");
    }

    public async ValueTask DisposeAsync()
    {
        _held.TrySetResult();
        Release();
        Page.Dispose();
        await Explorer.DisposeAsync();
        await Server.DisposeAsync();
        await _secured.DisposeAsync();
    }
}
