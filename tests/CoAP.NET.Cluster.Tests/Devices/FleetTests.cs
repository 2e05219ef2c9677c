using CoAP.NET.Dtls;

namespace CoAP.NET.Cluster.Tests.Devices;

/// <summary>A resource that is observed at all devices of one node, in virtual time.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class FleetTests : IAsyncDisposable
{
    private const string Path = "/observed";

    private readonly DeviceWorld _world = new();
    private readonly Dictionary<string, string> _states = [];

    public ValueTask DisposeAsync() => _world.DisposeAsync();

    [Fact]
    public async Task Devices_that_are_there_and_those_that_come_are_observed_and_it_is_told_who_went()
    {
        DeviceNode node = await _world.StartNodeAsync();
        (TestDevice first, CoapRouteHandlerBuilder route) = await ConnectAsync(node, "one");
        await using FleetReader reader = new(node.Devices, Path);
        await _world.RunUntilAsync(() => reader.LastOf("one") == "0");
        (_, CoapRouteHandlerBuilder other) = await ConnectAsync(node, "two");
        await _world.RunUntilAsync(() => reader.LastOf("two") == "0");
        Set(route, "one", "1");
        await _world.RunUntilAsync(() => reader.LastOf("one") == "1");
        Assert.Equal((1, 1), (route.ObserverCount, other.ObserverCount));
        Assert.Equal(2, node.Cluster.Counts[ClusterMetric.DevicesObserved]);

        await node.Devices.ForgetAsync("one");
        await _world.RunUntilAsync(() => reader.LastOf("one") == "Went");
        await _world.RunAsync(first.SpeakAsync(node));
        node.Devices.Announce("one", node.Server.Endpoint.ConnectedPeers.Single(
            static peer => (peer.Identity as CoapDtlsIdentity)?.PskIdentity == "one"));
        await _world.RunUntilAsync(() => reader.LastOf("one") == "1");

        Assert.Equal(["Came", "0", "1", "Went", "Came", "1"], reader.Of("one"));
        Assert.Equal(["Came", "0"], reader.Of("two"));
    }

    [Fact]
    public async Task All_who_observe_the_same_have_one_registration_which_ends_a_minute_after_the_last_of_them()
    {
        DeviceNode node = await _world.StartNodeAsync();
        (_, CoapRouteHandlerBuilder route) = await ConnectAsync(node, "one");
        FleetReader first = new(node.Devices, Path);
        await _world.RunUntilAsync(() => first.LastOf("one") == "0");
        FleetReader second = new(node.Devices, Path);
        await _world.RunUntilAsync(() => second.LastOf("one") == "0");
        Assert.Equal(1, route.ObserverCount);
        await first.DisposeAsync();
        Set(route, "one", "1");
        await _world.RunUntilAsync(() => second.LastOf("one") == "1");
        await second.DisposeAsync();

        // Whoever comes back in time goes on with the registration.
        await _world.PassAsync(TimeSpan.FromSeconds(30));
        FleetReader third = new(node.Devices, Path);
        await _world.RunUntilAsync(() => third.LastOf("one") == "1");
        Assert.Equal(1, node.Cluster.Counts[ClusterMetric.RegistrationsAccepted]);
        await third.DisposeAsync();
        await _world.PassAsync(TimeSpan.FromSeconds(90));

        await _world.RunUntilAsync(() => route.ObserverCount == 0);
        Assert.Equal(0, ((ClusterDevices)node.Devices).Watches.Count);
        Assert.Equal(0, node.Cluster.Counts[ClusterMetric.DevicesObserved]);
    }

    [Fact]
    public async Task Devices_that_refuse_are_told_with_the_reason_once_and_counted()
    {
        DeviceNode node = await _world.StartNodeAsync(static options => options.MaxNotificationSize = 64);
        TestDevice nothing = await _world.StartDeviceAsync("nothing");
        TestDevice plain = await _world.StartDeviceAsync("plain");
        plain.Server.MapGet(Path, static () => CoapResults.Text("plain"));
        TestDevice large = await _world.StartDeviceAsync("large");
        CoapRouteHandlerBuilder route = large.Server.MapGet(Path, static () => CoapResults.Text(new string('x', 5_000))).Observable();
        foreach (TestDevice device in new[] { nothing, plain, large })
        {
            await _world.RunAsync(device.SpeakAsync(node));
        }

        await using FleetReader reader = new(node.Devices, Path);
        await _world.RunUntilAsync(() => reader.All.Count(static one => one.Kind == CoapDeviceNotificationKind.Refused) == 3);
        await _world.RunUntilAsync(() => route.ObserverCount == 0);
        await _world.PassAsync(TimeSpan.FromMinutes(25));

        Assert.Equal(["Came", "RefusedError"], reader.Of("nothing"));
        Assert.Equal(CoapCode.NotFound, reader.All.Single(static one => one is { Device: "nothing", Refusal: not null }).Response!.Code);
        Assert.Equal(["Came", "RefusedNotObservable"], reader.Of("plain"));
        Assert.Equal("plain", reader.All.Single(static one => one is { Device: "plain", Refusal: not null }).Response!.GetText());
        Assert.Equal(["Came", "RefusedTooLarge"], reader.Of("large"));
        Assert.Null(reader.All.Single(static one => one is { Device: "large", Refusal: not null }).Response);
        ClusterCounts counts = node.Cluster.Counts;
        Assert.Equal((1, 1, 1, 0), (counts[ClusterMetric.RegistrationsRefused], counts[ClusterMetric.RegistrationsNotObservable],
            counts[ClusterMetric.RegistrationsTooLarge], counts[ClusterMetric.DevicesObserved]));

        nothing.Server.MapGet(Path, static () => CoapResults.Text("now")).Observable();
        await _world.PassAsync(TimeSpan.FromHours(1));
        Assert.Equal("now", reader.LastOf("nothing"));
    }

    [Fact]
    public async Task Registrations_begin_at_their_pace()
    {
        DeviceNode node = await _world.StartNodeAsync(static options => options.RegistrationsPerSecond = 2);
        List<CoapRouteHandlerBuilder> routes = [];
        for (int i = 0; i < 12; i++)
        {
            routes.Add((await ConnectAsync(node, $"device-{i}")).Route);
        }

        await using FleetReader reader = new(node.Devices, Path);
        await _world.PassAsync(TimeSpan.FromSeconds(3));
        Assert.InRange(routes.Sum(static route => route.ObserverCount), 4, 8);
        await _world.PassAsync(TimeSpan.FromSeconds(7));

        Assert.Equal(12, routes.Sum(static route => route.ObserverCount));
    }

    [Fact]
    public async Task Whoever_reads_slowly_is_told_the_newest_state_of_each_device_and_one_that_notifies_without_end_displaces_nobody()
    {
        DeviceNode node = await _world.StartNodeAsync();
        (_, CoapRouteHandlerBuilder loud) = await ConnectAsync(node, "loud\n<b>\u001b[31m");
        await using FleetReader reader = new(node.Devices, Path, isSlow: true);
        await _world.RunUntilAsync(() => reader.All.Count == 1 && loud.ObserverCount == 1);
        (_, CoapRouteHandlerBuilder still) = await ConnectAsync(node, "still");
        for (int i = 1; i <= 50; i++)
        {
            Set(loud, "loud\n<b>\u001b[31m", $"{i}");
            await _world.PassAsync(TimeSpan.FromSeconds(4));
        }

        await _world.RunUntilAsync(() => still.ObserverCount == 1);
        reader.Hurry();
        await _world.RunUntilAsync(() => reader.LastOf("loud\n<b>\u001b[31m") == "50" && reader.LastOf("still") == "0");

        Assert.InRange(reader.All.Count, 4, 8);
        Assert.InRange(node.Cluster.Counts[ClusterMetric.DeviceStatesSkipped], 40, 50);
        Assert.All(reader.All, static one => Assert.DoesNotContain(one.ToString(), static letter => char.IsControl(letter)));
    }

    [Fact]
    public async Task Devices_that_never_answer_are_counted_keep_nobody_waiting_for_good_and_are_observed_once_they_speak()
    {
        DeviceNode node = await _world.StartNodeAsync(static options => options.MaxRegistrationsUnderWay = 3);
        List<TestDevice> silent = [];
        for (int i = 0; i < 9; i++)
        {
            silent.Add((await ConnectAsync(node, $"silent-{i}")).Device);
            _world.SetDeaf(silent[i], true);
        }

        await using FleetReader reader = new(node.Devices, Path);
        await _world.PassAsync(TimeSpan.FromSeconds(1));
        Assert.Equal(3, ((ClusterDevices)node.Devices).Watches.UnderWay);
        for (int i = 0; i < 3; i++)
        {
            await ConnectAsync(node, $"other-{i}");
        }

        await _world.RunUntilAsync(() => Enumerable.Range(0, 3).All(i => reader.LastOf($"other-{i}") == "0"));
        await _world.PassAsync(TimeSpan.FromMinutes(10));
        Assert.True(node.Cluster.Counts[ClusterMetric.RegistrationsUnanswered] >= 9);
        Assert.True(((ClusterDevices)node.Devices).Watches.UnderWay <= 3);
        Assert.All(Enumerable.Range(0, 9), i => Assert.Equal(["Came"], reader.Of($"silent-{i}")));

        foreach (TestDevice device in silent)
        {
            _world.SetDeaf(device, false);
            await _world.RunAsync(device.SpeakAsync(node));
        }

        await _world.PassAsync(TimeSpan.FromMinutes(2));
        Assert.All(Enumerable.Range(0, 9), i => Assert.Equal("0", reader.LastOf($"silent-{i}")));
    }

    [Fact]
    public async Task What_cannot_be_observed_says_so()
    {
        DeviceNode node = await _world.StartNodeAsync();

        Assert.Throws<ArgumentException>(() => node.Devices.ObserveAsync("no path"));
        Assert.Throws<ArgumentException>(() => node.Devices.ObserveAsync("/" + new string('x', 5_000)));
        Assert.Throws<ArgumentException>(() => node.Cluster.Observations.Map("\u0001x", static _ => { }));
        IAsyncEnumerator<CoapDeviceNotification> reading = node.Devices.ObserveAsync(Path).GetAsyncEnumerator();
        Task<bool> next = reading.MoveNextAsync().AsTask();
        await _world.RunAsync(node.DisposeAsync().AsTask());
        await Assert.ThrowsAsync<ObjectDisposedException>(() => next);
        Assert.Throws<ObjectDisposedException>(() => node.Devices.ObserveAsync(Path));
    }

    private async Task<(TestDevice Device, CoapRouteHandlerBuilder Route)> ConnectAsync(DeviceNode node, string name)
    {
        TestDevice device = await _world.StartDeviceAsync(name);
        lock (_states)
        {
            _states[name] = "0";
        }

        CoapRouteHandlerBuilder route = device.Server.MapGet(Path, () => CoapResults.Text(Get(name))).Observable();
        await _world.RunAsync(device.SpeakAsync(node));
        return (device, route);
    }

    private string Get(string name)
    {
        lock (_states)
        {
            return _states[name];
        }
    }

    private void Set(CoapRouteHandlerBuilder route, string name, string state)
    {
        lock (_states)
        {
            _states[name] = state;
        }

        route.Notify();
    }
}
