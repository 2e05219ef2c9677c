namespace CoAP.NET.Proxy.Tests;

/// <summary>Observations through a proxy over days, in virtual time, while messages are lost and everybody restarts.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class LongObservationTests
{
    private const int Clients = 3;

    private readonly List<CoapClient> _clients = [];
    private readonly List<CoapObservation> _observations = [];
    private CoapServer _proxyServer = null!;
    private CoapProxy _proxy = null!;
    private CoapServer _origin = null!;
    private CoapRouteHandlerBuilder _state = null!;
    private CoapCode _code = CoapCode.Content;
    private int _value;
    private int _made;

    [Theory]
    [Trait("Category", "Campaign")]
    [MemberData(nameof(Runs))]
    [Rfc("7641-5-1")]
    public async Task Observers_behind_a_proxy_get_the_last_state_under_loss_and_restarts(int seed, int events)
    {
        NetworkConditions lossy = NetworkConditions.Perfect with
        {
            Loss = 0.2,
            MinDelay = FromMilliseconds(20),
            MaxDelay = FromMilliseconds(200),
        };
        await using ProxyWorld world = new(
            options => options.RequireVerified = false,
            new InMemoryNetworkOptions { Seed = (ulong)seed, Conditions = lossy });
        await MapOriginAsync(world.Origin);
        await MapProxyAsync(world.ProxyServer, world.Proxy);
        while (_clients.Count < Clients)
        {
            await BeginClientAsync(world);
        }

        // Each kind of event comes; the order is that of the seed.
        Random random = new(seed);
        int[] order = [.. Enumerable.Range(0, events).Select(i => i % 4)];
        random.Shuffle(order);
        foreach (int kind in order)
        {
            await PassAsync(world, FromHours(1));
            switch (kind)
            {
                case 0:
                    await _origin.DisposeAsync();
                    await MapOriginAsync(world.MakeServer("[2001:db8:1::1]:5683"));
                    break;
                case 1:
                    await _proxyServer.DisposeAsync();
                    await _proxy.DisposeAsync();
                    CoapProxyOptions options = new() { RequireVerified = false };
                    options.Targets.AllowNetwork("2001:db8:1::/48");
                    await MapProxyAsync(world.MakeServer("[2001:db8::1]:5683"), world.MakeProxy(options, "[2001:db8::1]"));
                    break;
                case 2:
                    // Gone without a word.
                    await _clients[0].DisposeAsync();
                    _clients.RemoveAt(0);
                    _observations.RemoveAt(0);
                    await BeginClientAsync(world);
                    break;
                default:
                    break;
            }

            _value++;
            _state.Notify();
            await world.Clock.AdvanceUntilAsync(() => AllHave(CoapCode.Content), FromHours(12));

            // Without a registration at the origin they would hear of the next change no sooner than their Max-Age is over.
            Assert.Equal(1, _proxy.GetCounters().Observations);
        }

        _code = CoapCode.NotFound;
        _state.Notify();
        await world.Clock.AdvanceUntilAsync(() => AllHave(CoapCode.NotFound), FromHours(12));
        foreach (CoapObservation observation in _observations)
        {
            await world.RunAsync(async () =>
            {
                await observation.DisposeAsync();
                return 0;
            });
        }

        await world.Clock.AdvanceUntilAsync(() => _proxy.GetCounters().Observations == 0, FromMinutes(10));
    }

    /// <summary>
    /// A few events in the plain test command. Where COAP_TEST_CAMPAIGN is more than 1 it multiplies the length, and COAP_TEST_SEED says
    /// which events come.
    /// </summary>
    public static TheoryData<int, int> Runs()
    {
        int factor = CampaignSetting.Of("COAP_TEST_CAMPAIGN", 1);
        return factor > 1 ? new() { { CampaignSetting.Of("COAP_TEST_SEED", 2), 40 * factor } } : new() { { 1, 4 } };
    }

    private bool AllHave(CoapCode code)
    {
        Assert.InRange(_proxy.GetCounters().Observations, 0, 1);
        return _observations.TrueForAll(observation =>
            observation.Latest is { } latest && latest.Code == code && (code != CoapCode.Content || latest.GetText() == $"{_value}"));
    }

    private static Task PassAsync(ProxyWorld world, TimeSpan time)
    {
        TimeSpan end = world.Clock.Elapsed + time;
        return world.Clock.AdvanceUntilAsync(() => world.Clock.Elapsed >= end, time * 2);
    }

    private async Task MapOriginAsync(CoapServer origin)
    {
        _origin = origin;
        _state = origin.MapGet("/state", () => _code == CoapCode.Content
            ? CoapResults.Text($"{_value}").WithMaxAge(FromHours(1)) : CoapResults.Status(_code)).Observable();
        await origin.StartAsync();
    }

    private async Task MapProxyAsync(CoapServer server, CoapProxy proxy)
    {
        (_proxyServer, _proxy) = (server, proxy);
        server.MapForwardProxy(proxy);
        await server.StartAsync();
    }

    private async Task BeginClientAsync(ProxyWorld world)
    {
        CoapClient client = world.MakeClient($"[2001:db8:2::{++_made:x}]");
        _clients.Add(client);
        CoapRequest request = ProxyWorld.Ask($"{ProxyWorld.OriginUri}/state");
        for (int attempt = 0; ; attempt++)
        {
            try
            {
                _observations.Add(await world.RunAsync(() => client.ObserveAsync(request), FromHours(1)));
                return;
            }
            catch (CoapTimeoutException) when (attempt < 10)
            {
                // Every copy was lost.
            }
        }
    }
}
