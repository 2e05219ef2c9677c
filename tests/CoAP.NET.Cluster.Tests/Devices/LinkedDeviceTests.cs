using CoAP.NET.Tests;

namespace CoAP.NET.Cluster.Tests.Devices;

/// <summary>Three nodes with links over loopback, and devices that are at one of them.</summary>
/// <remarks>Real clock: the links between the nodes are connections over loopback.</remarks>
public sealed class LinkedDeviceTests : IAsyncDisposable
{
    private const string Name = "meter-7";

    private readonly DeviceWorld _world = new(hasLinks: true);
    private readonly List<DeviceNode> _nodes = [];

    public ValueTask DisposeAsync() => _world.DisposeAsync();

    [Fact]
    public async Task A_device_is_asked_from_each_node_and_answers_as_it_does_where_it_is()
    {
        await StartAsync();
        TestDevice device = await ConnectAsync(1);
        device.Server.MapPut("/things/{id}", (CoapRequest request) =>
            $"{request.Path} {string.Join('&', request.Queries)} {request.Options.IfMatch.Count} {request.GetText()}");
        foreach (DeviceNode node in _nodes)
        {
            Assert.Equal("state", (await node.Devices[Name].GetAsync("/state")).GetText());
            CoapRequest put = new(CoapMethod.Put, "coap://whatever.example/things/a%2Fb?x=1&y") { Content = CoapContent.Text("body") };
            put.Options.Add(CoAP.NET.Options.OptionNumber.IfMatch, [1, 2]);
            CoapResponse response = await node.Devices[Name].SendAsync(put);
            Assert.Equal((CoapCode.Changed, "/things/a/b x=1&y 1 body"), (response.Code, response.GetText()));
            Assert.Equal(CoapCode.NotFound, (await node.Devices[Name].GetAsync("/nothing")).Code);
            Assert.Equal(_nodes[1].Cluster.Self.Id, (await node.Devices[Name].GetStatusAsync()).Node);
        }

        Assert.Equal(3, device.Asked);
    }

    [Fact]
    public async Task Large_bodies_pass_both_ways()
    {
        await StartAsync();
        TestDevice device = await ConnectAsync(0);
        byte[] large = [.. Enumerable.Range(0, 100_000).Select(static i => (byte)(i * 7))];
        device.Server.MapPost("/echo", (CoapRequest request) => new CoapResult(
            CoapCode.Content, request.Payload.ToArray(), CoapContentFormat.OctetStream));

        CoapResponse response = await _nodes[2].Devices[Name].PostAsync("/echo", CoapContent.Binary(large));

        Assert.Equal(CoapCode.Content, response.Code);
        Assert.True(response.Payload.Span.SequenceEqual(large));
        Assert.Equal(CoapContentFormat.OctetStream, response.ContentFormat);
        await using MemoryStream read = new(large);
        CoapResponse streamed = await _nodes[1].Devices[Name].SendAsync(
            new CoapRequest(CoapMethod.Post, "/echo") { Content = CoapContent.Stream(read, CoapContentFormat.OctetStream) });
        Assert.True(streamed.Payload.Span.SequenceEqual(large));
    }

    [Fact]
    public async Task A_device_that_comes_to_another_node_is_asked_there_whatever_was_remembered()
    {
        await StartAsync();
        TestDevice device = await ConnectAsync(0);
        await _nodes[2].Devices[Name].GetAsync("/state");
        Assert.True(Nodes(2).Knows(Name));

        // Its session with the first node stands, as nobody told that node of the end.
        TestDevice moved = await ConnectAsync(1);
        await Eventually.IsTrueAsync(() => _nodes[0].Devices.GetLocal().Count == 0);
        foreach (DeviceNode node in _nodes)
        {
            await node.Devices[Name].GetAsync("/state");
        }

        Assert.Equal((1, 3), (device.Asked, moved.Asked));

        // What is remembered is wrong: the node says so, and all are asked.
        Nodes(0).Remember(Name, _nodes[2].Cluster.Self.Id);
        await _nodes[0].Devices[Name].GetAsync("/state");
        Nodes(0).Remember(Name, CoapNodeId.New());
        await _nodes[0].Devices[Name].GetAsync("/state");
        Assert.Equal(5, moved.Asked);
    }

    [Fact]
    public async Task A_node_to_which_an_old_session_of_a_device_moved_is_told_that_there_is_a_new_one()
    {
        await StartAsync();
        await ConnectAsync(0);
        LocalDevices local = ((ClusterDevices)_nodes[0].Devices).Local;
        LocalDevice old = local.TryFind(Name)!;
        TestDevice device = await ConnectAsync(1);
        await Eventually.IsTrueAsync(() => local.Count == 0);

        local.Add(Name, old.Key.ToArray(), old.Peer);
        new DevicePosts(_nodes[0].Cluster).TellMoved(old.Key.Span, old.CameAt, session: []);

        await Eventually.IsTrueAsync(() => local.Count == 0);
        await _nodes[0].Devices[Name].GetAsync("/state");
        Assert.Equal(1, device.Asked);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(2)]
    public async Task A_device_with_two_sessions_that_moved_is_asked_in_the_one_that_is_awake(int asking)
    {
        // To clocks so far ahead each session looks as if it had moved here, and which of two is newer nobody knows.
        for (int i = 0; i < 3; i++)
        {
            TimeSpan awake = i == 0 ? TimeSpan.FromMinutes(10) : Timeout.InfiniteTimeSpan;
            _nodes.Add(await _world.StartNodeAsync(options => options.AwakeTime = awake, new ClockAhead(TimeSpan.FromMinutes(20))));
        }

        await _world.AreLinkedAsync();
        TestDevice before = await ConnectAsync(0);
        LocalDevices local = ((ClusterDevices)_nodes[0].Devices).Local;

        // It is there alone, and asleep.
        await Assert.ThrowsAsync<CoapDeviceAsleepException>(() => _nodes[asking].Devices[Name].GetAsync("/state"));
        TestDevice device = await ConnectAsync(1);
        await Eventually.IsTrueAsync(() => local.TryFind(Name)!.MayBeElsewhere);
        Nodes(2).Remember(Name, _nodes[0].Cluster.Self.Id);

        Assert.Equal("state", (await _nodes[asking].Devices[Name].GetAsync("/state")).GetText());
        Assert.Equal((0, 1), (before.Asked, device.Asked));
        await _nodes[asking].Devices[Name].GetAsync("/state");
        Assert.Equal((0, 2), (before.Asked, device.Asked));

        // Only the node that was told nothing but that its own session sleeps knows that the other one answers.
        Assert.Equal(asking == 0, local.Count == 0);
    }

    [Fact]
    public async Task Failures_are_the_same_from_each_node()
    {
        await StartAsync(static options => options.AwakeTime = TimeSpan.FromTicks(1));
        TestDevice device = await ConnectAsync(1);
        DateTimeOffset heard = _nodes[1].Devices.GetLocal()[0].LastHeard!.Value;
        foreach (DeviceNode node in _nodes)
        {
            CoapDeviceAsleepException asleep =
                await Assert.ThrowsAsync<CoapDeviceAsleepException>(() => node.Devices[Name].GetAsync("/state"));
            Assert.InRange(asleep.LastHeard!.Value, heard.AddMinutes(-1), heard.AddMinutes(1));
            Assert.False(asleep.IsOutcomeUnknown);
            Assert.Equal(CoapDevicePresence.Asleep, (await node.Devices[Name].GetStatusAsync()).Presence);
            await Assert.ThrowsAsync<CoapDeviceUnknownException>(() => node.Devices["nobody"].GetAsync("/state"));
        }

        Assert.Equal(0, device.Asked);
    }

    [Fact]
    public async Task A_session_that_ends_under_a_request_of_another_node_says_whether_it_may_have_taken_effect()
    {
        await StartAsync();
        TestDevice device = await ConnectAsync(1);
        _world.SetDeaf(device, true);
        int before = _world.Network.Trace.Count;
        Task<CoapResponse> post = _nodes[0].Devices[Name].PostAsync("/do", CoapContent.Text("1"));
        await Eventually.IsTrueAsync(() => _world.Network.Trace.Count > before);

        await device.Server.DisposeAsync();

        Assert.True((await Assert.ThrowsAsync<CoapDeviceUnreachableException>(() => post)).IsOutcomeUnknown);
        await _nodes[1].Cluster.Writer.FlushAsync();
    }

    [Fact]
    public async Task A_cancellation_travels_to_the_node_that_asks_the_device()
    {
        await StartAsync();
        TestDevice device = await ConnectAsync(1);
        TaskCompletionSource asked = new(TaskCreationOptions.RunContinuationsAsynchronously);
        device.Server.MapGet("/slow", async (CoapRequest request, CancellationToken cancellationToken) =>
        {
            asked.TrySetResult();
            await Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, cancellationToken);
            return CoapResults.Text("");
        });
        using CancellationTokenSource stop = new();
        Task<CoapResponse> slow = _nodes[0].Devices[Name].GetAsync("/slow", stop.Token);
        await asked.Task;
        Assert.Equal(1, Nodes(1).ServedCount);

        await stop.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => slow);
        await Eventually.IsTrueAsync(() => Nodes(1).ServedCount == 0);
        Assert.Equal("state", (await _nodes[0].Devices[Name].GetAsync("/state")).GetText());
    }

    [Fact]
    public async Task The_node_of_a_device_that_dies_leaves_it_asleep_until_it_connects_to_another_one()
    {
        await StartAsync();
        TestDevice device = await ConnectAsync(1);
        await _nodes[0].Devices[Name].GetAsync("/state");
        await Eventually.IsTrueAsync(() => _world.Memory.Count > 0);

        await _nodes[1].DisposeAsync();
        await Eventually.IsTrueAsync(() => !_nodes[0].Cluster.Map.IsThere(_nodes[1].Cluster.Self.Id));
        await Assert.ThrowsAsync<CoapDeviceAsleepException>(() => _nodes[0].Devices[Name].GetAsync("/state"));

        TestDevice again = await ConnectAsync(2);
        Assert.Equal("state", (await _nodes[0].Devices[Name].GetAsync("/state")).GetText());
        Assert.Equal((1, 1), (device.Asked, again.Asked));
    }

    [Fact]
    public async Task A_request_from_any_node_waits_and_its_caller_goes_on_waiting_when_the_node_of_the_outbox_dies()
    {
        await StartAsync();
        TestDevice device = await ConnectAsync(1);
        await Eventually.IsTrueAsync(() => _world.Memory.Count > 0);
        await device.Server.DisposeAsync();
        await Eventually.IsTrueAsync(() => _nodes[1].Devices.GetLocal().Count == 0);
        DeviceNode home = _nodes.Single(node => node.Cluster.FenceOf(CoapSlot.OfName("meter-7"u8)).IsSet);
        DeviceNode[] others = [.. _nodes.Where(node => node != home)];
        List<CoapQueuedRequest> queued = [];
        for (int i = 0; i < 3; i++)
        {
            queued.Add(await others[0].Devices[Name].QueueAsync(
                new CoapRequest(CoapMethod.Put, "/set") { Content = CoapContent.Text($"{i}") }));
        }

        foreach (DeviceNode node in _nodes)
        {
            Assert.Equal(queued.Select(static one => one.Id), (await node.Devices[Name].GetQueuedAsync()).Select(static one => one.Id));
        }

        Assert.True(await others[1].Devices[Name].CancelAsync(queued[1].Id));
        Task<CoapResponse> first = others[0].Devices[Name].WaitAsync(queued[0].Id);
        Task<CoapResponse> last = others[1].Devices[Name].WaitAsync(queued[2].Id);

        await home.DisposeAsync();
        TestDevice again = await _world.StartDeviceAsync(Name);
        await again.SpeakAsync(others[1]);

        Assert.Equal("set 0", (await first).GetText());
        Assert.Equal("set 2", (await last).GetText());
        Assert.Equal(["set 0", "set 2"], again.Done);
        Assert.Equal(CoapDeviceQueueFault.Cancelled, (await Assert.ThrowsAsync<CoapDeviceQueueException>(
            () => others[0].Devices[Name].WaitAsync(queued[1].Id))).Fault);
    }

    [Fact]
    public async Task A_device_is_forgotten_on_every_node()
    {
        await StartAsync();
        await ConnectAsync(1);
        await Eventually.IsTrueAsync(() => _world.Memory.Count > 0);

        await _nodes[0].Devices.ForgetAsync(Name);

        await Eventually.IsTrueAsync(() => _nodes[1].Devices.GetLocal().Count == 0);
        foreach (DeviceNode node in _nodes)
        {
            await Assert.ThrowsAsync<CoapDeviceUnknownException>(() => node.Devices[Name].GetAsync("/state"));
        }
    }

    private DeviceNodes Nodes(int node) => ((ClusterDevices)_nodes[node].Devices).Nodes;

    private async Task StartAsync(Action<CoapDeviceOptions>? configure = null)
    {
        for (int i = 0; i < 3; i++)
        {
            _nodes.Add(await _world.StartNodeAsync(configure));
        }

        await _world.AreLinkedAsync();
    }

    private async Task<TestDevice> ConnectAsync(int node)
    {
        TestDevice device = await _world.StartDeviceAsync(Name);
        await device.SpeakAsync(_nodes[node]);
        return device;
    }

    private sealed class ClockAhead(TimeSpan ahead) : TimeProvider
    {
        public override DateTimeOffset GetUtcNow() => base.GetUtcNow() + ahead;
    }
}
