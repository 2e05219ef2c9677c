using CoAP.NET.Oscore.Sequences;

namespace CoAP.NET.Oscore.Tests.Endpoints;

/// <summary>Observations under OSCORE (RFC 8613 section 4.1.3.5), tests 5 to 7 of the interoperability tests among them.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class ObservingTests : IAsyncLifetime
{
    private readonly OscoreWorld _world = new();
    private CoapServer _server = null!;
    private CoapRouteHandlerBuilder _route = null!;
    private string _state = "one";

    public async ValueTask InitializeAsync()
    {
        _server = _world.Server(OscoreWorld.ServerContext());
        _server.MapGet("/oscore/hello/1", () => CoapResults.Text("Hello World!")).RequireOscore();
        _route = _server.MapGet("/oscore/observe", () => _state == "end"
            ? CoapResults.InternalServerError()
            : CoapResults.Text(_state)).Observable().RequireOscore();
        await _server.StartAsync();
    }

    public async ValueTask DisposeAsync() => await _world.DisposeAsync();

    [Fact]
    public async Task Test_5_a_resource_that_is_not_observable_answers_without_Observe()
    {
        CoapClient client = _world.Client(OscoreWorld.ClientContext());

        CoapObservation observation = await _world.RunAsync(client.ObserveAsync(Request("/oscore/hello/1")));

        Assert.Equal(CoapObserveState.NotObserving, observation.State);
        observation.Latest!.Says("Hello World!");
        Assert.Equal((CoapCode.Fetch, (uint?)0), (_world.Wire[0].Code, _world.Wire[0].Options.Observe));
        await observation.DisposeAsync();
    }

    [Fact]
    [Rfc("8613-4.1.3.5-1", "8613-4.1.3.5-2", "8613-8-1")]
    public async Task Test_6_each_notification_after_the_first_has_a_sequence_number_including_the_final_error()
    {
        CoapObservation observation = await ObserveAsync();

        await ChangeAsync(observation, "two");
        _state = "end";
        _route.Notify();
        await _world.Clock.AdvanceUntilAsync(() => _route.ObserverCount == 0, FromMinutes(1));

        CoapMessage[] notifications = [.. _world.Wire.Where(message => message.Code.IsResponse)];
        Assert.Equal(["", "0100", "0101"], notifications.Select(OscoreWorld.OptionOf));
        Assert.Equal([CoapCode.Content, CoapCode.Content, CoapCode.Changed], notifications.Select(message => message.Code));
        await observation.DisposeAsync();
    }

    [Fact]
    public async Task The_first_notification_does_not_wait_for_the_store()
    {
        await using OscoreWorld world = new();
        OscoreContext context = await world.RunAsync(OscoreContext.OpenAsync(
            OscoreWorld.Parameters("01", ""), new MemoryOscoreStore(), new VirtualScheduler(world.Clock), world.Clock).AsTask());
        CoapServer server = world.Server(context);
        string text = "one";
        server.MapGet("/state", () => CoapResults.Text(text)).Observable();
        await server.StartAsync();
        CoapObservation observation = await world.RunAsync(
            world.Client(OscoreWorld.ClientContext()).ObserveAsync(OscoreWorld.ServerUri + "/state"));
        world.Clock.Advance(FromMilliseconds(100));

        text = "two";
        server.Notify("/state");
        world.Clock.Advance(FromMilliseconds(100));

        Assert.Equal(["00"], world.Numbers(ofRequests: false));
        await observation.DisposeAsync();
    }

    [Fact]
    public async Task A_registration_whose_outer_Observe_a_hop_removed_is_a_plain_request()
    {
        _world.OnPacket = packet =>
        {
            CoapMessage message = CoapDatagramSerializer.Default.Deserialize(
                (ReadOnlyMemory<byte>)packet.Data.ToArray());
            message.Options.Observe = null;
            return NetworkVerdict.Replace(CoapDatagramSerializer.Default.Serialize(message));
        };

        CoapObservation observation = await _world.RunAsync(
            _world.Client(OscoreWorld.ClientContext()).ObserveAsync(Request("/oscore/observe")));

        Assert.Equal((CoapObserveState.NotObserving, "one"), (observation.State, observation.Latest!.GetText()));
        Assert.Equal(0, _route.ObserverCount);
        await observation.DisposeAsync();
    }

    [Fact]
    public async Task A_notification_without_a_free_sequence_number_is_sent_when_the_store_has_confirmed_more()
    {
        await using OscoreWorld world = new();
        SlowStore store = new(world.Clock);
        OscoreContext context = await world.RunAsync(OscoreContext.OpenAsync(
            OscoreWorld.Parameters("01", ""), store, new VirtualScheduler(world.Clock), world.Clock).AsTask());
        CoapServer server = world.Server(context);
        string text = "one";
        server.MapGet("/state", () => CoapResults.Text(text)).Observable();
        await server.StartAsync();
        CoapObservation observation = await world.RunAsync(
            world.Client(OscoreWorld.ClientContext()).ObserveAsync(OscoreWorld.ServerUri + "/state"));
        for (int i = 0; i < 4; i++)
        {
            world.Clock.Advance(FromSeconds(10));
            while (context.Sequence.TryTake(out _) == SenderSequenceNumberResult.Taken)
            {
                // As if others had used them.
            }

            text = $"state {i}";
            server.Notify("/state");
            world.Clock.Advance(FromMilliseconds(300));
            observation.Latest!.Says(text);
        }

        await observation.DisposeAsync();
    }

    [Fact]
    public async Task Test_7_an_observation_is_cancelled_by_a_separate_protected_request()
    {
        CoapObservation observation = await ObserveAsync();
        await ChangeAsync(observation, "two");

        await observation.DisposeAsync();
        await _world.Clock.AdvanceUntilAsync(() => _route.ObserverCount == 0, FromMinutes(1));

        Assert.Equal(["00", "01"], _world.Numbers(ofRequests: true));
    }

    [Fact]
    [Rfc("8613-7.2-1")]
    public async Task Retransmitted_notifications_have_the_same_bytes_and_each_message_has_its_own_sequence_number()
    {
        CoapObservation observation = await ObserveAsync();
        int lost = 0;
        _world.OnPacket = packet => packet.From.Port == 5683 && lost++ < 4 ? NetworkVerdict.Drop : NetworkVerdict.Pass;

        foreach (string state in (string[])["two", "three", "four"])
        {
            _state = state;
            _route.Notify();
            _world.Clock.Advance(FromSeconds(7));
        }

        await _world.Clock.AdvanceUntilAsync(() => observation.Latest!.GetText() == "four", FromMinutes(5));
        Assert.True(lost >= 4);
        foreach (IGrouping<string, CoapMessage> sent in _world.Wire
            .Where(message => message.Code.IsResponse)
            .GroupBy(OscoreWorld.OptionOf))
        {
            Assert.Single(sent.Select(message => Convert.ToHexString(message.Payload.Span)).Distinct());
        }

        await observation.DisposeAsync();
    }

    [Fact]
    [Rfc("8613-4.1.3.5-3", "8613-8.4.2-1")]
    public async Task Notifications_that_are_old_or_do_not_verify_are_dropped_and_the_observation_continues()
    {
        CoapObservation observation = await ObserveAsync();
        await ChangeAsync(observation, "two");
        CoapMessage second = _world.Wire.Last(message => message.Code == CoapCode.Content);
        _world.OnPacket = packet =>
        {
            byte[] bytes = packet.Data.ToArray();
            bytes[^1] ^= 1;
            return packet.From.Port == 5683 && bytes.Length > 16 ? NetworkVerdict.Replace(bytes) : NetworkVerdict.Pass;
        };
        _state = "spoiled";
        _route.Notify();
        _world.Clock.Advance(FromSeconds(10));
        observation.Latest!.Says("two");

        // The second notification in the place of the fourth, with a larger outer Observe.
        _world.OnPacket = packet => packet.From.Port == 5683 && packet.Data.Length > 16 ? Older(packet, second) : NetworkVerdict.Pass;
        int seen = 0;
        observation.StateChanged += (_, _) => seen++;
        _state = "four";
        _route.Notify();
        _world.Clock.Advance(FromSeconds(10));
        observation.Latest!.Says("two");

        _world.OnPacket = null;
        await ChangeAsync(observation, "five");

        Assert.Equal(0, seen);
        Assert.Equal(["00"], _world.Numbers(ofRequests: true));
        await observation.DisposeAsync();
    }

    [Fact]
    [Rfc("8613-4.1.3.5-4")]
    public async Task Notifications_after_a_reregistration_are_bound_to_the_number_of_the_new_request()
    {
        CoapObservation observation = await ObserveAsync();
        await ChangeAsync(observation, "two");

        await _world.RunAsync(observation.RefreshAsync());
        await ChangeAsync(observation, "three");
        await ChangeAsync(observation, "four");

        Assert.Equal(["00", "01"], _world.Numbers(ofRequests: true));
        Assert.Equal(["", "0100", "", "0101", "0102"],
            _world.Wire.Where(message => message.Code.IsResponse).Select(OscoreWorld.OptionOf));
        await observation.DisposeAsync();
    }

    [Fact]
    public async Task Protected_and_unprotected_observers_at_the_same_address_are_both_notified()
    {
        _server.MapGet("/both", () => CoapResults.Text(_state)).Observable();
        CoapClient secret = _world.Client(OscoreWorld.ClientContext());
        CoapClient plain = _world.Client(null);
        CoapObservation one = await _world.RunAsync(secret.ObserveAsync(Request("/both")));
        CoapObservation other = await _world.RunAsync(plain.ObserveAsync(Request("/both")));

        _state = "two";
        _server.Notify("/both");

        await _world.Clock.AdvanceUntilAsync(
            () => one.Latest!.GetText() == "two" && other.Latest!.GetText() == "two", FromMinutes(1));
        await one.DisposeAsync();
        await other.DisposeAsync();
    }

    private sealed class SlowStore(TimeProvider time) : IOscoreStore
    {
        private readonly MemoryOscoreStore _store = new();

        public ValueTask<OscoreStoredState> OpenAsync(OscoreStoreKey key, CancellationToken cancellationToken) =>
            _store.OpenAsync(key, cancellationToken);

        public async ValueTask ReserveAsync(OscoreStoreKey key, ulong epoch, ulong bound, CancellationToken cancellationToken)
        {
            await Task.Delay(FromMilliseconds(50), time, cancellationToken);
            await _store.ReserveAsync(key, epoch, bound, cancellationToken);
        }

        public ValueTask CloseAsync(
            OscoreStoreKey key, ulong epoch, OscoreReceivedNumbers received, CancellationToken cancellationToken) =>
            _store.CloseAsync(key, epoch, received, cancellationToken);
    }

    private static CoapRequest Request(string path) => new(CoapMethod.Get, OscoreWorld.ServerUri + path);

    private static NetworkVerdict Older(NetworkPacket packet, CoapMessage older)
    {
        CoapMessage message = CoapDatagramSerializer.Default.Deserialize((ReadOnlyMemory<byte>)packet.Data.ToArray());
        CoapMessage replayed = older.Clone();
        replayed.Type = message.Type;
        replayed.MessageId = message.MessageId;
        replayed.Options.Observe = 0xffff;
        return NetworkVerdict.Replace(CoapDatagramSerializer.Default.Serialize(replayed));
    }

    private async Task<CoapObservation> ObserveAsync()
    {
        CoapClient client = _world.Client(OscoreWorld.ClientContext());
        CoapObservation observation = await _world.RunAsync(client.ObserveAsync(Request("/oscore/observe")));
        Assert.Equal((CoapObserveState.Observing, "one"), (observation.State, observation.Latest!.GetText()));
        return observation;
    }

    private async Task ChangeAsync(CoapObservation observation, string state)
    {
        _state = state;
        _route.Notify();
        await _world.Clock.AdvanceUntilAsync(() => observation.Latest!.GetText() == state, FromMinutes(1));
    }
}
