namespace CoAP.NET.Orleans.Tests.Devices;

/// <summary>Observations of devices at other silos.</summary>
/// <remarks>Real clock: the silos connect over loopback.</remarks>
public sealed class SiloObservationTests : IAsyncDisposable
{
    private const string Name = "meter-7";

    private readonly SiloWorld _world = new();
    private readonly List<TestSilo> _silos = [];
    private int _value;

    public ValueTask DisposeAsync() => _world.DisposeAsync();

    [Fact]
    public async Task Observers_at_all_silos_get_each_state_with_a_single_registration_at_the_device()
    {
        await StartAsync(2);
        TestDevice device = await ConnectAsync(1);
        await using CoapObservation there = await _silos[0].Devices[Name].ObserveAsync("/value");
        await using CoapObservation here = await _silos[1].Devices[Name].ObserveAsync("/value");
        await using CoapObservation again = await _silos[0].Devices[Name].ObserveAsync("/value");
        for (int i = 1; i <= 3; i++)
        {
            Set(device, i);
            await IsAsync(i, there, here, again);
        }

        Assert.Equal((CoapObserveState.Observing, CoapObserveState.Observing), (there.State, here.State));
        Assert.Equal(1, CountObservers(device));
        await there.RefreshAsync().Says("3");

        await there.DisposeAsync();
        await here.DisposeAsync();
        await again.DisposeAsync();
        await Eventually.IsTrueAsync(() => CountObservers(device) == 0 && _silos[1].Gateway.PolledCount == 0);
    }

    [Fact]
    public async Task Queries_and_notifications_of_any_size_are_passed_on()
    {
        await StartAsync(2);
        TestDevice device = await ConnectAsync(1);
        byte[] large = [.. Enumerable.Range(0, 50_000).Select(i => (byte)(i * 7))];
        CoapRouteHandlerBuilder route = device.Server.MapGet("/large", (CoapRequestContext request) => CoapResults.Status(
            CoapCode.Content, (byte[])[.. large, (byte)request.Queries.Count()], CoapContentFormat.OctetStream)).Observable();

        await using CoapObservation observation = await _silos[0].Devices[Name].ObserveAsync("/large?x&y");
        Assert.True(observation.Latest!.Payload.Span.SequenceEqual((byte[])[.. large, 2]));

        large = [.. Enumerable.Reverse(large)];
        route.Notify();

        await Eventually.IsTrueAsync(() => observation.Latest!.Payload.Span.SequenceEqual((byte[])[.. large, 2]));
        Assert.Equal(CoapContentFormat.OctetStream, observation.Latest!.ContentFormat);
    }

    [Fact]
    public async Task An_observation_continues_when_the_device_moves_to_another_silo()
    {
        await StartAsync(3);
        TestDevice first = await ConnectAsync(1);
        await using CoapObservation observation = await _silos[0].Devices[Name].ObserveAsync("/value");
        Set(first, 1);
        await IsAsync(1, observation);

        TestDevice second = await ConnectAsync(2);
        Set(second, 2);
        await IsAsync(2, observation);
        Assert.Equal(1, CountObservers(second));

        await _silos[2].KillAsync(_silos[0]);
        await Eventually.IsTrueAsync(() => observation.State == CoapObserveState.Reregistering);
        await second.ConnectAsync(_silos[0]);
        Set(second, 3);
        await IsAsync(3, observation);
        Assert.Equal(CoapObserveState.Observing, observation.State);
    }

    [Fact]
    public async Task An_observation_that_cannot_start_fails_like_a_request()
    {
        await StartAsync(2, options => options.MaxObservationsPerDevice = 1);
        await DeviceAssert.FailsAsync(CoapDeviceFault.Unknown, () => _silos[0].Devices["nobody"].ObserveAsync("/value"));
        TestDevice device = await ConnectAsync(1);
        await using (await _silos[0].Devices[Name].ObserveAsync("/value"))
        {
            await DeviceAssert.FailsAsync(CoapDeviceFault.Failed, () => _silos[0].Devices[Name].ObserveAsync("/value"));
        }

        await Eventually.IsTrueAsync(() => CountObservers(device) == 0);
        await using CoapObservation observation = await _silos[0].Devices[Name].ObserveAsync("/nothing");
        Assert.Equal((CoapCode.NotFound, CoapObserveState.Reregistering), (observation.Latest!.Code, observation.State));
    }

    [Fact]
    public async Task An_observation_without_reregistration_ends_at_the_first_loss()
    {
        await StartAsync(2);
        TestDevice device = await ConnectAsync(1);
        await using CoapObservation observation = await _silos[0].Devices[Name].ObserveAsync(
            new CoapRequest(CoapMethod.Get, "/value"), new CoapObservationOptions { Reregistration = CoapReregistrationPolicy.Never });

        await _silos[1].KillAsync(_silos[0]);

        await Eventually.IsTrueAsync(() => observation.State == CoapObserveState.Failed);
        Assert.NotNull(observation.Error);
        Assert.NotNull(device);
    }

    private static Task IsAsync(int value, params CoapObservation[] observations) => Eventually.IsTrueAsync(
        () => observations.All(observation => observation.Latest?.GetText() == $"{value}"));

    private static int CountObservers(TestDevice device) => device.Server.CountObservers("/value");

    private void Set(TestDevice device, int value)
    {
        Volatile.Write(ref _value, value);
        device.Server.Notify("/value");
    }

    private async Task StartAsync(int silos, Action<CoapDeviceOptions>? configure = null)
    {
        for (int i = 0; i < silos; i++)
        {
            _silos.Add(await _world.StartSiloAsync(configure));
        }
    }

    private async Task<TestDevice> ConnectAsync(int silo)
    {
        TestDevice device = await _world.StartDeviceAsync(Name);
        device.Server.MapGet("/value", () => CoapResults.Text($"{Volatile.Read(ref _value)}")).Observable();
        await device.ConnectAsync(_silos[silo]);
        return device;
    }
}
