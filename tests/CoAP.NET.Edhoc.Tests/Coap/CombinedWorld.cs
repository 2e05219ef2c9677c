namespace CoAP.NET.Edhoc.Tests.Coap;

/// <summary>A client and a server whose sessions leave security contexts, and what is on the wire between them.</summary>
internal sealed class CombinedWorld : IAsyncDisposable
{
    private readonly Action<EdhocClientOptions>? _configureClient;
    private readonly EdhocClient _connector;

    public CombinedWorld(Action<EdhocServerOptions>? configureServer = null, Action<EdhocClientOptions>? configureClient = null)
    {
        _configureClient = configureClient;
        Edhoc = new EdhocWorld(
            options =>
            {
                options.Contexts = OfServer;
                options.Established = null;
                configureServer?.Invoke(options);
            },
            OfServer);
        Edhoc.Network.Filter = See;
        Client = Edhoc.MakeClient(contexts: OfClient);
        _connector = MakeEdhoc();
        Edhoc.Server.MapPost("/door", request =>
        {
            Served.Add(request.GetText());
            OscoreIdentity identity = (OscoreIdentity)request.Peer.Identity!;
            Peers.Add(identity);
            return CoapResults.Changed(CoapContent.Text(((EdhocCredential)identity.Owner!).Subject!));
        }).RequireOscore();
        Edhoc.Server.MapPost(
            "/body", request => CoapResults.Changed(CoapContent.Text($"{request.Payload.Length}"))).RequireOscore();
    }

    public EdhocWorld Edhoc { get; }

    public OscoreContexts OfServer { get; } = new();

    public OscoreContexts OfClient { get; } = new();

    public CoapClient Client { get; }

    /// <summary>Of each protected request on the wire whether it had the EDHOC option.</summary>
    public List<bool> Seen { get; } = [];

    public List<int> Sizes { get; } = [];

    public List<string> Served { get; } = [];

    public List<OscoreIdentity> Peers { get; } = [];

    /// <summary>Changes the datagrams of protected requests.</summary>
    public Action<byte[]>? Damage { get; set; }

    /// <summary>Changes protected requests.</summary>
    public Action<CoapMessage>? Change { get; set; }

    public Task StartAsync() => Edhoc.Server.StartAsync();

    public EdhocClient MakeEdhoc(Action<EdhocClientOptions>? configure = null) => Edhoc.MakeEdhoc(Client, options =>
    {
        options.Contexts = OfClient;
        options.CombinesFirstRequest = true;
        _configureClient?.Invoke(options);
        configure?.Invoke(options);
    });

    public Task<EdhocResult> ConnectAsync() => Edhoc.RunAsync(() => _connector.ConnectAsync(EdhocWorld.Uri));

    public Task<CoapResponse> PostAsync(string path, string text) =>
        Edhoc.RunAsync(() => Client.PostAsync($"{EdhocWorld.Uri}/{path}", CoapContent.Text(text)));

    public ValueTask DisposeAsync() => Edhoc.DisposeAsync();

    private NetworkVerdict See(NetworkPacket packet)
    {
        if (packet.To.Port != 5683
            || !CoapDatagramSerializer.Default.TryDeserialize(packet.Data, out CoapMessage? message, out _)
            || !message.Code.IsRequest
            || !message.Options.Contains(OptionNumber.Oscore))
        {
            return NetworkVerdict.Pass;
        }

        Seen.Add(message.Options.Contains(OptionNumber.Edhoc));
        Sizes.Add(packet.Data.Length);
        Change?.Invoke(message);
        byte[] data = Change is null ? packet.Data.ToArray() : CoapDatagramSerializer.Default.Serialize(message);
        Damage?.Invoke(data);
        return NetworkVerdict.Replace(data);
    }
}
