using CoAP.NET.Cluster.Devices;
using CoAP.NET.Orleans.Devices;
using CoAP.NET.Orleans.Tests.Guides;
using CoAP.NET.Orleans.Tests.Silos;

namespace CoAP.NET.Orleans.Tests.Devices;

/// <summary>Devices of several silos.</summary>
/// <remarks>Real clock: the silos connect over loopback.</remarks>
public sealed class SiloDeviceTests : IAsyncDisposable
{
    private const string Name = "meter-7";

    private readonly SiloWorld _world = new();
    private readonly List<TestSilo> _silos = [];

    public ValueTask DisposeAsync() => _world.DisposeAsync();

    [Fact]
    public async Task A_device_answers_requests_from_each_silo()
    {
        await StartAsync(2);
        TestDevice device = await ConnectAsync(1);
        foreach (TestSilo silo in _silos)
        {
            await silo.Devices[Name].GetAsync("/state").Says("state");
            CoapRequest put = new(CoapMethod.Put, "coap://whatever.example/things/a%2Fb?x=1&y") { Content = CoapContent.Text("body") };
            put.Options.Add(OptionNumber.IfMatch, [1, 2]);
            CoapResponse response = await silo.Devices[Name].SendAsync(put);
            Assert.Equal((CoapCode.Changed, "/things/a/b x=1&y 1 body"), (response.Code, response.GetText()));
            await silo.Devices[Name].GetAsync("/nothing").Gives(CoapCode.NotFound);
            CoapDeviceStatus status = await silo.Devices[Name].GetStatusAsync();
            Assert.Equal((CoapDevicePresence.Awake, $"{_silos[1].Node}"), (status.Presence, status.Node));
            Assert.NotNull(status.LastHeard);
        }

        Assert.Equal(4, device.Asked);
        Assert.Equal((0, 1), (_silos[0].Devices.GetLocal().Count, _silos[1].Devices.GetLocal().Count));
    }

    [Fact]
    public async Task Large_bodies_and_streams_are_transferred_in_both_directions()
    {
        await StartAsync(2);
        TestDevice device = await ConnectAsync(1);
        device.Server.MapPost("/echo", (CoapRequestContext request) => CoapResults.Status(
            CoapCode.Content, request.Payload.ToArray(), CoapContentFormat.OctetStream));
        byte[] large = [.. Enumerable.Range(0, 100_000).Select(i => (byte)(i * 7))];

        await using MemoryStream read = new(large);
        await using MemoryStream written = new();
        CoapResponse response = await _silos[0].Devices[Name].SendAsync(new CoapRequest(CoapMethod.Post, "/echo")
        {
            Content = CoapContent.Stream(read, CoapContentFormat.OctetStream),
            Destination = written,
        });

        Assert.Equal((CoapCode.Content, CoapContentFormat.OctetStream), (response.Code, response.ContentFormat));
        Assert.Equal(large, written.ToArray());
        await DeviceAssert.FailsAsync(CoapDeviceFault.Failed, () => _silos[0].Devices[Name].PostAsync(
            "/echo", CoapContent.Binary(new byte[DeviceBodies.MaxLength + 1])));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public async Task A_failed_request_to_a_device_gives_the_same_exception_at_each_silo(int asking)
    {
        await StartAsync(2);
        TestDevice device = await ConnectAsync(1);
        TaskCompletionSource stuck = new();
        device.Server.MapPost("/stuck", async () =>
        {
            await stuck.Task;
            return CoapResults.Changed();
        });
        device.Server.MapGet("/stuck", async () =>
        {
            await stuck.Task;
            return CoapResults.Text("late");
        });
        ICoapDevices devices = _silos[asking].Devices;
        CoapDeviceException changed = await DeviceAssert.FailsAsync(CoapDeviceFault.Unreachable, () =>
            devices[Name].SendAsync(new CoapRequest(CoapMethod.Post, "/stuck") { Timeout = FromSeconds(1) }));
        CoapDeviceException read = await DeviceAssert.FailsAsync(CoapDeviceFault.Unreachable, () =>
            devices[Name].SendAsync(new CoapRequest(CoapMethod.Get, "/stuck") { Timeout = FromMilliseconds(200) }));
        Assert.Equal((true, false), (changed.IsOutcomeUnknown, read.IsOutcomeUnknown));

        using CancellationTokenSource cancel = new();
        Task<CoapResponse> canceled = devices[Name].GetAsync("/stuck", cancellationToken: cancel.Token);
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => canceled);
        await DeviceAssert.FailsAsync(CoapDeviceFault.Unknown, () => devices["nobody"].GetAsync("/state"));
        Assert.Equal(CoapDevicePresence.Unknown, (await devices["nobody"].GetStatusAsync()).Presence);
        stuck.SetResult();
    }

    [Fact]
    public async Task A_sleeping_device_is_asleep_at_each_silo()
    {
        await StartAsync(2, options => options.AwakeTime = FromTicks(1));
        TestDevice device = await ConnectAsync(1);
        foreach (TestSilo silo in _silos)
        {
            CoapDeviceException asleep =
                await DeviceAssert.FailsAsync(CoapDeviceFault.Asleep, () => silo.Devices[Name].PostAsync("/do", CoapContent.Text("it")));
            Assert.NotNull(asleep.LastHeard);
            Assert.False(asleep.IsOutcomeUnknown);
            Assert.Equal(CoapDevicePresence.Asleep, (await silo.Devices[Name].GetStatusAsync()).Presence);
        }

        Assert.Equal(0, device.Asked);
    }

    [Fact]
    public async Task A_device_that_moved_is_found_although_its_former_silo_is_cached()
    {
        await StartAsync(3);
        TestDevice before = await ConnectAsync(0);
        await _silos[2].Devices[Name].GetAsync("/state");
        Assert.Equal(1, _silos[2].Places.RememberedCount);

        // Nobody tells the first silo that its session has ended, but the grain does.
        TestDevice device = await ConnectAsync(1);
        await Eventually.IsTrueAsync(() => _silos[0].Devices.GetLocal().Count == 0);
        foreach (TestSilo silo in _silos)
        {
            await silo.Devices[Name].GetAsync("/state");
        }

        Assert.Equal((1, 3), (before.Asked, device.Asked));
    }

    [Fact]
    public async Task A_grain_without_state_finds_the_newest_session()
    {
        await StartAsync(2);
        TestDevice device = await ConnectAsync(1);
        await _silos[0].Grains.GetGrain<IManagementGrain>(0).ForceActivationCollection(TimeSpan.Zero);

        await _silos[0].Devices[Name].GetAsync("/state").Says("state");
        Assert.Equal(1, device.Asked);
    }

    [Fact]
    public async Task A_moved_session_with_an_older_last_message_does_not_replace_the_current_session()
    {
        await StartAsync(2);
        await ConnectAsync(1);
        IDeviceDirectory places = _silos[0].Grains.GetGrain<IDeviceDirectory>(Name);
        Assert.False((await places.ArrivedAsync(_silos[0].Silo, 99, FromHours(1))).IsNewest);
        Assert.Equal(_silos[1].Silo, (await places.FindAsync(null)).Silo);
        Assert.True((await places.ArrivedAsync(_silos[0].Silo, 100, null)).IsNewest);
        await Eventually.IsTrueAsync(() => _silos[1].Devices.GetLocal().Count == 0);
    }

    /// <summary>After the death of a silo very many sessions are restored at the same time.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public async Task The_grain_of_a_restored_session_asks_no_silo_whatever_their_number(int silos)
    {
        await StartAsync(silos);
        for (int i = 0; i < 10; i++)
        {
            IDeviceDirectory places = _silos[^1].Grains.GetGrain<IDeviceDirectory>($"restored-{i}");
            Assert.True((await places.ArrivedAsync(_silos[0].Silo, 1 + i, FromMinutes(1))).IsNewest);
            Assert.Equal(_silos[0].Silo, (await places.FindAsync(null)).Silo);
        }

        Assert.Equal(0, _silos.Sum(silo => silo.Gateway.FoundCount));
    }

    [Fact]
    public async Task A_session_is_reported_again_when_the_silo_of_its_grain_dies_so_no_older_session_replaces_it()
    {
        await StartAsync(3);

        // The grain is where it is called first.
        await _silos[2].Grains.GetGrain<IDeviceDirectory>(Name).FindAsync(null);
        await ConnectAsync(1);
        long before = _silos[1].Gateway.ReportedCount;

        await _silos[2].KillAsync(_silos[0]);

        await Eventually.IsTrueAsync(() => _silos[1].Gateway.ReportedCount > before);
        IDeviceDirectory places = _silos[0].Grains.GetGrain<IDeviceDirectory>(Name);
        Assert.False((await places.ArrivedAsync(_silos[0].Silo, 99, FromHours(1))).IsNewest);
        Assert.Equal(_silos[1].Silo, (await places.FindAsync(null)).Silo);
    }

    [Fact]
    public async Task A_dropped_session_becomes_the_current_session_again_when_its_device_sends_a_message()
    {
        await StartAsync(2);
        TestDevice device = await ConnectAsync(1);
        IDeviceDirectory places = _silos[0].Grains.GetGrain<IDeviceDirectory>(Name);

        // Shortly after the start of silos a second activation may be the one that answers: it has to know the session, too.
        Assert.Equal(_silos[1].Silo, (await places.FindAsync(null)).Silo);
        Assert.True((await places.ArrivedAsync(_silos[0].Silo, 1, null)).IsNewest);
        await Eventually.IsTrueAsync(() => _silos[1].Devices.GetLocal().Count == 0);

        await device.ConnectAsync(_silos[1]);

        await _silos[0].Devices[Name].GetAsync("/state").Says("state");
    }

    [Fact]
    public async Task A_device_is_asleep_after_the_death_of_its_silo_until_it_connects_to_another_silo()
    {
        await StartAsync(3);
        TestDevice device = await ConnectAsync(2);
        await _silos[0].Devices[Name].GetAsync("/state");
        await IsNotedAsync();

        await _silos[2].KillAsync(_silos[0]);

        CoapDeviceException asleep = await DeviceAssert.FailsAsync(
            CoapDeviceFault.Asleep, () => _silos[0].Devices[Name].GetAsync("/state"));
        Assert.NotNull(asleep.LastHeard);
        await DeviceAssert.FailsAsync(CoapDeviceFault.Unknown, () => _silos[0].Devices["nobody"].GetAsync("/state"));
        await device.ConnectAsync(_silos[1]);
        await _silos[0].Devices[Name].GetAsync("/state").Says("state");
    }

    [Fact]
    public async Task The_outcome_of_a_request_is_unknown_when_its_silo_dies()
    {
        await StartAsync(2);
        TestDevice device = await ConnectAsync(1);
        TaskCompletionSource reached = new(RunContinuationsAsynchronously);
        TaskCompletionSource stuck = new();
        device.Server.MapPost("/stuck", async () =>
        {
            reached.TrySetResult();
            await stuck.Task;
            return CoapResults.Changed();
        });
        Task<CoapResponse> asked = _silos[0].Devices[Name].PostAsync("/stuck", CoapContent.Text("it"));
        await reached.Task;

        await _silos[1].KillAsync(_silos[0]);

        CoapDeviceException failure = await DeviceAssert.FailsAsync(CoapDeviceFault.Unreachable, () => asked);
        Assert.True(failure.IsOutcomeUnknown);
        stuck.SetResult();
    }

    [Fact]
    public async Task Grains_and_Orleans_clients_send_requests_to_devices()
    {
        await StartAsync(2);
        TestDevice device = await ConnectAsync(1);
        device.Server.MapGet("/3303/0/5700", () => CoapResults.Text("21.5"));
        foreach (TestSilo silo in _silos)
        {
            Assert.Equal("21.5", await silo.Grains.GetGrain<IMeterGrain>(Name).ReadAsync());
            await silo.Grains.GetGrain<IDeviceGrain>(Name).ToDevice().GetAsync("/3303/0/5700").Says("21.5");
        }

        await DeviceAssert.FailsAsync(
            CoapDeviceFault.Unknown, () => _silos[0].Grains.GetGrain<IDeviceGrain>("nobody").ToDevice().GetAsync("/state"));
    }

    [Fact]
    public async Task A_peer_has_a_single_device_name()
    {
        // So a stranger fills no more names than it may have sessions.
        await StartAsync(2);
        await ConnectAsync(1);
        CoapPeer peer = Assert.Single(_silos[1].Server.Endpoint.ConnectedPeers);

        for (int i = 0; i < 10; i++)
        {
            _silos[1].Devices.Announce($"other-{i}", peer);
        }

        Assert.Equal("other-9", Assert.Single(_silos[1].Devices.GetLocal()).Name);
        await Eventually.IsTrueAsync(() => _silos[1].Gateway.TryFind(Name) is null);
        await _silos[0].Devices["other-9"].GetAsync("/state").Says("state");
        Assert.NotEqual(CoapDevicePresence.Awake, (await _silos[0].Devices["other-8"].GetStatusAsync()).Presence);
    }

    [Fact]
    public async Task A_queued_request_waits_until_its_device_is_at_any_silo()
    {
        await StartAsync(2);
        TestDevice device = await ConnectAsync(1);
        await IsNotedAsync();
        await Assert.Single(_silos[1].Server.Endpoint.ConnectedPeers).ReleaseAsync();
        await Eventually.IsTrueAsync(() => _silos[1].Devices.GetLocal().Count == 0);
        CoapRequest request = new(CoapMethod.Post, "/do") { Content = CoapContent.Text("it") };

        CoapQueuedRequest queued = await _silos[0].Devices[Name].QueueAsync(request);
        CoapQueuedRequest other = await _silos[1].Devices[Name].QueueAsync(request);
        Assert.Equal([queued.Id, other.Id], (await _silos[1].Devices[Name].GetQueuedAsync()).Select(one => one.Id));
        Assert.True(await _silos[0].Devices[Name].CancelAsync(other.Id));
        Task<CoapResponse>[] answers = [.. _silos.Select(silo => silo.Devices[Name].WaitAsync(queued.Id))];
        await device.ConnectAsync(_silos[0]);

        Assert.All(await Task.WhenAll(answers), response => response.Says("did it"));
        Assert.Equal(1, device.Asked);
    }

    [Fact]
    public async Task A_forgotten_device_is_unknown()
    {
        await StartAsync(2);
        await ConnectAsync(1);
        await _silos[0].Devices[Name].GetAsync("/state");
        await IsNotedAsync();

        await _silos[0].Devices.ForgetAsync(Name);

        await Eventually.IsTrueAsync(() => _silos[1].Devices.GetLocal().Count == 0);
        await DeviceAssert.FailsAsync(CoapDeviceFault.Unknown, () => _silos[0].Devices[Name].GetAsync("/state"));
    }

    [Fact]
    public async Task A_late_record_of_the_silo_of_a_device_does_not_restore_a_forgotten_device()
    {
        await StartAsync(2);
        await ConnectAsync(1);
        await IsNotedAsync();
        CoapCluster holder = _silos[1].Cluster;
        DeviceRecords records = ((ClusterDevices)_silos[1].Devices).Records;

        // The writer pauses after the first note, so the second one waits.
        for (int i = 0; i < 2; i++)
        {
            Assert.True(records.TryNote(
                Name, records.FenceOf(Name), new DeviceRecord(DateTimeOffset.UnixEpoch, holder.Self.Id), isHint: true));
        }

        await _silos[0].Devices.ForgetAsync(Name);

        await holder.Writer.FlushAsync();
        Assert.Null(await records.FindAsync(Name, default));
    }

    [Fact]
    public async Task The_outcome_of_a_request_of_another_silo_may_be_unknown_when_the_session_ends()
    {
        await StartAsync(2);
        TestDevice device = await ConnectAsync(1);
        TaskCompletionSource reached = new(RunContinuationsAsynchronously);
        TaskCompletionSource stuck = new();
        device.Server.MapPost("/stuck", async () =>
        {
            reached.TrySetResult();
            await stuck.Task;
            return CoapResults.Changed();
        });
        Task<CoapResponse> post = _silos[0].Devices[Name].PostAsync("/stuck", CoapContent.Text("1"));
        await reached.Task;

        await Assert.Single(_silos[1].Server.Endpoint.ConnectedPeers).ReleaseAsync();

        Assert.True((await DeviceAssert.FailsAsync(CoapDeviceFault.Unreachable, () => post)).IsOutcomeUnknown);
        stuck.SetResult();
    }

    [Fact]
    public async Task A_cancellation_reaches_the_silo_that_sends_the_request_to_the_device()
    {
        await StartAsync(2);
        TestDevice device = await ConnectAsync(1);
        TaskCompletionSource reached = new(RunContinuationsAsynchronously);
        TaskCompletionSource stuck = new();
        device.Server.MapGet("/stuck", async () =>
        {
            reached.TrySetResult();
            await stuck.Task;
            return CoapResults.Text("late");
        });
        using CancellationTokenSource stop = new();
        Task<CoapResponse> asked = _silos[0].Devices[Name].GetAsync("/stuck", stop.Token);
        await reached.Task;
        Assert.Equal(1, _silos[1].Gateway.AskedCount);

        await stop.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => asked);
        await Eventually.IsTrueAsync(() => _silos[1].Gateway.AskedCount == 0);
        stuck.SetResult();
    }

    [Fact]
    public async Task A_client_outside_of_the_silos_needs_the_secret_to_send_requests_to_devices()
    {
        await StartAsync(2);
        await ConnectAsync(1);
        using IHost client = await _world.StartClientAsync(_silos[0]);
        IDeviceGrain device = client.Services.GetRequiredService<IGrainFactory>().GetGrain<IDeviceGrain>(Name);

        await device.ToDevice().GetAsync("/state").Says("state");
        Assert.False(await SiloPort.SendsAsync(_silos[0].Outside, Enumerable.Repeat((byte)2, 32).ToArray()));
        await client.StopAsync();
    }

    [Fact]
    public async Task A_request_with_CoapDownloadOptions_is_refused()
    {
        await StartAsync(1);
        ICoapDevice device = _silos[0].Devices[Name];

        await Assert.ThrowsAsync<NotSupportedException>(
            () => device.SendAsync(new CoapRequest(CoapMethod.Get, "/state") { Download = new CoapDownloadOptions() }));
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
        await device.ConnectAsync(_silos[silo]);
        return device;
    }

    // Its record is written in the background.
    private async Task IsNotedAsync()
    {
        for (int looks = 0; await ((ClusterDevices)_silos[0].Devices).Records.FindAsync(Name, default) is null; looks++)
        {
            Assert.True(looks < 20_000);
            await Eventually.PauseAsync(looks);
        }
    }
}
