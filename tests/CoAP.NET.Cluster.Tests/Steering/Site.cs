using CoAP.NET.Cluster.Stores;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Cluster.Tests.Steering;

/// <summary>Nodes behind a balancer, and devices that talk to them the whole time.</summary>
internal sealed class Site : IAsyncDisposable
{
    private static readonly byte[] s_key = "secretPSK-1234567"u8.ToArray();
    private static readonly TimeSpan s_patience = FromMinutes(4);

    private readonly CoapPskDictionary _keys = [];
    private readonly List<CoapClient> _devices = [];
    private readonly List<SiteDevice> _serving = [];
    private readonly List<SiteNode> _started = [];
    private readonly ConcurrentDictionary<string, int> _served = new();
    private readonly CancellationTokenSource _quiet = new();
    private readonly List<Task> _talks = [];
    private readonly StringWriterLogger _log = new();
    private int _said;

    public CoapMemoryCluster Memory { get; } = new();

    public NodeHub Hub { get; init; } = new();

    public TestBalancer Balancer { get; } = new();

    public List<SiteNode> Nodes { get; } = [];

    /// <summary>How many requests were answered.</summary>
    public int Said => Volatile.Read(ref _said);

    /// <summary>How often unsafe requests were served more than once.</summary>
    public int ServedTwice => _served.Values.Sum(times => times - 1);

    /// <summary>How often unsafe requests were served.</summary>
    public int Served => _served.Values.Sum();

    /// <summary>What the nodes have logged.</summary>
    public string Log => _log.ToString();

    public IReadOnlyList<CoapClient> Devices => _devices;

    /// <summary>The port that all nodes share, without the balancer; 0: each has its own.</summary>
    public int SharedPort { get; private init; }

    /// <summary>How long slots wait for requests; null for long.</summary>
    public TimeSpan? ReleaseTimeout { get; private init; }

    public static async Task<Site> StartAsync(int nodes, int devices, int sharedPort = 0, TimeSpan? release = null)
    {
        Site site = new() { SharedPort = sharedPort, ReleaseTimeout = release };
        for (int i = 0; i < nodes; i++)
        {
            await site.AddAsync();
        }

        await site.FairAsync();
        for (int i = 0; i < devices; i++)
        {
            site.AddDevice();
        }

        await Task.WhenAll(site._devices.Select(site.AskAsync));
        return site;
    }

    /// <summary>A further device, which has no session yet.</summary>
    public CoapClient AddDevice()
    {
        string name = $"device-{_devices.Count}";
        _keys.Add(name, s_key);
        CoapClient device = new(new CoapEndpointOptions
        {
            Parameters = CoapTransmissionParameters.Default with
            {
                AckTimeout = FromMilliseconds(200),
                MaxRetransmit = 11,
            },
        }.UseDtls(new CoapDtlsOptions
        {
            Client = new CoapDtlsClientOptions { Psk = new CoapPskCredential(name, s_key) },
            // A handshake means that a session was lost, however slow the machine is.
            SilenceToProbe = FromMinutes(10),
            HandshakeTimeout = FromMinutes(3),
        }));
        _devices.Add(device);
        return device;
    }

    /// <summary>A further device that can be observed, with a session.</summary>
    public async Task<SiteDevice> AddServingDeviceAsync()
    {
        string name = $"meter-{_serving.Count}";
        _keys.Add(name, s_key);
        SiteDevice device = new(name, s_key);
        _serving.Add(device);
        await device.StartAsync();
        await device.SpeakAsync(Uri("who")).Says(name);
        return device;
    }

    public async Task<SiteNode> AddAsync(TimeSpan? lease = null, TimeProvider? time = null)
    {
        SiteNode node = await SiteNode.StartAsync(Hub, Memory, _keys, Serve, _log, lease, time, SharedPort, ReleaseTimeout);
        Nodes.Add(node);
        _started.Add(node);
        Use();
        return node;
    }

    /// <summary>The balancer sends to the nodes that there are.</summary>
    public void Use() => Balancer.Use([.. Nodes.Select(node => node.Address)]);

    /// <summary>Waits until the nodes share the slots and know each other.</summary>
    public async Task FairAsync()
    {
        await SharingNodes.FairAsync([.. Nodes.Select(node => node.Cluster)]);
        await Eventually.IsTrueAsync(() => Nodes.All(node => node.Cluster.Peers.Up.Count >= Nodes.Count - 1));
    }

    /// <summary>A device asks, and is answered.</summary>
    public async Task AskAsync(CoapClient device)
    {
        CoapRequest request = new(CoapMethod.Get, Uri("who")) { Timeout = s_patience };
        await device.SendAsync(request).Says($"device-{_devices.IndexOf(device)}");
    }

    /// <summary>A device sends an unsafe request, and is answered.</summary>
    public async Task CountAsync(CoapClient device, string name)
    {
        CoapRequest count = new(CoapMethod.Post, Uri($"count?{name}")) { Timeout = s_patience };
        await device.SendAsync(count).Gives(CoapCode.Changed);
    }

    /// <summary>Where devices ask for a resource.</summary>
    public string Uri(string path) => $"coaps://127.0.0.1:{(SharedPort != 0 ? SharedPort : Balancer.Port)}/{path}";

    /// <summary>All devices begin to talk: one Confirmable request after the other, every second one unsafe.</summary>
    public void Talk()
    {
        foreach (CoapClient device in _devices)
        {
            _talks.Add(TalkAsync(device));
        }
    }

    /// <summary>Waits until some more requests were answered.</summary>
    public async Task MoreAsync(int count = 20)
    {
        int until = Said + count;
        await Eventually.IsTrueAsync(() => Said >= until || _talks.Any(talk => talk.IsCompleted));
    }

    /// <summary>Ends the talk; throws when a request was lost.</summary>
    public async Task QuietAsync()
    {
        await _quiet.CancelAsync();
        try
        {
            await Task.WhenAll(_talks);
        }
        catch (CoapException exception)
        {
            throw new InvalidOperationException(Describe(), exception);
        }
    }

    /// <summary>What happened to its nodes, for whoever wonders why something was lost.</summary>
    public string Describe() => $"{string.Join("\n", _started.Select(node => node.Describe()))}\n{_log}";

    public void AssertNobodyShookHandsAgain() =>
        Assert.All(_devices, device => Assert.Equal(1, device.Endpoint.Counters[CoapCounter.ConnectionsOpened]));

    public async ValueTask DisposeAsync()
    {
        await _quiet.CancelAsync();
        foreach (CoapClient device in _devices)
        {
            await device.DisposeAsync();
        }

        foreach (SiteDevice device in _serving)
        {
            await device.DisposeAsync();
        }

        foreach (SiteNode node in _started)
        {
            await node.DisposeAsync();
        }

        await Balancer.DisposeAsync();
        _quiet.Dispose();
    }

    private async Task TalkAsync(CoapClient device)
    {
        for (int i = 0; !_quiet.IsCancellationRequested; i++)
        {
            await AskAsync(device);
            await CountAsync(device, $"{_devices.IndexOf(device)}-{i}");
            Interlocked.Add(ref _said, 2);
        }
    }

    private CoapResult Serve(CoapRequestContext request)
    {
        string name = $"{(request.Peer.Identity as CoapDtlsPeerIdentity)?.PskIdentity}";
        if (request.Method == CoapMethod.Get)
        {
            return CoapResults.Text(name);
        }

        _served.AddOrUpdate(string.Concat(request.Queries), 1, (_, times) => times + 1);
        return CoapResults.Changed();
    }
}
