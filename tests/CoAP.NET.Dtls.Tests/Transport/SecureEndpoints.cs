using System.Net;
using System.Text;

namespace CoAP.NET.Dtls.Tests.Transport;

/// <summary>A server and clients over coaps on the loopback, with pre-shared keys unless said otherwise.</summary>
internal sealed class SecureEndpoints : IAsyncDisposable
{
    public const string Identity = "device-1";

    private readonly List<CoapClient> _clients = [];

    public SecureEndpoints(Action<CoapDtlsServerOptions>? configure = null, Action<CoapEndpointOptions>? endpoint = null, string bind = "coaps://127.0.0.1:0")
    {
        Keys = new CoapPskDictionary { { Identity, Key } };
        CoapDtlsServerOptions server = new() { PskStore = Keys };
        configure?.Invoke(server);
        CoapEndpointOptions options = new CoapEndpointOptions().UseDtls(new CoapDtlsOptions { Server = server });
        endpoint?.Invoke(options);
        Server = new CoapServer(options);
        Server.Listen(bind);
        Server.MapGet("/who", static request => CoapResults.Text($"{(request.Peer.Identity as CoapDtlsIdentity)?.PskIdentity}"));
        Server.MapGet("/hello", static () => CoapResults.Text("hello"));
    }

    public static byte[] Key => Encoding.ASCII.GetBytes("secretPSK-1234567");

    public CoapPskDictionary Keys { get; }

    public CoapServer Server { get; }

    public string Host => Server.LocalEndpoints.First(static endpoint => endpoint.StartsWith("coaps:", StringComparison.Ordinal));

    public IPEndPoint Endpoint => new(IPAddress.Loopback, new Uri(Host).Port);

    public async Task<SecureEndpoints> StartAsync()
    {
        await Server.StartAsync();
        return this;
    }

    public CoapClient Client(string identity = Identity, byte[]? key = null, Action<CoapDtlsOptions>? configure = null, Action<CoapEndpointOptions>? endpoint = null)
    {
        CoapDtlsOptions dtls = new() { Client = new CoapDtlsClientOptions { Psk = new CoapPskCredential(identity, key ?? Key) }, RetransmitTimeout = TimeSpan.FromMilliseconds(200), HandshakeTimeout = TimeSpan.FromSeconds(5) };
        configure?.Invoke(dtls);
        CoapEndpointOptions options = new CoapEndpointOptions().UseDtls(dtls);
        endpoint?.Invoke(options);
        CoapClient client = new(options);
        _clients.Add(client);
        return client;
    }

    public async ValueTask DisposeAsync()
    {
        foreach (CoapClient client in _clients)
        {
            await client.DisposeAsync();
        }

        await Server.DisposeAsync();
    }
}
