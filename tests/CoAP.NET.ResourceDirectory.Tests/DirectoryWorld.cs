namespace CoAP.NET.ResourceDirectory.Tests;

/// <summary>A directory and clients of it on a network in memory, in virtual time.</summary>
public sealed class DirectoryWorld : IAsyncDisposable
{
    internal const string Uri = "coap://[2001:db8::1]";

    private readonly List<IAsyncDisposable> _all = [];
    private ulong _seed;

    public DirectoryWorld(Action<CoapDirectoryOptions>? configure = null)
    {
        Network = new InMemoryNetwork(Clock);
        CoapDirectoryOptions options = new() { TimeProvider = Clock };
        configure?.Invoke(options);
        Directory = new CoapDirectoryServer(options);
        Server = new CoapServer(MakeOptions());
        Server.Routes.MapResourceDirectory(Directory).AllowInsecureTransport();
        Server.Endpoint.AddTransport(Network.CreateTransport(InMemoryNetwork.Address("[2001:db8::1]:5683")));
        Server.Endpoint.AddTransport(Network.CreateTransport("coaps", InMemoryNetwork.Address("[2001:db8::1]:5684")));
        Server.Endpoint.AddTransport(Network.CreateTransport("coap+tcp", InMemoryNetwork.Address("[2001:db8::1]:5683")));
        Node = MakeClient("[2001:db8::2]:5683");
    }

    internal VirtualClock Clock { get; } = new();

    internal InMemoryNetwork Network { get; }

    internal CoapDirectoryServer Directory { get; }

    internal CoapServer Server { get; }

    /// <summary>A client that registers and looks up.</summary>
    internal CoapClient Node { get; }

    public async ValueTask DisposeAsync()
    {
        foreach (IAsyncDisposable one in _all)
        {
            await one.DisposeAsync();
        }

        await Server.DisposeAsync();
        await Directory.DisposeAsync();
    }

    internal static async Task<DirectoryWorld> StartAsync(Action<CoapDirectoryOptions>? configure = null)
    {
        DirectoryWorld world = new(configure);
        await world.Directory.StartAsync();
        await world.Server.StartAsync();
        return world;
    }

    internal CoapEndpointOptions MakeOptions() => new()
    {
        TimeProvider = Clock, Pipeline = { Random = new VirtualRandom(++_seed), Scheduler = new VirtualScheduler(Clock) },
    };

    internal CoapServer MakeServer(string address)
    {
        CoapServer server = new(MakeOptions());
        server.Endpoint.AddTransport(Network.CreateTransport(InMemoryNetwork.Address(address)));
        _all.Add(server);
        return server;
    }

    internal CoapClient MakeClient(string address, string scheme = "coap", CoapTestIdentity? identity = null)
    {
        CoapClient client = new(MakeOptions());
        client.Endpoint.AddTransport(scheme == "coap"
            ? Network.CreateTransport(InMemoryNetwork.Address(address))
            : Network.CreateTransport(scheme, InMemoryNetwork.Address(address), identity));
        _all.Add(client);
        return client;
    }

    internal Task<CoapResponse> SendAsync(CoapRequest request, CoapClient? client = null) =>
        Clock.AdvanceUntilAsync((client ?? Node).SendAsync(request), FromMinutes(10));

    internal Task<CoapResponse> PostAsync(string path, string? links = null, CoapClient? client = null, string uri = Uri)
    {
        CoapRequest request = new(CoapMethod.Post, uri + Escape(path));
        if (links is not null)
        {
            request.Content = new CoapContent(Encoding.UTF8.GetBytes(links), CoapContentFormat.LinkFormat);
        }

        return SendAsync(request, client);
    }

    /// <summary>Registers, and expects that it is taken.</summary>
    /// <returns>The location.</returns>
    internal async Task<string> RegisterAsync(string query, string links = "", CoapClient? client = null, string uri = Uri)
    {
        CoapResponse response = await PostAsync("/rd?" + query, links, client, uri);
        Assert.True(response.Code == CoapCode.Created, $"{response.Code} {response.GetText()}");
        return LocationOf(response);
    }

    internal static string LocationOf(CoapResponse response) =>
        "/" + string.Join("/", response.Options.LocationPath);

    internal Task<CoapResponse> DeleteAsync(string path, CoapClient? client = null, string uri = Uri) =>
        SendAsync(new CoapRequest(CoapMethod.Delete, uri + path), client);

    internal Task<CoapResponse> GetAsync(string path, CoapClient? client = null, string uri = Uri) =>
        SendAsync(new CoapRequest(CoapMethod.Get, uri + Escape(path)), client);

    /// <summary>Looks links up.</summary>
    internal async Task<string> LinksAsync(string query = "", CoapClient? client = null) =>
        Text(await GetAsync("/rd-lookup/res" + (query.Length == 0 ? "" : "?" + query), client));

    /// <summary>Looks endpoints up.</summary>
    internal async Task<string> EndpointsAsync(string query = "", CoapClient? client = null) =>
        Text(await GetAsync("/rd-lookup/ep" + (query.Length == 0 ? "" : "?" + query), client));

    private static string Escape(string path) =>
        path.Replace("[", "%5B", Ordinal).Replace("]", "%5D", Ordinal);

    private static string Text(CoapResponse response)
    {
        Assert.True(response.Code == CoapCode.Content, $"{response.Code} {response.GetText()}");
        Assert.Equal(CoapContentFormat.LinkFormat, response.ContentFormat);
        return response.GetText();
    }
}
