using CoAP.NET.Oscore.Protection;

namespace CoAP.NET.Oscore.Tests.Endpoints;

/// <summary>A client and a server with the contexts A and B of the interoperability tests, on a network in memory.</summary>
internal sealed class OscoreWorld : IAsyncDisposable
{
    public const string ServerUri = "coap://[2001:db8::1]";

    private static readonly byte[] s_secret = Convert.FromHexString("0102030405060708090a0b0c0d0e0f10");

    private readonly List<IAsyncDisposable> _owned = [];
    private ulong _seed;
    private int _port = 50_000;

    public OscoreWorld()
    {
        Network = new InMemoryNetwork(Clock)
        {
            Filter = packet =>
            {
                lock (Wire)
                {
                    Wire.Add(CoapDatagramSerializer.Default.Deserialize((ReadOnlyMemory<byte>)packet.Data.ToArray()));
                }

                return OnPacket?.Invoke(packet) ?? NetworkVerdict.Pass;
            },
        };
    }

    public VirtualClock Clock { get; } = new();

    public InMemoryNetwork Network { get; }

    /// <summary>What was on the wire.</summary>
    public List<CoapMessage> Wire { get; } = [];

    public Func<NetworkPacket, NetworkVerdict>? OnPacket { get; set; }

    public static OscoreContext ClientContext(string? idContext = null, string client = "", string? secret = null) =>
        OscoreContext.CreateVolatile(Parameters(client, "01", idContext, secret));

    public static OscoreContext ServerContext(string? idContext = null, string client = "", string? secret = null) =>
        OscoreContext.CreateVolatile(Parameters("01", client, idContext, secret));

    public static OscoreParameters Parameters(string sender, string recipient, string? idContext = null, string? secret = null) =>
        new(secret is null ? s_secret : Convert.FromHexString(secret), Convert.FromHexString(sender), Convert.FromHexString(recipient))
        {
            MasterSalt = Convert.FromHexString("9e7ca92223786340"),
            IdContext = idContext is null ? null : Convert.FromHexString(idContext),
        };

    /// <summary>Whether the keys of a context cannot be used any more.</summary>
    public static bool IsWiped(OscoreContext context) => Record.Exception(() => context.Keys.Encrypt(
        new byte[context.Parameters.Algorithm.NonceLength], [], new byte[context.Keys.TagLength], [])) is ObjectDisposedException;

    public static string OptionOf(CoapMessage message) =>
        message.Options.TryGetValue(OptionNumber.Oscore, out ReadOnlySpan<byte> value) ? Convert.ToHexStringLower(value) : "none";

    public CoapServer Server(params OscoreContext[] contexts) => Server(options =>
    {
        OscoreContexts all = new();
        foreach (OscoreContext context in contexts)
        {
            all.Add(context);
        }

        options.UseOscore(all);
    });

    public CoapServer Server(Action<CoapEndpointOptions> configure, string address = "[2001:db8::1]:5683")
    {
        CoapServer server = new(Options(configure));
        server.Endpoint.AddTransport(Network.CreateTransport(InMemoryNetwork.Address(address)));
        _owned.Add(server);
        return server;
    }

    /// <summary>A server that also asks, at the client's address.</summary>
    public CoapServer Device(OscoreContext context)
    {
        CoapServer device = new(Options(options => options.UseOscore(new OscoreContexts().Add(ServerUri, context))));
        device.Endpoint.AddTransport(Network.CreateTransport(InMemoryNetwork.Address("[2001:db8::2]:5683")));
        _owned.Add(device);
        return device;
    }

    public CoapClient Client(OscoreContext? context, Action<CoapEndpointOptions>? configure = null)
    {
        CoapClient client = new(Options(options =>
        {
            if (context is not null)
            {
                options.UseOscore(new OscoreContexts().Add(ServerUri, context));
            }

            configure?.Invoke(options);
        }));
        client.Endpoint.AddTransport(Network.CreateTransport(InMemoryNetwork.Address($"[2001:db8::2]:{_port++}")));
        _owned.Add(client);
        return client;
    }

    public Task<T> RunAsync<T>(Task<T> task) => Clock.AdvanceUntilAsync(task, FromMinutes(10));

    public Task<CoapResponse> SendAsync(CoapClient client, CoapRequest request) => RunAsync(client.SendAsync(request));

    public Task<CoapResponse> GetAsync(CoapClient client, string path) =>
        SendAsync(client, new CoapRequest(CoapMethod.Get, ServerUri + path));

    /// <summary>All OSCORE options on the wire with a Partial IV, of requests or of responses.</summary>
    public List<string> Numbers(bool ofRequests)
    {
        lock (Wire)
        {
            return [.. Wire.Where(message => message.Code.IsRequest == ofRequests)
                .Select(message => message.Options.TryGetValue(OptionNumber.Oscore, out ReadOnlySpan<byte> value)
                    && OscoreOptionValue.TryRead(value, out OscoreOptionValue option) && option.HasPartialIv
                        ? Convert.ToHexStringLower(option.PartialIv)
                        : null)
                .OfType<string>()];
        }
    }

    public async ValueTask DisposeAsync()
    {
        foreach (IAsyncDisposable one in _owned)
        {
            await one.DisposeAsync();
        }
    }

    public CoapEndpointOptions Options(Action<CoapEndpointOptions> configure)
    {
        CoapEndpointOptions options = new()
        {
            TimeProvider = Clock,
            Pipeline = { Random = new VirtualRandom(++_seed), Scheduler = new VirtualScheduler(Clock) },
        };
        configure(options);
        return options;
    }
}
