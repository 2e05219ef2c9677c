namespace CoAP.NET.Edhoc.Tests.Coap;

/// <summary>A server that answers EDHOC and clients that ask it, on a network in memory, in virtual time.</summary>
public sealed class EdhocWorld : IAsyncDisposable
{
    internal const string Uri = "coap://[2001:db8::1]";

    private readonly List<IAsyncDisposable> _others = [];
    private ulong _seed;
    private int _port = 50_000;

    public EdhocWorld(Action<EdhocServerOptions>? configure = null, OscoreContexts? contexts = null)
    {
        Network = new InMemoryNetwork(Clock);
        ServerKey = Parties.Own(EdhocCurve.P256, 0x32, "server");
        ClientKey = Parties.Own(EdhocCurve.P256, 0x2b, "client");
        EdhocServerOptions options = new()
        {
            TimeProvider = Clock,
            Trust = new EdhocCredentialStore().Add(ClientKey.Credential),
            Settings = Parties.Settings(2, 3),
            Established = (session, peer, _) =>
            {
                Assert.NotNull(peer);
                Established.Add(session.ExportOscore());
                Identities.Add(session.PeerIdentity);
                return ValueTask.CompletedTask;
            },
        };
        options.Credentials.Add(ServerKey);
        configure?.Invoke(options);
        Edhoc = new EdhocServer(options);
        CoapEndpointOptions endpoint = new();
        Configure(endpoint);
        if (contexts is not null)
        {
            endpoint.UseOscore(contexts);
        }

        Server = new CoapServer(endpoint);
        Server.Endpoint.AddTransport(Network.CreateTransport(InMemoryNetwork.Address("[2001:db8::1]:5683")));
        Server.MapEdhoc(Edhoc);
    }

    internal VirtualClock Clock { get; } = new();

    internal InMemoryNetwork Network { get; }

    internal CoapServer Server { get; }

    internal EdhocServer Edhoc { get; }

    internal EdhocOwnCredential ServerKey { get; }

    internal EdhocOwnCredential ClientKey { get; }

    internal List<OscoreParameters> Established { get; } = [];

    internal List<object> Identities { get; } = [];

    public async ValueTask DisposeAsync()
    {
        foreach (IAsyncDisposable other in _others)
        {
            await other.DisposeAsync();
        }

        await Server.DisposeAsync();
        Edhoc.Dispose();
    }

    internal CoapClient MakeClient(string host = "[2001:db8::2]", OscoreContexts? contexts = null)
    {
        CoapEndpointOptions options = new();
        Configure(options);
        if (contexts is not null)
        {
            options.UseOscore(contexts);
        }

        CoapClient client = new(options);
        client.Endpoint.AddTransport(Network.CreateTransport(InMemoryNetwork.Address($"{host}:{_port++}")));
        _others.Add(client);
        return client;
    }

    internal EdhocClient MakeEdhoc(Action<EdhocClientOptions>? configure = null) => MakeEdhoc(MakeClient(), configure);

    internal Task<EdhocResult> ConnectAsync(EdhocClient client) => RunAsync(() => client.ConnectAsync(Uri));

    internal Task<EdhocException> FailAsync(EdhocClient client) => Assert.ThrowsAsync<EdhocException>(() => ConnectAsync(client));

    internal EdhocClient MakeEdhoc(ICoapClient requester, Action<EdhocClientOptions>? configure = null)
    {
        EdhocClientOptions options = new()
        {
            Settings = Parties.Settings(2),
            Trust = new EdhocCredentialStore().Add(ServerKey.Credential),
        };
        configure?.Invoke(options);
        if (options.Credentials.Count == 0)
        {
            options.Credentials.Add(ClientKey);
        }

        return new EdhocClient(requester, options);
    }

    internal Task<T> RunAsync<T>(Func<Task<T>> exchange) => Clock.AdvanceUntilAsync(exchange(), FromMinutes(10));

    internal Task<CoapResponse> PostAsync(CoapClient client, byte[] payload, CoapContentFormat? format = null) => RunAsync(() =>
        client.PostAsync(
            $"{Uri}/.well-known/edhoc", new CoapContent(payload, format ?? CoapContentFormat.CidEdhocCborSequence)));

    private void Configure(CoapEndpointOptions options)
    {
        options.TimeProvider = Clock;
        options.Pipeline.Random = new VirtualRandom(++_seed);
        options.Pipeline.Scheduler = new VirtualScheduler(Clock);
    }
}
