using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Observing;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Servers;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Cluster.Tests.Observing;

/// <summary>Observers over plain coap after a restart of the server.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class RestartTests : IAsyncDisposable
{
    private readonly ObserverWorld _world = new();

    private CoapClusterObserverCounters Counters => _world.Cluster.GetObserverCounters();

    [Fact]
    public Task An_observer_known_by_its_address_gets_notifications_after_a_restart_without_registering_again() =>
        ObserveOverRestartsAsync(restarts: 2, behind: TimeSpan.Zero);

    [Theory]
    [InlineData(0)]
    [InlineData(14)]
    [InlineData(50)]
    public Task An_observer_restored_twice_gets_increasing_Observe_numbers_from_a_server_whose_clock_is_behind(int seconds) =>
        ObserveOverRestartsAsync(restarts: 4, FromSeconds(seconds));

    [Fact]
    public async Task Observers_are_restored_at_the_configured_rate_and_a_handler_run_serves_many_of_them()
    {
        const int Count = 600;
        await _world.StartAsync();
        for (int client = 0; client < Count; client++)
        {
            _world.Server.ObserverStore!.Registered(_world.Observer(client, 1));
        }

        await _world.AreStoredAsync(Count);
        await _world.StopAsync();
        await _world.StartAsync(options => options.RestoresPerSecond = 60);
        TimeSpan begun = _world.Clock.Elapsed;
        await _world.UntilAsync(() => Counters.Restored == Count);

        // 60 a second, and 3 at once.
        Assert.InRange(_world.Clock.Elapsed - begun, FromSeconds(9.9), FromSeconds(30));
        Assert.InRange(_world.Runs, 1, (Count / 3) + 1);
        Assert.Equal(0, Counters.Awaited);
    }

    [Fact]
    public async Task Two_observers_that_are_restored_are_notified_of_their_own_states_only()
    {
        await _world.StartAsync();
        ScriptedPeer[] clients = [_world.Client(1), _world.Client(2)];
        foreach (ScriptedPeer client in clients)
        {
            client.Responder = datagram =>
            {
                if (datagram.Type == CoapMessageType.Confirmable)
                {
                    client.Acknowledge(datagram);
                }

                return true;
            };
            client.Send(ObserverWorld.Datagram(7, "1", 1, collection: "own"));
        }

        await _world.AreStoredAsync(2);
        await _world.StopAsync();
        await _world.StartAsync();
        await _world.UntilAsync(() => Counters.Restored == 2);
        foreach (string state in (string[])["one", "two"])
        {
            _world.State = state;
            _world.Server.Notify("/own/1");
            await _world.UntilAsync(() => clients.All(client => TextsOf(client).Any(text => text.StartsWith(state, Ordinal))));
        }

        for (int i = 1; i <= 2; i++)
        {
            Assert.All(TextsOf(clients[i - 1]), text => Assert.EndsWith($" for {ObserverWorld.AddressOf(i)}", text, Ordinal));
            clients[i - 1].Dispose();
        }

        static string[] TextsOf(ScriptedPeer client) => [.. client.Received
            .Select(datagram =>
                CoapDatagramSerializer.Default.TryDeserialize(datagram.Data, out CoapMessage? message, out _) ? message : null)
            .Where(message => message?.Options.Observe is not null)
            .Select(message => Encoding.UTF8.GetString(message!.Payload.Span))];
    }

    [Fact]
    public async Task A_client_that_registers_before_it_is_restored_keeps_its_new_registration()
    {
        await _world.StartAsync();
        for (int client = 0; client < 3; client++)
        {
            _world.Server.ObserverStore!.Registered(_world.Observer(client, 7, "old"));
        }

        await _world.AreStoredAsync(3);
        await _world.StopAsync();
        await _world.StartAsync(options => options.RestoresPerSecond = 1);
        using ScriptedPeer first = _world.Client(0);
        using ScriptedPeer second = _world.Client(1);
        using ScriptedPeer third = _world.Client(2);
        foreach (ScriptedPeer client in (ScriptedPeer[])[first, second, third])
        {
            client.Send(ObserverWorld.Datagram(7, "new", 1));
        }

        await _world.UntilAsync(() => Counters.Awaited == 0);

        // One has its turn at once, perhaps before it registers; its registration takes the place then.
        Assert.InRange(Counters.Restored, 0, 1);
        Assert.Equal((3, 3), (_world.Server.CountObservers("/devices/new"), _world.Server.ObserverCount));
        await _world.AreStoredAsync(3);
    }

    [Fact]
    public async Task An_observer_that_sleeps_during_the_restart_is_restored_when_it_sends_a_message()
    {
        await LeaveObserverAsync();
        using ScriptedPeer device = _world.Client(1);
        _world.Network.Block(ObserverWorld.Address, ObserverWorld.AddressOf(1));
        await _world.StartAsync();
        await _world.UntilAsync(() => Counters.Restored == 1);
        await _world.UntilAsync(() => _world.Server.ObserverCount == 0);
        await _world.PassAsync(FromSeconds(1));
        Assert.Equal((1, 1), (Counters.Awaited, await _world.CountAsync()));

        _world.Network.Heal();
        _world.State = "awake";
        device.Send(ObserverWorld.Datagram(1, "other", 1, observe: null));
        await _world.UntilAsync(() => device.Received.Any(datagram => IsNotification(datagram, "awake")));
        Assert.Equal(1, _world.Server.ObserverCount);
        await _world.UntilAsync(() => Counters.Restored == 2);
    }

    [Fact]
    public async Task An_observer_whose_first_notification_is_lost_is_restored_only_once_more()
    {
        await LeaveObserverAsync();
        using ScriptedPeer device = _world.Client(1);
        _world.Network.Block(ObserverWorld.Address, ObserverWorld.AddressOf(1));
        await _world.StartAsync();
        await _world.UntilAsync(() => Counters.Restored == 1);

        // All copies have left by then, and the last one still waits.
        await _world.PassAsync(FromSeconds(50));
        device.Send(ObserverWorld.Datagram(1, "other", 1, observe: null));
        await _world.PassAsync(FromSeconds(1));
        _world.Network.Heal();
        _world.State = "later";
        await _world.UntilAsync(() => device.Received.Any(datagram => IsNotification(datagram, "later")));
        Assert.Equal((2L, 1), (Counters.Restored, _world.Server.ObserverCount));

        // It acknowledges nothing this time either.
        device.Send(ObserverWorld.Datagram(1, "other", 2, observe: null));
        await _world.UntilAsync(() => _world.Server.ObserverCount == 0);
        await _world.AreStoredAsync(0);
        Assert.Equal((0, 0), (Counters.Awaited, _world.Server.ObserverCount));
    }

    [Fact]
    public async Task An_observer_that_rejects_the_first_notification_is_removed_permanently()
    {
        await LeaveObserverAsync();
        using ScriptedPeer device = _world.Client(1);
        device.Responder = datagram =>
        {
            device.Reset(datagram);
            return true;
        };
        await _world.StartAsync();

        await _world.AreStoredAsync(0);
        Assert.Equal((0, 0), (Counters.Awaited, _world.Server.ObserverCount));
    }

    [Fact]
    public async Task A_server_at_another_address_does_not_restore_observers_of_plain_coap()
    {
        await LeaveObserverAsync();
        await _world.StartAsync(address: InMemoryNetwork.Address("192.0.2.2:5683"));

        await _world.UntilAsync(() => Counters.Refused == 1);
        Assert.Equal((0, 1), (_world.Server.ObserverCount, await _world.CountAsync()));
    }

    [Fact]
    public async Task The_record_of_an_observer_is_kept_only_while_it_acknowledges()
    {
        await _world.StartAsync();
        _world.Server.ObserverStore!.Registered(_world.Observer(2, 1, "nobody"));
        using ScriptedPeer device = _world.Client(1);
        device.Responder = datagram =>
        {
            if (datagram.Type == CoapMessageType.Confirmable)
            {
                device.Acknowledge(datagram);
            }

            return true;
        };
        device.Send(ObserverWorld.Datagram(7, "1", 1));
        await _world.AreStoredAsync(2);

        for (int hours = 0; hours < 60; hours += 6)
        {
            await _world.PassAsync(FromHours(6));
            _world.Server.Notify("/devices/1");
        }

        await _world.PassAsync(FromHours(1));
        Assert.Equal((1, 1), (_world.Server.ObserverCount, await _world.CountAsync()));
    }

    [Fact]
    public async Task Observers_whose_session_is_not_restored_are_removed_after_five_minutes_with_an_available_store()
    {
        await _world.StartAsync();
        CoapSlot slot = new(9);
        byte[] session = [slot.Number, 2, 3, 4, 5, 6, 7, 8];
        CoapRecordKey key = new(CoapRecordKind.Observer, slot,
            ObserverRecord.TryMakeKey(ClusterServers.NameOf(""), [1, .. session], new CoapToken([7]))!);
        await _world.Cluster.Writer.WriteAsync(CoapRecordWrite.Put(key, _world.Cluster.FenceOf(slot),
            ObserverRecord.Write(_world.Observer(1, 7), CoapDatagramSerializer.Default), ObserverRecord.Lifetime));
        await _world.StopAsync();
        await _world.StartAsync();
        await _world.UntilAsync(() => Counters.Awaited == 1);
        await _world.PassAsync(FromMinutes(4));
        Assert.Equal((1, 0L), (Counters.Awaited, Counters.Expired));

        // Meanwhile the session may be where nobody can read it.
        _world.Memory.IsAway = true;
        _world.Server.ObserverStore!.Registered(_world.Observer(2, 1));
        await _world.UntilAsync(() => _world.Cluster.Health.IsDegraded);
        await _world.PassAsync(FromMinutes(10));
        Assert.Equal((1, 0L), (Counters.Awaited, Counters.Expired));
        _world.Memory.IsAway = false;
        await _world.UntilAsync(() => (Counters.Awaited, Counters.Expired) == (0, 1));
        await _world.AreStoredAsync(1);
    }

    public ValueTask DisposeAsync() => _world.DisposeAsync();

    private async Task LeaveObserverAsync()
    {
        await _world.StartAsync();
        _world.Server.ObserverStore!.Registered(_world.Observer(1, 7));
        await _world.AreStoredAsync(1);
        await _world.StopAsync();
    }

    private static bool IsNotification(ReceivedDatagram datagram, string state) =>
        CoapDatagramSerializer.Default.TryDeserialize(datagram.Data, out CoapMessage? message, out _)
        && message.Options.Observe is not null
        && message.Payload.Span.SequenceEqual(Encoding.UTF8.GetBytes(state));

    // Every second server has a clock that is behind.
    private async Task ObserveOverRestartsAsync(int restarts, TimeSpan behind)
    {
        await _world.StartAsync();
        CoapServer client = new(_world.EndpointOptions());
        client.Endpoint.AddTransport(_world.Network.CreateTransport(ObserverWorld.AddressOf(1)));
        await client.StartAsync();
        CoapObservation observation = await _world.Clock.AdvanceUntilAsync(
            client.Endpoint.ObserveAsync($"coap://{ObserverWorld.Address}/devices/1"), FromMinutes(1));
        IAsyncEnumerator<CoapResponse> told = observation.ReadAllAsync().GetAsyncEnumerator();
        uint number = await NextAsync(told, "zero");
        await _world.AreStoredAsync(1);
        for (int restart = 1; restart <= restarts; restart++)
        {
            await _world.StopAsync();
            _world.State = $"{restart}";
            await _world.StartAsync(behind: restart % 2 == 0 ? behind : TimeSpan.Zero);

            // Numbers come of the clock: a restart takes time.
            await _world.PassAsync(FromSeconds(1));
            Assert.Equal((1L, 0L, 1), (Counters.Restored, Counters.Refused, _world.Server.ObserverCount));
            uint next = await NextAsync(told, _world.State);
            Assert.InRange((next - number) & 0xff_ffff, 1u, (1u << 23) - 1);
            _world.State = $"{restart}, changed";
            Assert.Equal(1, _world.Server.Notify("/devices/1"));
            number = await NextAsync(told, _world.State);
        }

        Assert.Equal(0, _world.Server.Counters[CoapCounter.Registrations]);
        await _world.Clock.AdvanceUntilAsync(observation.DisposeAsync().AsTask(), FromMinutes(1));
        await _world.AreStoredAsync(0);
        await _world.Clock.AdvanceUntilAsync(client.DisposeAsync().AsTask(), FromMinutes(1));
    }

    private async Task<uint> NextAsync(IAsyncEnumerator<CoapResponse> observation, string state)
    {
        do
        {
            Assert.True(await _world.Clock.AdvanceUntilAsync(observation.MoveNextAsync().AsTask(), FromMinutes(10)));
        }
        while (observation.Current.GetText() != state);

        return observation.Current.Options.Observe!.Value;
    }
}
