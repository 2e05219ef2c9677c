using CoAP.NET.Cluster.Devices;

namespace CoAP.NET.Cluster.Tests.Devices;

[Collection(VirtualTimeCollection.Name)]
public sealed class DeviceObservationTests : IAsyncDisposable
{
    private const string Name = "meter-7";

    private readonly DeviceWorld _world = new();
    private string _state = "1";

    public ValueTask DisposeAsync() => _world.DisposeAsync();

    [Fact]
    public async Task All_observations_of_a_resource_share_a_registration_at_the_device_that_ends_with_the_last_of_them()
    {
        DeviceNode node = await _world.StartNodeAsync();
        (TestDevice device, CoapRouteHandlerBuilder route) = await ConnectAsync(node);
        CoapObservation first = await ObserveAsync(node, "/observed");
        CoapObservation second = await ObserveAsync(node, "coap://whatever.example/observed");
        Assert.All([first, second], one => Assert.Equal((CoapObserveState.Observing, "1"), (one.State, one.Latest!.GetText())));
        Assert.Equal(1, route.ObserverCount);

        await ChangeAsync(route, "2", first, second);
        await first.DisposeAsync();
        await ChangeAsync(route, "3", second);
        Assert.Equal(("2", 1), (first.Latest!.GetText(), route.ObserverCount));
        await _world.RunAsync(second.RefreshAsync()).Says("3");

        await second.DisposeAsync();
        await _world.RunUntilAsync(() => route.ObserverCount == 0);
        Assert.Equal((0, 0), (Devices(node).Observations.Count, device.Asked));
    }

    [Fact]
    public async Task An_observation_continues_in_the_next_session_of_the_device()
    {
        DeviceNode node = await _world.StartNodeAsync();
        (TestDevice before, _) = await ConnectAsync(node);
        CoapObservation observation = await ObserveAsync(node, "/observed");
        await before.Server.DisposeAsync();
        await _world.RunUntilAsync(() => observation.Error is CoapDeviceException { Fault: CoapDeviceFault.Asleep });
        Assert.Equal(CoapObserveState.Reregistering, observation.State);
        await _world.PassAsync(FromHours(1));

        _state = "2";
        (_, CoapRouteHandlerBuilder route) = await ConnectAsync(node);
        await _world.RunUntilAsync(() => observation is { State: CoapObserveState.Observing } && observation.Latest!.GetText() == "2");
        await ChangeAsync(route, "3", observation);
        Assert.Null(observation.Error);
    }

    [Fact]
    public async Task A_replaced_session_gets_no_message_and_the_observation_registers_in_the_new_session()
    {
        DeviceNode node = await _world.StartNodeAsync();
        (_, CoapRouteHandlerBuilder old) = await ConnectAsync(node);
        CoapObservation observation = await ObserveAsync(node, "/observed");
        (_, CoapRouteHandlerBuilder route) = await ConnectAsync(node);
        await _world.RunUntilAsync(() => route.ObserverCount == 1);
        await ChangeAsync(route, "2", observation);

        // Nothing deregisters there.
        Assert.Equal(1, old.ObserverCount);
    }

    [Fact]
    public async Task An_observation_without_reregistration_ends_at_the_first_loss()
    {
        DeviceNode node = await _world.StartNodeAsync();
        (TestDevice device, _) = await ConnectAsync(node);
        CoapObservationOptions never = new() { Reregistration = CoapReregistrationPolicy.Never };
        CoapObservation observation = await ObserveAsync(node, "/observed", never);
        CoapObservation nothing = await ObserveAsync(node, "/nothing", never);

        // The device answered, and that was all.
        await _world.RunUntilAsync(() => nothing.State == CoapObserveState.Failed);
        nothing.Latest!.Gives(CoapCode.NotFound);

        await device.Server.DisposeAsync();
        await _world.RunUntilAsync(() => observation.State == CoapObserveState.Failed);
        Assert.NotNull(observation.Error);
    }

    [Fact]
    public async Task A_resource_that_does_not_notify_is_requested_again_after_a_while()
    {
        DeviceNode node = await _world.StartNodeAsync();
        (TestDevice device, _) = await ConnectAsync(node);
        device.Server.MapGet("/plain", () => CoapResults.Text(_state).WithMaxAge(FromMinutes(1)));
        CoapObservation plain = await ObserveAsync(node, "/plain");
        CoapObservation nothing = await ObserveAsync(node, "/nothing");
        Assert.Equal((CoapObserveState.NotObserving, "1"), (plain.State, plain.Latest!.GetText()));
        Assert.Equal((CoapObserveState.Reregistering, CoapCode.NotFound), (nothing.State, nothing.Latest!.Code));

        _state = "2";
        device.Server.MapGet("/nothing", () => CoapResults.Text(_state)).Observable();
        await _world.RunUntilAsync(() => plain.Latest!.GetText() == "2" && nothing.State == CoapObserveState.Observing);
        nothing.Latest!.Says("2");
    }

    [Fact]
    public async Task An_observation_that_cannot_start_fails_like_a_request()
    {
        DeviceNode node = await _world.StartNodeAsync(options => options.AwakeTime = FromMinutes(1));
        (_, CoapRouteHandlerBuilder route) = await ConnectAsync(node);
        await _world.PassAsync(FromMinutes(2));

        await DeviceAssert.FailsAsync(CoapDeviceFault.Unknown, () => _world.RunAsync(node.Devices["nobody"].ObserveAsync("/observed")));
        await DeviceAssert.FailsAsync(CoapDeviceFault.Asleep, () => ObserveAsync(node, "/observed"));
        await Assert.ThrowsAsync<ArgumentException>(() => node.Devices[Name].ObserveAsync(new CoapRequest(CoapMethod.Put, "/observed")));
        Assert.Equal((0, 0), (Devices(node).Observations.Count, route.ObserverCount));
    }

    [Fact]
    public async Task A_node_has_at_most_MaxObservationsPerDevice_observations_of_a_device()
    {
        DeviceNode node = await _world.StartNodeAsync(options => options.MaxObservationsPerDevice = 2);
        await ConnectAsync(node);
        CoapObservation first = await ObserveAsync(node, "/observed");
        await ObserveAsync(node, "/observed");
        await DeviceAssert.FailsAsync(CoapDeviceFault.Failed, () => ObserveAsync(node, "/observed"));
        await first.DisposeAsync();

        await ObserveAsync(node, "/observed");
        Assert.Equal(2, Devices(node).Observations.Count);
    }

    [Fact]
    public async Task An_observation_cancelled_before_the_first_response_leaves_no_state()
    {
        DeviceNode node = await _world.StartNodeAsync();
        (TestDevice device, CoapRouteHandlerBuilder route) = await ConnectAsync(node);
        _world.SetDeaf(device, true);
        using CancellationTokenSource stop = new();
        Task<CoapObservation> slow = node.Devices[Name].ObserveAsync(new CoapRequest(CoapMethod.Get, "/observed"), null, stop.Token);
        await _world.PassAsync(FromSeconds(1));
        Assert.Equal(1, Devices(node).Observations.Count);

        await stop.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => _world.RunAsync(slow));
        Assert.Equal((0, 0), (Devices(node).Observations.Count, route.ObserverCount));
    }

    [Fact]
    public async Task Observations_end_with_the_node()
    {
        DeviceNode node = await _world.StartNodeAsync();
        await ConnectAsync(node);
        CoapObservation observation = await ObserveAsync(node, "/observed");

        await _world.RunAsync(node.DisposeAsync().AsTask());

        Assert.Equal(CoapObserveState.Failed, observation.State);
        Assert.NotNull(observation.Error);
    }

    private static ClusterDevices Devices(DeviceNode node) => (ClusterDevices)node.Devices;

    private Task<CoapObservation> ObserveAsync(DeviceNode node, string uri, CoapObservationOptions? options = null) =>
        _world.RunAsync(node.Devices[Name].ObserveAsync(new CoapRequest(CoapMethod.Get, uri), options));

    private Task ChangeAsync(CoapRouteHandlerBuilder route, string state, params CoapObservation[] observations)
    {
        _state = state;
        route.Notify();
        return _world.RunUntilAsync(() => observations.All(one => one.Latest!.GetText() == state));
    }

    private async Task<(TestDevice Device, CoapRouteHandlerBuilder Route)> ConnectAsync(DeviceNode node)
    {
        TestDevice device = await _world.StartDeviceAsync(Name);
        CoapRouteHandlerBuilder route = device.Server.MapGet("/observed", () => CoapResults.Text(_state))
            .Observable(observe => observe.MaxAge = FromDays(1));
        await _world.RunAsync(device.SpeakAsync(node));
        return (device, route);
    }
}
