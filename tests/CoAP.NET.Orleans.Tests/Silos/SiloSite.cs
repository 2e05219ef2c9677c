using System.Collections.Concurrent;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Stores;
using CoAP.NET.Cluster.Tests.Steering;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Orleans.Tests.Silos;

/// <summary>Silos behind a balancer, and devices with Connection IDs.</summary>
internal sealed class SiloSite : IAsyncDisposable
{
    private static readonly byte[] s_key = "secretPSK-1234567"u8.ToArray();
    private static readonly TimeSpan s_patience = FromMinutes(4);

    private readonly SharedMembershipTable _members = new();
    private readonly CoapPskDictionary _keys = [];
    private readonly List<SiloDevice> _serving = [];
    private readonly List<SiloNode> _started = [];
    private readonly ConcurrentDictionary<string, int> _served = new();
    private readonly CancellationTokenSource _quiet = new();
    private readonly List<Task> _talks = [];
    private readonly StringWriterLogger _log = new();
    private int _said;
    private int _state;

    public CoapMemoryCluster Memory { get; } = new();

    public TestBalancer Balancer { get; } = new();

    public List<SiloNode> Silos { get; } = [];

    public List<CoapClient> Devices { get; } = [];

    public int ServedTwice => _served.Values.Sum(times => times - 1);

    /// <summary>How long slots wait for requests; null for long.</summary>
    public TimeSpan? ReleaseTimeout { get; private init; }

    public static async Task<SiloSite> StartAsync(int silos, int devices, TimeSpan? release = null)
    {
        SiloSite site = new() { ReleaseTimeout = release };
        for (int i = 0; i < silos; i++)
        {
            await site.AddAsync();
        }

        await site.FairAsync();
        for (int i = 0; i < devices; i++)
        {
            site.AddDevice();
        }

        await Task.WhenAll(site.Devices.Select(site.AskAsync));
        return site;
    }

    public async Task<SiloNode> AddAsync()
    {
        SiloNode silo = await SiloNode.StartAsync(
            Memory, _members, _keys, _log, Map, ReleaseTimeout);
        Silos.Add(silo);
        _started.Add(silo);
        Use();
        return silo;
    }

    /// <summary>Starts a silo with another secret, which the balancer does not know, and which fails.</summary>
    public async Task<SiloNode> AddStrangerAsync()
    {
        SiloNode silo = await SiloNode.StartStrangerAsync(Memory, _members, _keys, _log, Map);
        _started.Add(silo);
        return silo;
    }

    /// <summary>Takes a silo out of service.</summary>
    public void Remove(SiloNode silo)
    {
        Silos.Remove(silo);
        Use();
    }

    /// <summary>Kills a silo. The others learn of it at once, however busy the machine is.</summary>
    public async Task KillAsync(SiloNode silo)
    {
        Remove(silo);
        await silo.KillAsync();
        await Silos[0].DeclareDeadAsync(silo);
    }

    /// <summary>Waits until each silo has a fair share, each slot one owner, and each owner an activation.</summary>
    public Task FairAsync() => UntilAsync(IsFair);

    /// <summary>Waits until each slot is active at its owner, and none moves.</summary>
    public Task ActiveAsync() => UntilAsync(() => CoapSlot.All.All(slot => Silos.Count(silo =>
        silo.Cluster.FenceOf(slot) is { IsSet: true } fence && silo.Slots.Find(slot) is { IsReady: true, Ended.IsCompleted: false }
        && !silo.Cluster.Releases.IsMoving(slot, fence)) == 1));

    /// <summary>Waits until a condition holds; shows what happened if it never does.</summary>
    public async Task UntilAsync(Func<bool> condition)
    {
        if (!await Eventually.IsTrueOrHangsAsync(condition))
        {
            throw new TimeoutException(Describe());
        }
    }

    public CoapClient AddDevice()
    {
        string name = $"device-{Devices.Count}";
        _keys.Add(name, s_key);
        CoapClient device = new(new CoapEndpointOptions
        {
            Parameters = CoapTransmissionParameters.Default with { AckTimeout = FromMilliseconds(200), MaxRetransmit = 11 },
        }.UseDtls(new CoapDtlsOptions
        {
            Client = new CoapDtlsClientOptions { Psk = new CoapPskCredential(name, s_key) },
            HandshakeTimeout = FromMinutes(3),
        }));
        Devices.Add(device);
        return device;
    }

    /// <summary>A further device that can be asked, with a session.</summary>
    public async Task<SiloDevice> AddServingDeviceAsync()
    {
        string name = $"meter-{_serving.Count}";
        _keys.Add(name, s_key);
        SiloDevice device = new(name, s_key);
        _serving.Add(device);
        await device.StartAsync();
        await device.SpeakAsync(Uri("who")).Says(name);
        return device;
    }

    /// <summary>A device asks, and is answered.</summary>
    public async Task AskAsync(CoapClient device)
    {
        CoapRequest request = new(CoapMethod.Get, Uri("who")) { Timeout = s_patience };
        await device.SendAsync(request).Says($"device-{Devices.IndexOf(device)}");
    }

    public string Uri(string path) => $"coaps://127.0.0.1:{Balancer.Port}/{path}";

    /// <summary>The state that devices observe is another one, which one silo tells.</summary>
    public string Change(SiloNode silo)
    {
        string state = $"{Interlocked.Increment(ref _state)}";
        silo.Server.Notify("/state");
        return state;
    }

    /// <summary>All devices begin to talk: one Confirmable request after the other, every second one unsafe.</summary>
    public void Talk() => _talks.AddRange(Devices.Select(TalkAsync));

    /// <summary>Waits until some more requests were answered.</summary>
    public async Task MoreAsync(int count = 20)
    {
        int until = Volatile.Read(ref _said) + count;
        await Eventually.IsTrueAsync(() => Volatile.Read(ref _said) >= until || _talks.Any(talk => talk.IsCompleted));
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

    public void AssertNobodyShookHandsAgain() =>
        Assert.All(Devices, device => Assert.Equal(1, device.Endpoint.Counters[CoapCounter.ConnectionsOpened]));

    /// <summary>What happened, for whoever wonders why something was lost.</summary>
    public string Describe() => $"{string.Join("\n", _started.Select(silo => silo.Describe()))}\n{_log}";

    public async ValueTask DisposeAsync()
    {
        await _quiet.CancelAsync();
        foreach (CoapClient device in Devices)
        {
            await device.DisposeAsync();
        }

        foreach (SiloDevice device in _serving)
        {
            await device.DisposeAsync();
        }

        foreach (SiloNode silo in Enumerable.Reverse(_started))
        {
            await silo.DisposeAsync();
        }

        await Balancer.DisposeAsync();
        _quiet.Dispose();
    }

    private bool IsFair()
    {
        int share = CoapSlot.Count / Silos.Count;
        return Silos.All(silo => Silos.Sum(other => silo.Cluster.Map.SlotsOf(other.Cluster.Self.Id).Count) == CoapSlot.Count
            && silo.Cluster.Map.SlotsOf(silo.Cluster.Self.Id) is var own && (own.Count == share || own.Count == share + 1)
            && CoapSlot.All.Count(slot => silo.Slots.Find(slot) is not null) == own.Count
            && silo.Cluster.Peers.Up.Count == Silos.Count - 1);
    }

    private void Use() => Balancer.Use([.. Silos.Select(silo => silo.Address)]);

    private void Map(CoapServer server)
    {
        server.MapGet("/who", request => CoapResults.Text(NameOf(request)));
        server.MapPost("/count", request =>
        {
            _served.AddOrUpdate(string.Concat(request.Queries), 1, (_, times) => times + 1);
            return CoapResults.Changed();
        }).AllowInsecureTransport();
        server.MapGet("/state", () => CoapResults.Text($"{Volatile.Read(ref _state)}").WithMaxAge(FromDays(1))).Observable();
    }

    private static string NameOf(CoapRequestContext request) => (request.Peer.Identity as CoapDtlsPeerIdentity)?.PskIdentity ?? "nobody";

    private async Task TalkAsync(CoapClient device)
    {
        for (int i = 0; !_quiet.IsCancellationRequested; i++)
        {
            await AskAsync(device);
            CoapRequest count = new(CoapMethod.Post, Uri($"count?{Devices.IndexOf(device)}-{i}")) { Timeout = s_patience };
            await device.SendAsync(count).Gives(CoapCode.Changed);
            Interlocked.Add(ref _said, 2);
        }
    }
}
