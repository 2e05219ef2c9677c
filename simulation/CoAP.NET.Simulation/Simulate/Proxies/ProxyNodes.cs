namespace CoAP.NET.Simulation.Simulate.Proxies;

/// <summary>The servers, the proxies and the clients of a run, each of which can be restarted with the loss of all that it knew.</summary>
internal sealed class ProxyNodes : IAsyncDisposable
{
    public const int Clients = 4;

    // How clients come to the first proxy, and who they are there.
    private static readonly string[] s_entries = ["coap", "coap+tcp", "coaps", "coaps"];
    private static readonly string?[] s_identities = [null, null, "alice", "bob"];

    private readonly ProxyPlan _plan;
    private readonly CoapClient[] _clients = new CoapClient[Clients];
    private ulong _made;

    public ProxyNodes(ProxyPlan plan, string? plant)
    {
        _plan = plan;
        Network = new InMemoryNetwork(Clock, new InMemoryNetworkOptions { Seed = plan.Seed, MaxTraceLength = 0 });
        Origins = [.. Enumerable.Range(0, ProxyOrigin.Count).Select(i => new ProxyOrigin(i, Clock))];
        Proxies = [.. Enumerable.Range(0, plan.Proxies).Select(i => new ProxyHop(i, plan, Clock, plant))];
    }

    public VirtualClock Clock { get; } = new();

    public InMemoryNetwork Network { get; }

    public IReadOnlyList<ProxyOrigin> Origins { get; }

    public IReadOnlyList<ProxyHop> Proxies { get; }

    /// <summary>How often somebody was restarted or cut off from somebody else.</summary>
    public int Disturbances { get; private set; }

    public static string IdentityOf(int client) => s_identities[client] ?? IdentityUpstreamClient.Nobody;

    public CoapClient Client(int client) => _clients[client];

    public async Task StartAsync()
    {
        foreach (ProxyOrigin origin in Origins)
        {
            await origin.StartAsync(Network, MakeOptions());
        }

        foreach (ProxyHop proxy in Proxies)
        {
            await proxy.StartAsync(Network, Configure, Origins);
        }

        for (int i = 0; i < Clients; i++)
        {
            StartClient(i);
        }
    }

    /// <summary>Makes a request to the first proxy.</summary>
    /// <param name="step">Who asks which server in which way.</param>
    /// <param name="path">The path there.</param>
    /// <param name="method">The method.</param>
    public CoapRequest Make(ProxyStep step, string path, CoapMethod? method = null)
    {
        string entry = $"{s_entries[step.Client]}://{ProxyHop.HostOf(0)}";
        string prefix = ProxyHop.PrefixOf(step.Origin, step.Scheme);
        string host = Origins[step.Origin].Host;

        // Nobody but the last proxy can know that a path of it stands for something secured.
        ProxyWay way = step.Scheme == OriginScheme.Secured && _plan.Proxies > 1 && step.Way != ProxyWay.Scheme ? ProxyWay.Uri : step.Way;
        CoapRequest request = new(method ?? step.Method, way switch
        {
            ProxyWay.Scheme => $"{entry}/{path}",
            ProxyWay.Reverse => $"{entry}/{prefix}/{path}",
            _ => entry,
        });
        if (way == ProxyWay.Scheme)
        {
            request.Options.Add(new ProxySchemeOption(ProxyHop.SchemeOf(step.Scheme)));
            request.Options.Add(OptionNumber.UriHost, Encoding.ASCII.GetBytes(host));
        }
        else if (way != ProxyWay.Reverse)
        {
            request.Options.Add(new ProxyUriOption(way == ProxyWay.Uri ? $"{ProxyHop.SchemeOf(step.Scheme)}://{host}/{path}"
                : $"coap://{Proxies[^1].Host}/{prefix}/{path}"));
        }

        if (step.HopLimit > 0)
        {
            request.Options.Add(new HopLimitOption((byte)step.HopLimit));
        }

        return request;
    }

    /// <summary>A request that depends on who asks.</summary>
    /// <param name="client">Who asks.</param>
    public static CoapRequest MakeWho(int client) => new(CoapMethod.Get, $"{s_entries[client]}://{ProxyHop.HostOf(0)}/who");

    /// <summary>Registers with a server once more, beside the proxies: what a proxy does that does not know what it observes.</summary>
    public Task ObserveBesideAsync() => _clients[0].ObserveAsync($"coap://{Origins[0].Host}/state/0");

    /// <summary>What is left of requests and observations; empty for nothing.</summary>
    public string Left()
    {
        int[] left =
        [
            .. Proxies.SelectMany(one => (int[])[one.Counters.InProgress, one.Counters.Observations, one.ObserverCount]),
            .. Origins.Select(one => one.ObserverCount),
        ];
        return Array.TrueForAll(left, count => count == 0) ? ""
            : "of each proxy what is under way, its registrations and its observers, and observers of the servers: "
                + string.Join(", ", left);
    }

    public async Task RestartOriginAsync(int origin)
    {
        Disturbances++;
        await CloseAsync(Origins[origin].CloseAsync());
        await Origins[origin].StartAsync(Network, MakeOptions());
    }

    public async Task RestartProxyAsync(int proxy)
    {
        Disturbances++;
        foreach (IAsyncDisposable part in Proxies[proxy].Close())
        {
            await CloseAsync(part.DisposeAsync());
        }

        await Proxies[proxy].StartAsync(Network, Configure, Origins);
    }

    public async Task RestartClientAsync(int client)
    {
        Disturbances++;
        await CloseAsync(_clients[client].DisposeAsync());
        StartClient(client);
    }

    public void CutClient(int client)
    {
        Disturbances++;
        Network.Partition(InMemoryNetwork.Address(HostOfClient(client)), InMemoryNetwork.Address(ProxyHop.HostOf(0)));
    }

    /// <summary>Cuts a proxy off from the next one, or the last one from a server.</summary>
    public void CutProxy(int proxy, int origin)
    {
        Disturbances++;
        Network.Partition(
            InMemoryNetwork.Address(ProxyHop.HostOf(proxy)),
            InMemoryNetwork.Address(proxy + 1 < Proxies.Count ? ProxyHop.HostOf(proxy + 1) : Origins[origin].Host));
    }

    public async ValueTask DisposeAsync()
    {
        foreach (CoapClient? client in _clients)
        {
            await CloseAsync(client?.DisposeAsync() ?? default);
        }

        foreach (IAsyncDisposable part in Proxies.SelectMany(one => one.Close()).Where(part => part is not null))
        {
            await CloseAsync(part.DisposeAsync());
        }

        foreach (ProxyOrigin origin in Origins)
        {
            await CloseAsync(origin.CloseAsync());
        }
    }

    private static string HostOfClient(int client) => $"[2001:db8:{client + 0x10:x}::2]";

    private Task CloseAsync(ValueTask closing) => Clock.AdvanceUntilAsync(closing.AsTask(), TimeSpan.FromMinutes(5));

    private CoapEndpointOptions MakeOptions()
    {
        CoapEndpointOptions options = new();
        Configure(options);
        return options;
    }

    private void Configure(CoapEndpointOptions options)
    {
        options.TimeProvider = Clock;
        options.Pipeline.Random = new VirtualRandom((_plan.Seed * 1009) + ++_made);
        options.Pipeline.Scheduler = new VirtualScheduler(Clock);
    }

    private void StartClient(int client)
    {
        CoapClient made = new(MakeOptions());
        CoapAddress address = InMemoryNetwork.Address($"{HostOfClient(client)}:{40_000 + client}");
        made.Endpoint.AddTransport(Network.CreateTransport(s_entries[client], address,
            s_identities[client] is { } identity ? CoapTestIdentity.From(new CoapNamedPeerIdentity(identity)) : null));
        _clients[client] = made;
    }
}
