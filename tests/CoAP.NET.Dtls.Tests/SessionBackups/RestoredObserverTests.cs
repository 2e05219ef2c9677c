using CoAP.NET.Diagnostics;
using CoAP.NET.Observing;

namespace CoAP.NET.Dtls.Tests.SessionBackups;

/// <summary>Observers that outlive the process of the server.</summary>
public sealed class RestoredObserverTests
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task An_observer_survives_a_crash_and_gets_the_newest_state_without_registering_again(bool withCid)
    {
        (MemorySessionBackup sessions, ObserverList observers) = (new(), new());
        SecureEndpoints first = Endpoints(sessions, observers, withCid: withCid);
        first.Server.MapGet("/devices/{id}", () => State("one")).Observable();
        await first.StartAsync();
        CoapClient client = first.Client();
        await using CoapObservation observation = await client.ObserveAsync($"{first.Host}/devices/7");
        await using IAsyncEnumerator<CoapResponse> told = observation.ReadAllAsync().GetAsyncEnumerator();
        Assert.True(await told.MoveNextAsync());
        await observers.ChangedAsync();

        // What a table has by now; the first server says nothing more to it.
        List<CoapPersistedObserver> kept = observers.Of(first.Server.Endpoint.ConnectedPeers);
        Assert.Equal(CoapContentFormat.OctetStream, Assert.Single(kept).Format);
        ObserverList table = new();
        table.Registered(kept[0]);
        MemorySessionBackup left = await first.CrashAsync(sessions);

        ObserverList after = new();
        string state = "two";
        await using SecureEndpoints second = Endpoints(left, after, first.Port, withCid);
        second.Server.MapGet("/devices/{id}", () => State(Volatile.Read(ref state))).Observable();
        await second.StartAsync();
        CoapPersistedObserver restored = Assert.Single(table.Of(second.Server.Endpoint.ConnectedPeers));
        Assert.True(second.Server.TryRestoreObserver(restored));
        Assert.False(second.Server.TryRestoreObserver(restored));
        Assert.True(await told.MoveNextAsync());
        Assert.Equal("two"u8, told.Current.Payload.Span);
        await after.ChangedAsync();
        Assert.Equal(["registered"], after.Told);

        Volatile.Write(ref state, "three");
        Assert.Equal(1, second.Server.Notify("/devices/7"));
        Assert.True(await told.MoveNextAsync());
        Assert.Equal("three"u8, told.Current.Payload.Span);
        Assert.Equal(0, second.Server.Counters[CoapCounter.Registrations]);
        Assert.Equal(0, client.Endpoint.Counters[CoapCounter.Reregistrations]);
        Assert.Equal(1, client.Endpoint.Counters[CoapCounter.ConnectionsOpened]);
        await first.DisposeAsync();
    }

    [Fact]
    public async Task An_observer_store_is_notified_of_observers_that_leave_but_not_of_those_present_at_a_stop()
    {
        ObserverList observers = new();
        await using SecureEndpoints secure = Endpoints(new MemorySessionBackup(), observers);
        secure.Server.MapGet("/state", () => CoapResults.Text("on")).Observable();
        await secure.StartAsync();
        CoapClient client = secure.Client();
        CoapObservation left = await client.ObserveAsync($"{secure.Host}/state?a");
        await observers.ChangedAsync();
        await left.DisposeAsync();
        await observers.ChangedAsync();
        await using CoapObservation stays = await client.ObserveAsync($"{secure.Host}/state?b");
        await observers.ChangedAsync();
        Assert.Equal(["registered", "Deregistered", "registered"], observers.Told);

        await secure.Server.DisposeAsync();
        Assert.Equal(3, observers.Told.Count);
    }

    [Fact]
    public async Task The_observers_of_a_session_move_with_the_session_to_another_server()
    {
        (MemorySessionBackup sessions, ObserverList observers) = (new(), new());
        await using SecureEndpoints secure = Endpoints(sessions, observers);
        secure.Server.MapGet("/state", () => CoapResults.Text("on")).Observable();
        await secure.StartAsync();
        await using CoapObservation observation = await secure.Client().ObserveAsync($"{secure.Host}/state");
        await observers.ChangedAsync();
        await CoAP.NET.Tests.Eventually.IsTrueAsync(() => sessions.Count == 1);
        CoapPersistedObserver kept = Assert.Single(observers.Of(secure.Server.Endpoint.ConnectedPeers));

        Assert.Equal(CoapDtlsSessionLoad.Loaded, sessions.Loader.TryLoad(Assert.Single(sessions.States).Value.Span, stamp: 7));

        await observers.ChangedAsync();
        Assert.Equal(["registered", "HandedOver"], observers.Told);

        // One that was about to be put back here belongs to the other server.
        Assert.Equal(CoapObserverRestoreResult.Gone, secure.Server.RestoreObserver(kept));
    }

    [Fact]
    public async Task An_observer_that_is_not_permitted_is_not_restored()
    {
        ObserverList observers = new();
        await using SecureEndpoints secure = Endpoints(new MemorySessionBackup(), observers);
        secure.Server.MapGet("/state", () => CoapResults.Text("on")).Observable();
        secure.Server.MapGet("/plain", () => CoapResults.Text("on"));
        await secure.StartAsync();
        await secure.Client().GetAsync($"{secure.Host}/hello");
        CoapPeer peer = Assert.Single(secure.Server.Endpoint.ConnectedPeers);

        Assert.False(secure.Server.TryRestoreObserver(new CoapPersistedObserver(peer, Registration("plain"))));
        Assert.False(secure.Server.TryRestoreObserver(new CoapPersistedObserver(peer, Registration("nothing"))));
        Assert.False(secure.Server.TryRestoreObserver(new CoapPersistedObserver(peer, Registration("state", observe: 1))));
        Assert.False(secure.Server.TryRestoreObserver(new CoapPersistedObserver(peer, Registration("state", observe: null))));
        Assert.Equal(0, secure.Server.ObserverCount);
        Assert.True(secure.Server.TryRestoreObserver(new CoapPersistedObserver(peer, Registration("state"))));

        // This client never asked for it, and says so.
        await observers.ChangedAsync();
        await observers.ChangedAsync();
        Assert.Equal(["registered", "Rejected"], observers.Told);

        await using SecureEndpoints other = await new SecureEndpoints().StartAsync();
        Assert.Throws<ArgumentException>(() => other.Server.TryRestoreObserver(new CoapPersistedObserver(peer, Registration("state"))));
    }

    [Fact]
    public async Task An_observer_of_a_route_that_forwards_is_restored_with_an_option_that_only_the_next_server_knows()
    {
        await using SecureEndpoints secure = Endpoints(new MemorySessionBackup(), new ObserverList());
        secure.Server.MapGet("/plain", () => CoapResults.Text("on")).Observable();
        secure.Server.MapGet("/gateway", () => CoapResults.Text("on")).Observable().AllowForwarding();
        await secure.StartAsync();
        await secure.Client().GetAsync($"{secure.Host}/hello");
        CoapPeer peer = Assert.Single(secure.Server.Endpoint.ConnectedPeers);

        Assert.Equal(CoapObserverRestoreResult.NotServed, secure.Server.RestoreObserver(new CoapPersistedObserver(peer, With("plain"))));
        Assert.Equal(
            CoapObserverRestoreResult.Restored, secure.Server.RestoreObserver(new CoapPersistedObserver(peer, With("gateway"))));

        static CoapMessage With(string path)
        {
            CoapMessage request = Registration(path);
            request.Options.Add(65_001, "x"u8);
            return request;
        }
    }

    private static CoapResult State(string text) => CoapResults.Bytes(Encoding.UTF8.GetBytes(text), CoapContentFormat.OctetStream);

    private static CoapMessage Registration(string path, uint? observe = 0)
    {
        CoapMessage request = new(CoapCode.Get) { Token = new CoapToken([1, 2, 3]) };
        request.Options.Observe = observe;
        request.Options.Add(new UriPathOption(path));
        return request;
    }

    private static SecureEndpoints Endpoints(MemorySessionBackup sessions, ObserverList observers, int port = 0, bool withCid = true) =>
        new(options => options.SessionBackup = sessions.Options(), options => options.Processes.ObserverStore = observers, port, withCid);
}
