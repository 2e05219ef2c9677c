using CoAP.NET.Oscore.Endpoints;

namespace CoAP.NET.Oscore.Tests.Endpoints;

[Collection(VirtualTimeCollection.Name)]
public sealed class ResolverTests : IAsyncLifetime
{
    private readonly OscoreWorld _world = new();
    private readonly Devices _devices = new();
    private OscoreContexts _contexts = null!;

    public async ValueTask InitializeAsync()
    {
        _contexts = new OscoreContexts { Resolver = _devices };
        CoapServer server = _world.Server(options => options.UseOscore(_contexts));
        server.MapGet("/a", () => CoapResults.Text("a")).RequireOscore();
        await server.StartAsync();
    }

    public async ValueTask DisposeAsync() => await _world.DisposeAsync();

    [Fact]
    public async Task A_context_is_resolved_once_and_kept()
    {
        _devices.Known["07"] = OscoreWorld.ServerContext(client: "07");
        CoapClient client = _world.Client(OscoreWorld.ClientContext(client: "07"));

        CoapResponse first = await _world.GetAsync(client, "/a");
        CoapResponse second = await _world.GetAsync(client, "/a");

        Assert.Equal(("a", "a"), (first.GetText(), second.GetText()));
        Assert.Equal(["07"], _devices.Asked);
        Assert.Equal(1, _contexts.Count);
    }

    [Fact]
    [Rfc("8613-8.2-1")]
    public async Task An_unknown_ID_is_remembered_for_a_minute()
    {
        CoapClient client = _world.Client(OscoreWorld.ClientContext(client: "08"));

        await Assert.ThrowsAsync<CoapUnprotectedResponseException>(() => _world.GetAsync(client, "/a"));
        await Assert.ThrowsAsync<CoapUnprotectedResponseException>(() => _world.GetAsync(client, "/a"));
        Assert.Equal(["08"], _devices.Asked);

        _world.Clock.Advance(FromMinutes(2));
        _devices.Known["08"] = OscoreWorld.ServerContext(client: "08");
        await _world.GetAsync(client, "/a").Says("a");
    }

    [Fact]
    public async Task A_resolver_that_throws_or_returns_a_context_for_another_ID_adds_no_context()
    {
        _devices.Fault = new InvalidOperationException();
        await Assert.ThrowsAsync<CoapUnprotectedResponseException>(
            () => _world.GetAsync(_world.Client(OscoreWorld.ClientContext(client: "09")), "/a"));
        _devices.Fault = null;
        _devices.Known["09"] = OscoreWorld.ServerContext(client: "0a");
        await Assert.ThrowsAsync<CoapUnprotectedResponseException>(
            () => _world.GetAsync(_world.Client(OscoreWorld.ClientContext(client: "09")), "/a"));

        Assert.Equal(2, _devices.Asked.Count);
        Assert.Equal(0, _contexts.Count);
    }

    [Fact]
    public void Forged_IDs_cause_no_more_lookups_than_the_share_of_their_source()
    {
        _devices.Answer = new TaskCompletionSource<OscoreContext?>();
        OscoreResolverLimiter lookups = new(
            _contexts, CoapSourceGroupingRule.Default, new VirtualRandom(1), _world.Clock, telemetry: null);
        for (int source = 1; source <= 2; source++)
        {
            for (int i = 0; i < 1_000; i++)
            {
                _ = lookups.FindAsync(
                    _devices, InMemoryNetwork.Address($"[2001:db8:0:{source}00::{i + 1:x}]:5683"), isVerified: true,
                    new OscoreContextLookupKey([(byte)i, (byte)(i >> 8), (byte)source], hasIdContext: false, default), out _);
            }
        }

        Assert.Equal(2 * _contexts.Limits.MaxLookupsPerSource, _devices.Asked.Count);

        _devices.Answer.SetResult(null);
        for (int i = 0; i < 100; i++)
        {
            _ = lookups.FindAsync(
                _devices, InMemoryNetwork.Address("[2001:db8::9]:5683"), isVerified: true,
                new OscoreContextLookupKey([9, 9, 9], hasIdContext: false, default), out _);
        }

        Assert.Equal((2 * _contexts.Limits.MaxLookupsPerSource) + 1, _devices.Asked.Count);
    }

    [Fact]
    public async Task Each_peer_of_a_trusted_network_has_its_own_share_of_lookups()
    {
        _devices.Answer = new TaskCompletionSource<OscoreContext?>();
        CoapServer server = _world.Server(options =>
        {
            options.Limits.Peers.TrustedPrefixes.Add(System.Net.IPNetwork.Parse("2001:db8:7::/48"));
            options.UseOscore(_contexts);
        }, "[2001:db8::8]:5683");
        await server.StartAsync();

        // Two neighbours in one /56, one of whom asks for too much.
        foreach ((string neighbour, int count) in ((string, int)[])[("[2001:db8:7::1]:1", 100), ("[2001:db8:7::2]:1", 1)])
        {
            using ScriptedPeer peer = _world.Network.CreatePeer(
                InMemoryNetwork.Address(neighbour), InMemoryNetwork.Address("[2001:db8::8]:5683"));
            for (int i = 0; i < count; i++)
            {
                peer.Send(Forged(i, (byte)neighbour[13]));
            }
        }

        Assert.Equal(_contexts.Limits.MaxLookupsPerSource + 1, _devices.Asked.Count);
        Assert.Equal(100 - _contexts.Limits.MaxLookupsPerSource, _contexts.GetCounters().LookupsRefused);
        _devices.Answer.SetResult(null);
    }

    [Fact]
    [Rfc("9175-2.4-1")]
    public async Task A_device_that_proves_its_address_is_looked_up_while_unverified_addresses_exhaust_the_lookups()
    {
        for (int source = 1; source <= (_contexts.Limits.UnverifiedLookupBurst / 200) + 1; source++)
        {
            using ScriptedPeer forger = _world.Network.CreatePeer(
                InMemoryNetwork.Address($"[2001:db8:{source}::1]:1"), InMemoryNetwork.Address("[2001:db8::1]:5683"));
            for (int i = 0; i < 200; i++)
            {
                forger.Send(Forged(i, (byte)source));
            }
        }

        Assert.Equal(_contexts.Limits.UnverifiedLookupBurst, _devices.Asked.Count);
        lock (_world.Wire)
        {
            _world.Wire.Clear();
        }

        _devices.Known["07"] = OscoreWorld.ServerContext(client: "07");
        CoapClient client = _world.Client(OscoreWorld.ClientContext(client: "07"));

        await _world.GetAsync(client, "/a").Says("a");

        Assert.Equal("07", _devices.Asked[^1]);
        CoapMessage[] wire;
        lock (_world.Wire)
        {
            wire = [.. _world.Wire.Where(message => !message.Code.IsEmpty)];
        }

        Assert.Equal([CoapCode.Post, CoapCode.Unauthorized, CoapCode.Post, CoapCode.Changed], wire.Select(message => message.Code));
        Assert.True(wire[1].Options.TryGetValue(OptionNumber.Echo, out ReadOnlySpan<byte> challenge));
        Assert.True(wire[2].Options.TryGetValue(OptionNumber.Echo, out ReadOnlySpan<byte> shown));
        Assert.True(challenge.SequenceEqual(shown));
    }

    private static byte[] Forged(int number, byte source)
    {
        CoapMessage message = new(CoapCode.Post)
        {
            Type = CoapMessageType.NonConfirmable,
            MessageId = (ushort)number,
            Payload = new byte[20],
        };
        message.Options.Add(OptionNumber.Oscore, [0x09, 0x00, (byte)(number >> 8), (byte)number, source]);
        return CoapDatagramSerializer.Default.Serialize(message);
    }

    private sealed class Devices : IOscoreContextResolver
    {
        public Dictionary<string, OscoreContext> Known { get; } = [];

        public List<string> Asked { get; } = [];

        public Exception? Fault { get; set; }

        public TaskCompletionSource<OscoreContext?>? Answer { get; set; }

        public async ValueTask<OscoreContext?> FindAsync(
            ReadOnlyMemory<byte> kid, ReadOnlyMemory<byte>? idContext, CancellationToken cancellationToken)
        {
            Asked.Add(Convert.ToHexStringLower(kid.Span));
            return Fault is not null ? throw Fault
                : Answer is not null ? await Answer.Task
                : Known.GetValueOrDefault(Convert.ToHexStringLower(kid.Span));
        }
    }
}
