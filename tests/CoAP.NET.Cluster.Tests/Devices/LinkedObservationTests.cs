using CoAP.NET.Tests;

namespace CoAP.NET.Cluster.Tests.Devices;

/// <summary>Devices that are observed from nodes that have not their sessions: three nodes with links over loopback.</summary>
public sealed class LinkedObservationTests : IAsyncDisposable
{
    private const string Name = "meter-7";

    private readonly DeviceWorld _world = new(hasLinks: true);
    private readonly List<DeviceNode> _nodes = [];

    // What is observed: of each device.
    private string _state = "1";

    public ValueTask DisposeAsync() => _world.DisposeAsync();

    [Fact]
    public async Task All_nodes_that_observe_a_device_have_one_registration_at_it_which_ends_with_the_last_of_them()
    {
        await StartAsync();
        (TestDevice device, CoapRouteHandlerBuilder route) = await ConnectAsync(1);
        List<CoapObservation> observations = [];
        foreach (DeviceNode node in _nodes)
        {
            observations.Add(await node.Devices[Name].ObserveAsync("/observed"));
            observations.Add(await node.Devices[Name].ObserveAsync("coap://whatever.example/observed"));
        }

        Assert.All(observations, static one => Assert.Equal((CoapObserveState.Observing, "1"), (one.State, one.Latest!.GetText())));
        Assert.Equal(1, route.ObserverCount);
        Assert.Equal(1, Devices(1).Served.Count);

        Change(route, "2");
        foreach (CoapObservation one in observations)
        {
            await UntilAsync(one, "2");
        }

        Assert.Equal(1, route.ObserverCount);
        foreach (CoapObservation one in observations.Take(5))
        {
            await one.DisposeAsync();
        }

        Change(route, "3");
        await UntilAsync(observations[5], "3");
        Assert.Equal(1, route.ObserverCount);

        await observations[5].DisposeAsync();

        await Eventually.IsTrueAsync(() => route.ObserverCount == 0);
        await Eventually.IsTrueAsync(() => Devices(1).Served.Count == 0);
        Assert.All(_nodes, static node => Assert.Equal(0, ((ClusterDevices)node.Devices).Observers.Count));
        Assert.Equal("state", (await _nodes[0].Devices[Name].GetAsync("/state")).GetText());
        Assert.Equal(1, device.Asked);
    }

    [Fact]
    public async Task Notifications_of_any_size_and_queries_pass()
    {
        await StartAsync();
        (TestDevice device, _) = await ConnectAsync(0);
        byte[] large = [.. Enumerable.Range(0, 50_000).Select(static i => (byte)(i * 7))];
        CoapRouteHandlerBuilder route = device.Server.MapGet("/large", (CoapRequest request) => new CoapResult(
            CoapCode.Content, (byte[])[.. large, (byte)request.Queries.Count()], CoapContentFormat.OctetStream)).Observable();

        await using CoapObservation observation = await _nodes[2].Devices[Name].ObserveAsync("/large?x&y");
        Assert.True(observation.Latest!.Payload.Span.SequenceEqual((byte[])[.. large, 2]));

        large = [.. Enumerable.Reverse(large)];
        route.Notify();

        await Eventually.IsTrueAsync(() => observation.Latest!.Payload.Span.SequenceEqual((byte[])[.. large, 2]));
        Assert.Equal(CoapContentFormat.OctetStream, observation.Latest!.ContentFormat);
    }

    [Fact]
    public async Task An_observation_goes_on_at_another_node_when_the_one_that_has_the_device_dies()
    {
        await StartAsync();
        await ConnectAsync(1);
        await using CoapObservation observation = await _nodes[0].Devices[Name].ObserveAsync("/observed");
        await Eventually.IsTrueAsync(() => _world.Memory.Count > 0);

        await _nodes[1].DisposeAsync();
        await Eventually.IsTrueAsync(() => observation.State == CoapObserveState.Reregistering);
        _state = "2";
        (_, CoapRouteHandlerBuilder route) = await ConnectAsync(2);

        await UntilAsync(observation, "2");
        Change(route, "3");
        await UntilAsync(observation, "3");
        Assert.Equal((CoapObserveState.Observing, null), (observation.State, observation.Error));
        Assert.Equal(1, route.ObserverCount);
    }

    [Fact]
    public async Task An_observation_follows_its_device_to_the_node_that_observes_and_away_from_it()
    {
        await StartAsync();
        await ConnectAsync(1);
        await using CoapObservation observation = await _nodes[0].Devices[Name].ObserveAsync("/observed");

        foreach ((int node, string state) in new[] { (0, "2"), (2, "3") })
        {
            _state = state;
            (_, CoapRouteHandlerBuilder route) = await ConnectAsync(node);
            await UntilAsync(observation, state);
            Assert.Equal(1, route.ObserverCount);
        }

        await Eventually.IsTrueAsync(() => Devices(1).Served.Count == 0);
        Assert.Equal(CoapObserveState.Observing, observation.State);
    }

    [Fact]
    public async Task An_observation_that_cannot_begin_fails_as_a_request_does()
    {
        await StartAsync(static options => options.AwakeTime = TimeSpan.FromTicks(1));
        (_, CoapRouteHandlerBuilder route) = await ConnectAsync(1);
        foreach (DeviceNode node in _nodes)
        {
            await Assert.ThrowsAsync<CoapDeviceUnknownException>(() => node.Devices["nobody"].ObserveAsync("/observed"));
            await Assert.ThrowsAsync<CoapDeviceAsleepException>(() => node.Devices[Name].ObserveAsync("/observed"));
            await Assert.ThrowsAsync<ArgumentException>(
                () => node.Devices[Name].ObserveAsync(new CoapRequest(CoapMethod.Put, "/observed")));
            Assert.Equal(0, ((ClusterDevices)node.Devices).Observers.Count);
        }

        Assert.Equal(0, route.ObserverCount);
        await Eventually.IsTrueAsync(() => Devices(1).Served.Count == 0);
    }

    [Fact]
    public async Task An_error_of_the_device_is_its_answer()
    {
        await StartAsync();
        (TestDevice device, _) = await ConnectAsync(1);
        device.Server.MapGet("/plain", static () => CoapResults.Text("plain"));

        await using CoapObservation nothing = await _nodes[0].Devices[Name].ObserveAsync("/nothing");
        await using CoapObservation plain = await _nodes[0].Devices[Name].ObserveAsync("/plain");

        Assert.Equal((CoapCode.NotFound, CoapObserveState.Reregistering), (nothing.Latest!.Code, nothing.State));
        Assert.Equal(("plain", CoapObserveState.NotObserving), (plain.Latest!.GetText(), plain.State));
        await Eventually.IsTrueAsync(() => Devices(1).Served.Count == 0);
    }

    [Fact]
    public async Task A_node_observes_a_device_no_more_often_than_it_may()
    {
        await StartAsync(static options => options.MaxObservationsPerDevice = 2);
        await ConnectAsync(1);
        CoapObservation first = await _nodes[0].Devices[Name].ObserveAsync("/observed");
        await using CoapObservation second = await _nodes[0].Devices[Name].ObserveAsync("/observed");

        await Assert.ThrowsAsync<CoapDeviceException>(() => _nodes[0].Devices[Name].ObserveAsync("/observed"));
        await first.DisposeAsync();

        await using CoapObservation third = await _nodes[0].Devices[Name].ObserveAsync("/observed");
        Assert.Equal(2, Devices(0).Observers.Count);
    }

    [Fact]
    public async Task Whoever_cancels_before_the_first_answer_leaves_nothing_behind()
    {
        await StartAsync();
        (TestDevice device, _) = await ConnectAsync(1);
        TaskCompletionSource asked = new(TaskCreationOptions.RunContinuationsAsynchronously);
        device.Server.MapGet("/slow", async (CoapRequest request, CancellationToken cancellationToken) =>
        {
            asked.TrySetResult();
            await Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, cancellationToken);
            return CoapResults.Text("");
        }).Observable();
        using CancellationTokenSource stop = new();
        Task<CoapObservation> slow = _nodes[0].Devices[Name].ObserveAsync(new CoapRequest(CoapMethod.Get, "/slow"), null, stop.Token);
        await asked.Task;

        await stop.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => slow);
        Assert.Equal(0, Devices(0).Observers.Count);
    }

    private ClusterDevices Devices(int node) => (ClusterDevices)_nodes[node].Devices;

    private static Task UntilAsync(CoapObservation observation, string state) =>
        Eventually.IsTrueAsync(() => observation.Latest!.GetText() == state && observation.State == CoapObserveState.Observing);

    private void Change(CoapRouteHandlerBuilder route, string state)
    {
        _state = state;
        route.Notify();
    }

    private async Task StartAsync(Action<CoapDeviceOptions>? configure = null)
    {
        for (int i = 0; i < 3; i++)
        {
            _nodes.Add(await _world.StartNodeAsync(configure));
        }

        await _world.AreLinkedAsync();
    }

    private async Task<(TestDevice Device, CoapRouteHandlerBuilder Route)> ConnectAsync(int node)
    {
        TestDevice device = await _world.StartDeviceAsync(Name);
        CoapRouteHandlerBuilder route = device.Server.MapGet("/observed", () => CoapResults.Text(Volatile.Read(ref _state))).Observable();
        await device.SpeakAsync(_nodes[node]);
        return (device, route);
    }
}
