using CoAP.NET.Cluster.Observing;
using CoAP.NET.Observing;

namespace CoAP.NET.Cluster.Tests.Observing;

/// <summary>What waits for the store, and who goes first when it is too much.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class ObserverRecordWriteQueueTests : IAsyncDisposable
{
    private readonly ObserverWorld _world = new();

    private ICoapObserverStore ObserverStore => _world.Server.ObserverStore!;

    private CoapClusterObserverCounters Counters => _world.Cluster.GetObserverCounters();

    [Fact]
    public async Task Registrations_that_are_cancelled_at_once_are_never_written()
    {
        await _world.StartAsync();
        for (int i = 0; i < 10_000; i++)
        {
            ObserverStore.Registered(_world.Observer(1, i));
            ObserverStore.Removed(_world.Observer(1, i), CoapObserverEnd.Deregistered);
        }

        Assert.Equal((0, 10_000), (Counters.Waiting, (int)Counters.Undone));
        await _world.PassAsync(FromSeconds(1));
        Assert.Equal(0, _world.Cluster.Writer.GetCounters().Written);
    }

    [Fact]
    public async Task A_full_queue_drops_the_oldest_registration_of_the_source_with_most_and_none_of_a_new_source()
    {
        await _world.StartAsync(options => options.MaxWaiting = 100);
        _world.Memory.IsAway = true;
        for (int i = 0; i < 500; i++)
        {
            ObserverStore.Registered(_world.Observer(1, i));
        }

        for (int client = 2; client <= 11; client++)
        {
            ObserverStore.Registered(_world.Observer(client, 1));
        }

        Assert.Equal((100, 410), (Counters.Waiting, (int)Counters.Dropped));
        _world.Memory.IsAway = false;
        await _world.AreStoredAsync(100);
        await _world.StopAsync();
        await _world.StartAsync();
        await _world.UntilAsync(() => Counters.Restored == 100);
        Assert.All(Enumerable.Range(2, 10), client => Assert.Equal(1, _world.ObserversOf(client)));
        Assert.Equal(90, _world.ObserversOf(1));
    }

    [Fact]
    public async Task An_observer_that_cancels_while_the_store_is_unavailable_is_not_restored()
    {
        await _world.StartAsync();
        ObserverStore.Registered(_world.Observer(1, 1));
        ObserverStore.Registered(_world.Observer(1, 2));
        await _world.AreStoredAsync(2);

        _world.Memory.IsAway = true;
        ObserverStore.Removed(_world.Observer(1, 1), CoapObserverEnd.Deregistered);
        await _world.PassAsync(FromSeconds(5));
        _world.Memory.IsAway = false;

        await _world.AreStoredAsync(1);
    }

    [Fact]
    public async Task A_registration_before_the_store_is_first_available_is_stored_when_it_becomes_available()
    {
        _world.Memory.IsAway = true;
        await _world.StartAsync();
        ObserverStore.Registered(_world.Observer(1, 1));
        await _world.PassAsync(FromSeconds(5));
        Assert.Equal(1, Counters.Waiting);

        // It is asked again with the next renewal of the lease.
        _world.Memory.IsAway = false;
        await _world.UntilAsync(() => Counters.Waiting == 0);
        await _world.AreStoredAsync(1);
    }

    [Fact]
    public async Task Pending_registrations_are_written_when_the_server_stops()
    {
        await _world.StartAsync();
        ObserverStore.Registered(_world.Observer(1, 1));
        await _world.StopAsync();
        Assert.Equal(1, await _world.CountAsync());
        await _world.StartAsync();
    }

    [Fact]
    public async Task The_record_of_an_observer_that_was_handed_over_stays_in_the_store()
    {
        await _world.StartAsync();
        ObserverStore.Registered(_world.Observer(1, 1));
        ObserverStore.Registered(_world.Observer(1, 2));
        await _world.AreStoredAsync(2);

        ObserverStore.Removed(_world.Observer(1, 1), CoapObserverEnd.HandedOver);
        ObserverStore.Removed(_world.Observer(1, 2), CoapObserverEnd.Lost);

        await _world.AreStoredAsync(1);
        await _world.PassAsync(FromSeconds(1));
        Assert.Equal(1, await _world.CountAsync());
    }

    [Fact]
    public async Task A_registration_that_is_too_long_is_counted_and_not_stored()
    {
        await _world.StartAsync();
        CoapPersistedObserver observer = _world.Observer(1, 1);
        CoapMessage fetch = new(CoapCode.Fetch) { Token = observer.Request.Token, Payload = new byte[70_000] };

        ObserverStore.Registered(new CoapPersistedObserver(observer.Peer, fetch));

        Assert.Equal(1, Counters.TooLong);
        await _world.PassAsync(FromSeconds(1));
        Assert.Equal(0, await _world.CountAsync());
    }

    public ValueTask DisposeAsync() => _world.DisposeAsync();
}
