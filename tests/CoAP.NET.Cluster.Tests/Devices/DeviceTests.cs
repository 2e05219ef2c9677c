using CoAP.NET.Cluster.Devices;

namespace CoAP.NET.Cluster.Tests.Devices;

[Collection(VirtualTimeCollection.Name)]
public sealed class DeviceTests : IAsyncDisposable
{
    private const string Name = "meter-7";

    private readonly DeviceWorld _world = new();

    public ValueTask DisposeAsync() => _world.DisposeAsync();

    [Fact]
    public async Task A_device_with_a_session_at_the_node_gets_requests_by_its_name()
    {
        (DeviceNode node, TestDevice device) = await ConnectAsync();

        CoapResponse response = await AskAsync(node);

        response.Says("state");
        Assert.Equal(1, device.Asked);
        CoapDeviceStatus status = await node.Devices[Name].GetStatusAsync();
        Assert.Equal((CoapDevicePresence.Awake, $"{node.Cluster.Self.Id}"), (status.Presence, status.Node));
        Assert.Equivalent(status, Assert.Single(node.Devices.GetLocal()), strict: true);
    }

    [Fact]
    public async Task A_name_that_never_connected_is_unknown_and_not_asleep()
    {
        DeviceNode node = await _world.StartNodeAsync();

        CoapDeviceException error =
            await DeviceAssert.FailsAsync(CoapDeviceFault.Unknown, () => node.Devices["nob\u001body"].GetAsync("/state"));

        Assert.Equal("nob\u001body", error.Device);
        Assert.DoesNotContain('\u001b', error.Message);
        Assert.False(error.IsOutcomeUnknown);
        Assert.Equal(CoapDevicePresence.Unknown, (await node.Devices["nobody"].GetStatusAsync()).Presence);
    }

    [Fact]
    public async Task A_name_has_1_to_255_bytes()
    {
        DeviceNode node = await _world.StartNodeAsync();

        foreach (string name in (string[])["", new string('a', 256), new string('\u00e9', 128), "\ud800"])
        {
            Assert.Throws<ArgumentException>(() => node.Devices[name]);
        }

        foreach (string name in (string[])["a", new string('a', 255), new string('\u00e9', 127)])
        {
            Assert.Equal(CoapDevicePresence.Unknown, (await node.Devices[name].GetStatusAsync()).Presence);
        }
    }

    [Fact]
    public async Task A_device_that_did_not_answer_is_asleep_and_gets_no_request_before_it_has_sent_a_message()
    {
        (DeviceNode node, TestDevice device) = await ConnectAsync(options => options.RetryAsleepAfter = Timeout.InfiniteTimeSpan);
        DateTimeOffset heard = _world.Clock.GetUtcNow();
        _world.SetDeaf(device, true);

        CoapDeviceException first = await DeviceAssert.FailsAsync(
            CoapDeviceFault.Asleep, () => _world.RunAsync(node.Devices[Name].PostAsync("/do", CoapContent.Text("1"))));
        Assert.True(first.IsOutcomeUnknown);
        Assert.IsType<CoapTimeoutException>(first.InnerException);
        int sent = _world.Network.Trace.Count;
        await _world.PassAsync(FromHours(1));
        CoapDeviceException next = await FailsAsync(CoapDeviceFault.Asleep, node);

        Assert.False(next.IsOutcomeUnknown);
        Assert.InRange(next.LastHeard!.Value, heard.AddSeconds(-1), heard);
        Assert.Equal(sent, _world.Network.Trace.Count);
        await IsAsync(CoapDevicePresence.Asleep, node);

        _world.SetDeaf(device, false);
        await _world.RunAsync(device.SpeakAsync(node));
        await IsAsync(CoapDevicePresence.Awake, node);
        await AskAsync(node).Says("state");
        Assert.Equal(1, device.Asked);
    }

    [Fact]
    public async Task A_silent_device_gets_a_single_trial_request_after_RetryAsleepAfter()
    {
        (DeviceNode node, TestDevice device) = await ConnectAsync(options => options.RetryAsleepAfter = FromMinutes(5));
        _world.SetDeaf(device, true);
        await DeviceAssert.FailsAsync(CoapDeviceFault.Asleep, () => AskAsync(node));
        _world.SetDeaf(device, false);
        await _world.PassAsync(FromMinutes(4));
        await FailsAsync(CoapDeviceFault.Asleep, node);
        await _world.PassAsync(FromMinutes(1));

        Task<CoapResponse> trial = node.Devices[Name].GetAsync("/state");
        await FailsAsync(CoapDeviceFault.Asleep, node);

        await _world.RunAsync(trial).Says("state");
        await AskAsync(node);
        Assert.Equal(2, device.Asked);
    }

    [Fact]
    public async Task A_device_is_asleep_after_the_configured_number_of_consecutive_unanswered_requests()
    {
        (DeviceNode node, TestDevice device) = await ConnectAsync(options => options.TriesBeforeAsleep = 2);
        _world.SetDeaf(device, true);

        CoapDeviceException first = await DeviceAssert.FailsAsync(
            CoapDeviceFault.Unreachable, () => _world.RunAsync(node.Devices[Name].PostAsync("/do", CoapContent.Text("1"))));
        Assert.True(first.IsOutcomeUnknown);
        await IsAsync(CoapDevicePresence.Awake, node);

        await DeviceAssert.FailsAsync(CoapDeviceFault.Asleep, () => AskAsync(node));
        await IsAsync(CoapDevicePresence.Asleep, node);
    }

    [Fact]
    public async Task Concurrent_unanswered_requests_count_as_a_single_attempt()
    {
        (DeviceNode node, TestDevice device) = await ConnectAsync(options => options.TriesBeforeAsleep = 2);
        _world.SetDeaf(device, true);

        Task<CoapResponse>[] asked = [.. Enumerable.Range(0, 3).Select(_ => node.Devices[Name].SendAsync(
            new CoapRequest(CoapMethod.Get, "/state") { Timeout = FromSeconds(20) }))];
        await _world.RunUntilAsync(() => asked.All(task => task.IsCompleted));

        Assert.All(asked, task => Assert.Equal(
            CoapDeviceFault.Unreachable, Assert.IsType<CoapDeviceException>(task.Exception!.InnerException).Fault));
        await IsAsync(CoapDevicePresence.Awake, node);
    }

    [Fact]
    public async Task A_request_with_a_short_timeout_does_not_mark_the_device_asleep()
    {
        (DeviceNode node, TestDevice device) = await ConnectAsync();
        _world.SetDeaf(device, true);

        CoapDeviceException error = await DeviceAssert.FailsAsync(
            CoapDeviceFault.Unreachable, () => _world.RunAsync(node.Devices[Name].SendAsync(
                new CoapRequest(CoapMethod.Get, "/state") { Timeout = FromMilliseconds(100) })));

        Assert.False(error.IsOutcomeUnknown);
        await IsAsync(CoapDevicePresence.Awake, node);
    }

    [Fact]
    public async Task A_device_in_queue_mode_gets_no_request_after_its_awake_time()
    {
        (DeviceNode node, TestDevice device) = await ConnectAsync(options => options.AwakeTime = FromSeconds(93));
        await _world.PassAsync(FromSeconds(92));
        await AskAsync(node);
        await _world.PassAsync(FromSeconds(92));
        await AskAsync(node);
        await _world.PassAsync(FromSeconds(94));

        await FailsAsync(CoapDeviceFault.Asleep, node);

        Assert.Equal(2, device.Asked);
        await _world.RunAsync(device.SpeakAsync(node));
        await AskAsync(node);
    }

    [Fact]
    public async Task A_device_whose_session_has_ended_is_asleep_also_for_the_node_that_starts_after_a_crash()
    {
        (DeviceNode node, TestDevice device) = await ConnectAsync();
        DateTimeOffset heard = _world.Clock.GetUtcNow();
        await node.Cluster.Writer.FlushAsync();
        DeviceNode next = await _world.StartNodeAsync();
        await device.Server.DisposeAsync();
        Assert.Empty(node.Devices.GetLocal());

        foreach (DeviceNode one in (DeviceNode[])[node, next])
        {
            CoapDeviceException error =
                await FailsAsync(CoapDeviceFault.Asleep, one);
            Assert.InRange(error.LastHeard!.Value, heard.AddSeconds(-1), heard.AddSeconds(1));
            Assert.Equal((CoapDevicePresence.Asleep, default), (await one.Devices[Name].GetStatusAsync()) switch
            {
                { Presence: var presence, Node: var at } => (presence, at),
            });
        }
    }

    [Fact]
    public async Task A_forgotten_device_is_unknown_until_it_connects_again()
    {
        (DeviceNode node, TestDevice device) = await ConnectAsync();

        await node.Devices.ForgetAsync(Name);

        await FailsAsync(CoapDeviceFault.Unknown, node);
        await Assert.ThrowsAsync<ArgumentException>(() => node.Devices.ForgetAsync(""));
        TestDevice again = await _world.StartDeviceAsync(Name);
        await _world.RunAsync(again.SpeakAsync(node));
        await AskAsync(node);
        Assert.Equal((0, 1), (device.Asked, again.Asked));
    }

    [Fact]
    public async Task A_device_gets_requests_in_its_newest_session_also_after_an_older_session_ended()
    {
        (DeviceNode node, TestDevice device) = await ConnectAsync();
        TestDevice again = await _world.StartDeviceAsync(Name);
        await _world.RunAsync(again.SpeakAsync(node));

        await device.Server.DisposeAsync();
        await AskAsync(node);

        Assert.Equal((0, 1), (device.Asked, again.Asked));
        Assert.Single(node.Devices.GetLocal());
    }

    [Fact]
    public async Task The_error_for_a_session_that_ends_during_a_request_says_whether_the_outcome_is_unknown()
    {
        (DeviceNode node, TestDevice device) = await ConnectAsync();
        _world.SetDeaf(device, true);
        Task<CoapResponse> post = node.Devices[Name].PostAsync("/do", CoapContent.Text("1"));
        Task<CoapResponse> get = node.Devices[Name].GetAsync("/state");

        await device.Server.DisposeAsync();

        Assert.True((await DeviceAssert.FailsAsync(CoapDeviceFault.Unreachable, () => _world.RunAsync(post))).IsOutcomeUnknown);
        Assert.False((await DeviceAssert.FailsAsync(CoapDeviceFault.Unreachable, () => _world.RunAsync(get))).IsOutcomeUnknown);
    }

    [Fact]
    public async Task A_caller_that_cancels_gets_an_OperationCanceledException()
    {
        (DeviceNode node, TestDevice device) = await ConnectAsync();
        _world.SetDeaf(device, true);
        using CancellationTokenSource stop = new();
        Task<CoapResponse> asked = node.Devices[Name].GetAsync("/state", stop.Token);

        await stop.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => _world.RunAsync(asked));
        await IsAsync(CoapDevicePresence.Awake, node);
    }

    [Fact]
    public async Task Invalid_device_names_are_refused_and_a_peer_with_such_a_name_is_served_but_is_not_a_device()
    {
        string?[] answers = ["", new string('x', 256), "\ud800", null];
        int asked = 0;
        DeviceNode node = await _world.StartNodeAsync(options => options.NameOf = _ =>
            asked < answers.Length ? answers[asked++] : throw new InvalidOperationException("no more"));

        for (int i = 0; i <= answers.Length; i++)
        {
            TestDevice device = await _world.StartDeviceAsync($"device-{i}");
            await _world.RunAsync(device.SpeakAsync(node)).Says("hello");
        }

        Assert.Empty(node.Devices.GetLocal());
        foreach (string name in answers.OfType<string>())
        {
            Assert.Throws<ArgumentException>(() => node.Devices[name]);
        }

        Assert.NotNull(node.Devices[new string('\u00e4', 127)]);
    }

    [Fact]
    public async Task A_peer_without_a_session_is_a_device_when_it_is_announced()
    {
        DeviceNode node = await _world.StartNodeAsync();
        node.Server.MapPost("/rd", (CoapRequestContext request) =>
        {
            node.Devices.Announce(request.GetText(), request.Peer);
            return CoapResults.Changed();
        }).AllowInsecureTransport();
        TestDevice device = await _world.StartDeviceAsync(Name, "coap");

        CoapResponse registered = await _world.RunAsync(
            device.Server.Endpoint.PostAsync($"coap://{node.Address with { Port = 5683 }}/rd", CoapContent.Text(Name)));
        registered.Gives(CoapCode.Changed);
        await AskAsync(node);

        Assert.Equal(1, device.Asked);
    }

    [Fact]
    public async Task Devices_that_connected_while_the_store_was_unavailable_are_stored_when_it_is_available()
    {
        _world.Memory.IsAway = true;
        (DeviceNode node, TestDevice device) = await ConnectAsync();
        await AskAsync(node).Says("state");
        CoapDeviceException away = await DeviceAssert.FailsAsync(
            CoapDeviceFault.Unreachable, () => node.Devices["other"].GetAsync("/state"));
        Assert.IsType<CoapClusterStoreException>(away.InnerException);

        _world.Memory.IsAway = false;
        await _world.RunUntilAsync(() => !node.Cluster.Health.IsDegraded && _world.Memory.Count > 0);
        await device.Server.DisposeAsync();

        await FailsAsync(CoapDeviceFault.Asleep, node);
    }

    [Fact]
    public async Task Messages_of_a_device_cause_no_writes_except_an_occasional_update_of_its_last_message_time()
    {
        (DeviceNode node, TestDevice device) = await ConnectAsync();
        await node.Cluster.Writer.FlushAsync();
        long written = node.Cluster.Writer.GetCounters().Written;
        for (int i = 0; i < 20; i++)
        {
            await _world.PassAsync(FromSeconds(1));
            await _world.RunAsync(device.SpeakAsync(node));
        }

        await node.Cluster.Writer.FlushAsync();
        Assert.Equal(written, node.Cluster.Writer.GetCounters().Written);

        await _world.PassAsync(FromMinutes(15));
        await node.Cluster.Writer.FlushAsync();
        Assert.Equal(written + 1, node.Cluster.Writer.GetCounters().Written);
        await _world.PassAsync(FromHours(1));
        await node.Cluster.Writer.FlushAsync();
        Assert.Equal(written + 1, node.Cluster.Writer.GetCounters().Written);
    }

    [Fact]
    public async Task A_moved_session_does_not_replace_the_newer_session_of_its_device()
    {
        (DeviceNode node, TestDevice before) = await ConnectAsync();
        LocalDevices local = ((ClusterDevices)node.Devices).Local;
        CoapPeer old = local.TryFind(Name)!.Peer;
        await _world.PassAsync(FromMinutes(1));
        TestDevice device = await _world.StartDeviceAsync(Name);
        await _world.RunAsync(device.SpeakAsync(node));

        local.Add(Name, old);

        await AskAsync(node);
        Assert.Equal((0, 1), (before.Asked, device.Asked));
    }

    [Fact]
    public async Task A_moved_session_with_the_last_message_is_the_current_session_until_the_device_uses_another_session()
    {
        (DeviceNode node, TestDevice moved) = await ConnectAsync();
        LocalDevices local = ((ClusterDevices)node.Devices).Local;
        CoapPeer peer = local.TryFind(Name)!.Peer;
        await _world.PassAsync(FromSeconds(10));
        TestDevice other = await _world.StartDeviceAsync(Name);
        await _world.RunAsync(other.SpeakAsync(node));
        await _world.PassAsync(FromSeconds(10));
        await _world.RunAsync(moved.SpeakAsync(node));
        await _world.PassAsync(FromSeconds(10));

        // Heard last in the session that came.
        local.Add(Name, peer);
        Assert.Same(peer, local.TryFind(Name)!.Peer);

        // The last message in it may only have taken long: the device is where it speaks.
        await _world.RunAsync(other.SpeakAsync(node));
        await _world.PassAsync(FromSeconds(2));
        Assert.NotSame(peer, local.TryFind(Name)!.Peer);
        await AskAsync(node);
        Assert.Equal((0, 1), (moved.Asked, other.Asked));
    }

    [Fact]
    public async Task A_standby_node_cannot_forget_a_device()
    {
        (DeviceNode node, _) = await ConnectAsync();
        await node.Cluster.Writer.FlushAsync();
        DeviceNode standby = await _world.StartNodeAsync();

        await Assert.ThrowsAsync<CoapClusterStoreException>(() => standby.Devices.ForgetAsync(Name));

        await IsAsync(CoapDevicePresence.Asleep, standby);
        await AskAsync(node).Says("state");
    }

    [Fact]
    public void The_error_for_an_option_out_of_range_names_the_option()
    {
        CoapDeviceOptions options = new();
        Assert.Null(options.FindFault());
        Assert.Throws<ArgumentOutOfRangeException>("TriesBeforeAsleep", () => options.TriesBeforeAsleep = 0);
        Assert.Throws<ArgumentOutOfRangeException>("AwakeTime", () => options.AwakeTime = TimeSpan.Zero);
        Assert.Throws<ArgumentOutOfRangeException>("RetryAsleepAfter", () => options.RetryAsleepAfter = FromSeconds(-2));
        Assert.Throws<ArgumentOutOfRangeException>("RememberFor", () => options.RememberFor = Timeout.InfiniteTimeSpan);
        options.MaxQueuedPerCaller = options.MaxQueued + 1;
        options.FindFault().Mentions("MaxQueuedPerCaller");
    }

    private Task<CoapResponse> AskAsync(DeviceNode node) => _world.RunAsync(node.Devices[Name].GetAsync("/state"));

    private static Task<CoapDeviceException> FailsAsync(CoapDeviceFault fault, DeviceNode node) =>
        DeviceAssert.FailsAsync(fault, () => node.Devices[Name].GetAsync("/state"));

    private static async Task IsAsync(CoapDevicePresence presence, DeviceNode node) =>
        Assert.Equal(presence, (await node.Devices[Name].GetStatusAsync()).Presence);

    private async Task<(DeviceNode Node, TestDevice Device)> ConnectAsync(Action<CoapDeviceOptions>? configure = null)
    {
        DeviceNode node = await _world.StartNodeAsync(configure);
        TestDevice device = await _world.StartDeviceAsync(Name);
        await _world.RunAsync(device.SpeakAsync(node));
        return (node, device);
    }
}
