using System.Collections.Concurrent;
using System.Globalization;
using System.Text;
using CoAP.NET.Options;
using CoAP.NET.Proxy;
using CoAP.NET.Testing;

namespace CoAP.NET.Simulation.Simulate.Proxies;

/// <summary>The servers, the proxy and the clients of a run, each of which can be restarted with the loss of all that it knew.</summary>
/// <param name="seed">Where chance begins.</param>
/// <param name="plant">The planted defect; null for none.</param>
internal sealed class ProxyNodes(ulong seed, string? plant) : IAsyncDisposable
{
    private const string ProxyHost = "[2001:db8::1]";

    // Forward and reverse proxies ask by clients of their own.
    private const int Ways = 2;

    private readonly ConcurrentDictionary<int, int> _runs = [];
    private readonly int[] _values = new int[ProxyRun.Origins * 2];
    private readonly CoapServer[] _origins = new CoapServer[ProxyRun.Origins];
    private readonly bool[] _hasEnded = new bool[ProxyRun.Origins];
    private CoapServer _proxyServer = null!;
    private CoapProxy _proxy = null!;
    private bool _wasProxyRestarted;
    private ulong _made;

    public VirtualClock Clock { get; } = new();

    public InMemoryNetwork Network { get; private set; } = null!;

    public CoapClient[] Clients { get; } = new CoapClient[ProxyRun.Clients];

    public int Restarts { get; private set; }

    /// <summary>The answer of a server to a request.</summary>
    public static byte[] Answer(int origin, int id, ReadOnlySpan<byte> body) =>
        [.. Encoding.ASCII.GetBytes($"{origin}/{id}/"), .. body];

    public async Task StartAsync()
    {
        Network = new InMemoryNetwork(Clock, new InMemoryNetworkOptions { Seed = seed });
        for (int i = 0; i < ProxyRun.Origins; i++)
        {
            await StartOriginAsync(i).ConfigureAwait(false);
        }

        await StartProxyAsync().ConfigureAwait(false);
        for (int i = 0; i < ProxyRun.Clients; i++)
        {
            StartClient(i);
        }
    }

    public CoapRequest Make(CoapMethod method, ProxyWay way, int origin, string path)
    {
        CoapRequest request = new(method, way switch
        {
            ProxyWay.Uri => $"coap://{ProxyHost}",
            ProxyWay.Scheme => $"coap://{ProxyHost}/{path}",
            _ => $"coap://{ProxyHost}/o{origin}/{path}",
        });
        if (way == ProxyWay.Uri)
        {
            request.Options.Add(new ProxyUri($"coap://{HostOf(origin)}/{path}"));
        }
        else if (way == ProxyWay.Scheme)
        {
            request.Options.Add(new ProxyScheme("coap"));
            request.Options.Add(OptionNumber.UriHost, Encoding.ASCII.GetBytes(HostOf(origin)));
        }

        return request;
    }

    public void Change(int origin, int state)
    {
        _values[(origin * 2) + state]++;
        _origins[origin].Notify($"/state/{state}");
    }

    public string TextOf(int origin, int state) =>
        string.Create(CultureInfo.InvariantCulture, $"{origin}.{state}={_values[(origin * 2) + state]}");

    /// <summary>Has everything that can be observed at a server vanish.</summary>
    public void EndStatesOf(int origin)
    {
        _hasEnded[origin] = true;
        Change(origin, 0);
        Change(origin, 1);
    }

    /// <summary>Registers with a server once more, beside the proxy: what a proxy does that does not know what it observes.</summary>
    public Task ObserveBesideAsync() => Clients[0].ObserveAsync($"coap://{HostOf(0)}/state/0");

    public int RunsOf(int id) => _runs.GetValueOrDefault(id);

    public int ObserversOf(int origin, int state) => _origins[origin].CountObservers($"/state/{state}");

    /// <summary>What should not be: more registrations of the proxy than there are things to observe.</summary>
    public IEnumerable<string> WrongRegistrations()
    {
        if (_proxy.GetCounters().Observations is var count and > ProxyRun.Origins * 2 * Ways)
        {
            yield return $"at {Clock.Elapsed}: the proxy has {count} registrations for {ProxyRun.Origins * 2} resources";
        }

        // A server may still have those of a proxy that has forgotten them.
        for (int at = 0; at < ProxyRun.Origins * 2 && !_wasProxyRestarted; at++)
        {
            if (ObserversOf(at / 2, at % 2) is var twice and > Ways)
            {
                yield return $"at {Clock.Elapsed}: origin {at / 2} has {twice} registrations of the proxy for state {at % 2}";
            }
        }
    }

    /// <summary>What is left of requests and observations; empty for nothing.</summary>
    public string Left()
    {
        CoapProxyCounters counters = _proxy.GetCounters();
        int[] left =
        [
            counters.UnderWay, counters.Observations, _proxyServer.ObserverCount, .. _origins.Select(static one => one.ObserverCount),
        ];
        return Array.TrueForAll(left, static count => count == 0) ? ""
            : $"under way, registrations of the proxy, observers of the proxy, observers of the servers: {string.Join(", ", left)}";
    }

    public async Task RestartOriginAsync(int origin)
    {
        Restarts++;
        await CloseAsync(_origins[origin]).ConfigureAwait(false);
        await StartOriginAsync(origin).ConfigureAwait(false);
    }

    public async Task RestartProxyAsync()
    {
        Restarts++;
        _wasProxyRestarted = true;
        await CloseAsync(_proxyServer).ConfigureAwait(false);
        await CloseAsync(_proxy).ConfigureAwait(false);
        await StartProxyAsync().ConfigureAwait(false);
    }

    public async Task RestartClientAsync(int client)
    {
        Restarts++;
        CoapClient before = Clients[client];
        await CloseAsync(before).ConfigureAwait(false);
        StartClient(client);
    }

    public async ValueTask DisposeAsync()
    {
        foreach (IAsyncDisposable? one in (IAsyncDisposable?[])[.. Clients, _proxyServer, _proxy, .. _origins])
        {
            if (one is not null)
            {
                await CloseAsync(one).ConfigureAwait(false);
            }
        }
    }

    private static string HostOf(int origin) => $"[2001:db8:1::{origin + 1}]";

    private Task CloseAsync(IAsyncDisposable node) => Clock.AdvanceUntilAsync(node.DisposeAsync().AsTask(), TimeSpan.FromMinutes(5));

    private CoapEndpointOptions MakeOptions()
    {
        CoapEndpointOptions options = new();
        Configure(options);
        return options;
    }

    private void Configure(CoapEndpointOptions options)
    {
        options.TimeProvider = Clock;
        options.Random = new VirtualRandom((seed * 1009) + ++_made);
        options.Scheduler = new VirtualScheduler(Clock);
    }

    private async Task StartOriginAsync(int origin)
    {
        CoapServer server = new(MakeOptions());
        server.Map("/echo/{id}", [CoapMethod.Get, CoapMethod.Put, CoapMethod.Post, CoapMethod.Fetch], request =>
        {
            int id = int.Parse(request.Route["id"], CultureInfo.InvariantCulture);
            _runs.AddOrUpdate(id, 1, static (_, count) => count + 1);
            return new CoapResult(
                request.Method == CoapMethod.Get || request.Method == CoapMethod.Fetch ? CoapCode.Content : CoapCode.Changed,
                Answer(origin, plant == "wrong-answer" ? id - 1 : id, request.Payload.Span));
        });
        for (int i = 0; i < 2; i++)
        {
            int state = i;
            server.MapGet($"/state/{state}", _ => _hasEnded[origin] ? CoapResults.NotFound()
                    : CoapResults.Text(TextOf(origin, state)).WithMaxAge(TimeSpan.FromSeconds(ProxyRun.MaxAge)))
                .Observable(TimeSpan.FromSeconds(ProxyRun.MaxAge));
        }

        server.Endpoint.AddTransport(Network.CreateTransport(InMemoryNetwork.Address($"{HostOf(origin)}:5683")));
        await server.StartAsync().ConfigureAwait(false);
        _origins[origin] = server;
    }

    private async Task StartProxyAsync()
    {
        CoapProxyOptions options = new() { ConfigureClient = Configure };
        options.Targets.AllowNetwork("2001:db8:1::/48");
        _proxy = new CoapProxy(options);
        _proxy.Client.Endpoint.AddTransport(Network.CreateTransport(InMemoryNetwork.Address($"{ProxyHost}:50000")));
        _proxy.ConfiguredClient.Endpoint.AddTransport(Network.CreateTransport(InMemoryNetwork.Address($"{ProxyHost}:50001")));
        _proxyServer = new CoapServer(MakeOptions());
        _proxyServer.MapForwardProxy(_proxy);
        for (int i = 0; i < ProxyRun.Origins; i++)
        {
            _proxyServer.MapReverseProxy($"/o{i}/{{*path}}", $"coap://{HostOf(i)}/", _proxy);
        }

        _proxyServer.Endpoint.AddTransport(Network.CreateTransport(InMemoryNetwork.Address($"{ProxyHost}:5683")));
        await _proxyServer.StartAsync().ConfigureAwait(false);
    }

    private void StartClient(int client)
    {
        CoapClient made = new(MakeOptions());
        made.Endpoint.AddTransport(Network.CreateTransport(InMemoryNetwork.Address($"[2001:db8:{client + 0x10:x}::2]:{40_000 + client}")));
        Clients[client] = made;
    }
}
