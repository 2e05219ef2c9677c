using CoAP.NET.Oscore.Sequences;
using CoAP.NET.Oscore.Telemetry;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Oscore.Tests.Telemetry;

[Collection(VirtualTimeCollection.Name)]
public sealed class TelemetryTests : IAsyncLifetime
{
    private const string Begin = "<!-- metrics of OSCORE: written by a test -->\n";
    private const string End = "<!-- end of metrics of OSCORE -->\n";

    private readonly OscoreWorld _world = new();
    private readonly Metrics _metrics = new();
    private readonly ListLogger _log = new();
    private readonly OscoreContexts _contexts = new OscoreContexts().Add(OscoreWorld.ServerContext());

    public ValueTask InitializeAsync() => ValueTask.CompletedTask;

    public async ValueTask DisposeAsync()
    {
        await _world.DisposeAsync();
        _metrics.Dispose();
    }

    [Fact]
    public async Task Protected_requests_are_counted_by_outcome_with_their_contexts_and_the_tags_of_the_endpoint()
    {
        await ServeAsync(_contexts);
        CoapClient client = _world.Client(OscoreWorld.ClientContext());
        await _world.GetAsync(client, "/a");
        using ScriptedPeer attacker = _world.Network.CreatePeer(
            InMemoryNetwork.Address("[2001:db8::66]:1000"), InMemoryNetwork.Address("[2001:db8::1]:5683"));

        byte[] replay = CoapDatagramSerializer.Default.Serialize(_world.Wire[0]);
        replay[2] ^= 0xff;
        attacker.Send(replay);
        CoapMessage malformed = new(CoapCode.Post) { Type = CoapMessageType.Confirmable, MessageId = 7, Payload = new byte[20] };
        malformed.Options.Add(CoAP.NET.OptionNumber.Oscore, [0xff]);
        attacker.Send(CoapDatagramSerializer.Default.Serialize(malformed));
        await Assert.ThrowsAsync<CoapUnprotectedResponseException>(
            () => _world.GetAsync(_world.Client(OscoreWorld.ClientContext(client: "7a")), "/a"));
        OscoreContext stranger = OscoreWorld.ClientContext(secret: "ffffffffffffffffffffffffffffffff");
        await Assert.ThrowsAsync<CoapUnprotectedResponseException>(() => _world.GetAsync(_world.Client(stranger), "/a"));

        // The replay window has seen number 0, so the one of the stranger comes second.
        await Assert.ThrowsAsync<CoapUnprotectedResponseException>(() => _world.GetAsync(_world.Client(stranger), "/a"));

        Assert.Equal(
            new OscoreCounters
            {
                MessagesVerified = 1,
                MessagesProtected = 1,
                Replays = 2,
                RequestsMalformed = 1,
                UnknownContexts = 1,
                DecryptionFailures = 1,
            },
            _contexts.GetCounters());
        Assert.Equal(
            new Dictionary<string, long>
            {
                ["coap.oscore.messages{coap.endpoint.name=door,network.io.direction=receive}"] = 1,
                ["coap.oscore.messages{coap.endpoint.name=door,network.io.direction=transmit}"] = 1,
                ["coap.oscore.refusals{coap.endpoint.name=door,coap.oscore.refusal=replay}"] = 2,
                ["coap.oscore.refusals{coap.endpoint.name=door,coap.oscore.refusal=malformed}"] = 1,
                ["coap.oscore.refusals{coap.endpoint.name=door,coap.oscore.refusal=unknown_context}"] = 1,
                ["coap.oscore.refusals{coap.endpoint.name=door,coap.oscore.refusal=decryption}"] = 1,
            },
            _metrics.Read());
        Assert.Single(_log.Of(2301));
        Assert.All(_log.Of(2300), entry => Assert.Equal(LogLevel.Debug, entry.Level));
        Assert.Contains(_log.Of(2300), entry => entry.Text.Contains("kid 7a: UnknownContext", Ordinal));
    }

    [Fact]
    public async Task Invalid_responses_are_counted_by_reason()
    {
        OscoreContexts ours = new OscoreContexts().Add(OscoreWorld.ServerUri, OscoreWorld.ClientContext());
        CoapServer server = await ServeAsync(_contexts);
        server.MapGet("/state", () => CoapResults.Text("state")).Observable();
        CoapClient client = _world.Client(null, options =>
        {
            Configure(options);
            options.UseOscore(ours);
        });
        CoapObservation observation = await _world.RunAsync(client.ObserveAsync(OscoreWorld.ServerUri + "/state"));
        CoapToken token = _world.Wire[0].Token;
        byte[] first = [];
        await NotifyAsync(packet =>
        {
            first = packet.Data.ToArray();
            return NetworkVerdict.Pass;
        });

        // The same one in another message, and one that somebody changed.
        await NotifyAsync(packet => NetworkVerdict.Replace([.. packet.Data.Span[..4], .. first[4..]]));
        await NotifyAsync(packet => NetworkVerdict.Replace([.. packet.Data.Span[..^1], (byte)~packet.Data.Span[^1]]));

        Assert.Equal((1, 1), (ours.GetCounters().ResponsesRepeated, ours.GetCounters().ResponsesForged));
        Assert.Equal(2, _log.Of(2303).Count);
        await observation.DisposeAsync();

        async Task NotifyAsync(Func<NetworkPacket, NetworkVerdict> seen)
        {
            TaskCompletionSource<bool> left = new(RunContinuationsAsynchronously);
            _world.OnPacket = packet =>
            {
                if (packet.From.Port != 5683 || CoapDatagramSerializer.Default.Deserialize(packet.Data).Token != token)
                {
                    return NetworkVerdict.Pass;
                }

                _world.OnPacket = null;
                left.SetResult(true);
                return seen(packet);
            };
            server.Notify("/state");
            await _world.RunAsync(left.Task);
            await _world.GetAsync(client, "/a");
        }
    }

    [Fact]
    public async Task An_unprotected_response_is_counted()
    {
        OscoreContexts ours = new OscoreContexts().Add(OscoreWorld.ServerUri, OscoreWorld.ClientContext(client: "7a"));
        await ServeAsync(_contexts);

        await Assert.ThrowsAsync<CoapUnprotectedResponseException>(
            () => _world.GetAsync(_world.Client(null, options => options.UseOscore(ours)), "/a"));

        Assert.Equal((1, 1), (ours.GetCounters().ResponsesUnprotected, ours.GetCounters().MessagesProtected));
    }

    [Fact]
    public async Task Counters_of_endpoints_with_equal_tags_are_added_and_survive_the_endpoints()
    {
        OscoreContexts others = new OscoreContexts().Add(OscoreWorld.ServerUri, OscoreWorld.ClientContext());
        CoapServer server = await ServeAsync(_contexts);
        CoapClient client = _world.Client(null, options =>
        {
            Configure(options);
            options.UseOscore(others);
        });
        await _world.GetAsync(client, "/a");
        await _world.DisposeAsync();

        Assert.Equal((1, 1), (others.GetCounters().MessagesVerified, _contexts.GetCounters().MessagesVerified));
        Assert.Equal(2, _metrics.Read()["coap.oscore.messages{coap.endpoint.name=door,network.io.direction=receive}"]);
        Assert.Equal(OscoreInstrument.All.Count, _metrics.Instruments.Count);
        Assert.NotNull(server);
    }

    [Fact]
    public async Task Lookups_of_a_resolver_are_counted_and_its_failures_are_logged_once_a_minute()
    {
        FaultyResolver resolver = new();
        OscoreContexts contexts = new() { Resolver = resolver };
        await ServeAsync(contexts);
        for (int i = 0; i < 3; i++)
        {
            await AskAsync("0a");
        }

        resolver.Fault = null;
        await AskAsync("0b");
        resolver.Known = OscoreWorld.ServerContext(client: "0d");
        _world.Clock.Advance(FromMinutes(2));
        await AskAsync("0c");
        CoapClient client = _world.Client(OscoreWorld.ClientContext(client: "0d"));
        await _world.GetAsync(client, "/a");

        OscoreCounters counters = contexts.GetCounters();
        Assert.Equal((4, 1, 1), (counters.LookupsFailed, counters.ContextsNotFound, counters.ContextsFound));
        Assert.Equal((LogLevel.Error, 1), (_log.Of(2305)[0].Level, _log.Of(2305).Count));
        Assert.Single(_log.Of(2306)).Text.Mentions("2 more failures were not logged since the last one");
        Assert.Single(_log.Of(2304));

        async Task AskAsync(string kid) => await Assert.ThrowsAsync<CoapUnprotectedResponseException>(
            () => _world.GetAsync(_world.Client(OscoreWorld.ClientContext(client: kid)), "/a"));
    }

    [Fact]
    public async Task Reservations_are_counted_and_a_failing_store_is_logged()
    {
        FailingStore store = new();
        OscoreContext context = await _world.RunAsync(OscoreContext.OpenAsync(
            OscoreWorld.Parameters("", "01"), store, new VirtualScheduler(_world.Clock), _world.Clock).AsTask());
        OscoreContexts ours = new OscoreContexts().Add(OscoreWorld.ServerUri, context);
        await ServeAsync(_contexts);
        CoapClient client = _world.Client(null, options =>
        {
            Configure(options);
            options.UseOscore(ours);
        });
        await _world.GetAsync(client, "/a");
        Assert.Equal((1, (long)OscoreSequence.MinStep), (ours.GetCounters().Reservations, ours.GetCounters().NumbersReserved));

        store.Fails = true;
        for (ulong i = 1; i < OscoreSequence.MinStep; i++)
        {
            await _world.GetAsync(client, "/a");
        }

        await Assert.ThrowsAnyAsync<CoapException>(() => _world.GetAsync(client, "/a"));

        Assert.InRange(ours.GetCounters().ReservationsFailed, 1, long.MaxValue);
        (LogLevel level, _, string text, _) = Assert.Single(_log.Of(2307));
        Assert.Equal(LogLevel.Error, level);
        text.Mentions("did not confirm a reservation for OSCORE");
    }

    [Fact]
    public async Task A_lost_window_is_counted_as_a_challenge()
    {
        MemoryOscoreStore store = new();
        await OpenAsync(store);
        OscoreContexts contexts = new OscoreContexts().Add(await OpenAsync(store));
        await ServeAsync(contexts);

        // The challenge has a number of its own, and leaves at once.
        Task<CoapResponse> response = _world.Client(OscoreWorld.ClientContext()).SendAsync(
            new CoapRequest(CoapMethod.Get, OscoreWorld.ServerUri + "/a"));
        await _world.Clock.AdvanceUntilAsync(response, FromSeconds(1)).Says("a");

        Assert.Equal(1, contexts.GetCounters().Challenges);
        Assert.Single(_log.Of(2302));
    }

    [Fact]
    public async Task A_warning_is_logged_once_when_nine_tenths_of_the_sequence_numbers_are_used()
    {
        MemoryOscoreStore store = new();
        OscoreStoreKey key = OscoreStoreKey.Of(OscoreWorld.Parameters("", "01"));
        OscoreStoredState state = await store.OpenAsync(key, default);
        await store.ReserveAsync(key, state.Epoch, OscoreSequence.WarningMark, default);
        OscoreContext context = await _world.RunAsync(OscoreContext.OpenAsync(
            OscoreWorld.Parameters("", "01"), store, new VirtualScheduler(_world.Clock), _world.Clock).AsTask());
        await ServeAsync(_contexts);
        CoapClient client = _world.Client(null, options =>
        {
            Configure(options);
            options.UseOscore(new OscoreContexts().Add(OscoreWorld.ServerUri, context));
        });

        for (ulong i = 0; i < 2 * OscoreSequence.MinStep; i++)
        {
            await _world.GetAsync(client, "/a");
        }

        Assert.Equal(LogLevel.Warning, Assert.Single(_log.Of(2308)).Level);
    }

    [Fact]
    public void The_table_of_metrics_matches_the_code()
    {
        StringBuilder table = new("| Name | Instrument | Unit | What | Own tags |\n|---|---|---|---|---|\n");
        foreach (OscoreInstrument instrument in OscoreInstrument.All)
        {
            string tags = instrument.Tag is null
                ? string.Empty
                : $"`{instrument.Tag}`: {string.Join(", ", instrument.Rows.Select(row => row.Value))} ";
            table.Append($"| `{instrument.Name}` | ObservableCounter | {instrument.Unit} | {instrument.Description} | {tags}|\n");
        }

        PageTable.Check("telemetry-metrics.md", Begin, End, table.ToString());

        Assert.Equal(
            Enum.GetValues<OscoreMetric>().Order(),
            OscoreInstrument.All.SelectMany(instrument => instrument.Rows.Select(row => row.Kind)).Order());
    }

    private static async Task<OscoreContext> OpenAsync(MemoryOscoreStore store) =>
        await OscoreContext.OpenAsync(OscoreWorld.Parameters("01", ""), store);

    private void Configure(CoapEndpointOptions options)
    {
        options.Name = "door";
        options.Telemetry.MeterFactory = _metrics;
        options.LoggerFactory = _log;
    }

    private async Task<CoapServer> ServeAsync(OscoreContexts contexts)
    {
        CoapServer server = _world.Server(options =>
        {
            Configure(options);
            options.UseOscore(contexts);
        });
        server.MapGet("/a", () => CoapResults.Text("a")).RequireOscore();
        await server.StartAsync();
        return server;
    }

    private sealed class FaultyResolver : IOscoreContextResolver
    {
        public Exception? Fault { get; set; } = new InvalidOperationException();

        public OscoreContext? Known { get; set; }

        public ValueTask<OscoreContext?> FindAsync(
            ReadOnlyMemory<byte> kid, ReadOnlyMemory<byte>? idContext, CancellationToken cancellationToken) =>
            Fault is not null ? throw Fault : new ValueTask<OscoreContext?>(Known);
    }

    private sealed class FailingStore : IOscoreStore
    {
        private readonly MemoryOscoreStore _store = new();

        public bool Fails { get; set; }

        public ValueTask<OscoreStoredState> OpenAsync(OscoreStoreKey key, CancellationToken cancellationToken) =>
            _store.OpenAsync(key, cancellationToken);

        public ValueTask ReserveAsync(OscoreStoreKey key, ulong epoch, ulong bound, CancellationToken cancellationToken) =>
            Fails ? throw new IOException("The disk is full.") : _store.ReserveAsync(key, epoch, bound, cancellationToken);

        public ValueTask CloseAsync(
            OscoreStoreKey key, ulong epoch, OscoreReceivedNumbers received, CancellationToken cancellationToken) =>
            _store.CloseAsync(key, epoch, received, cancellationToken);
    }
}
