using CoAP.NET.Cluster.Maps;

namespace CoAP.NET.Cluster.Tests.Devices;

[Collection(VirtualTimeCollection.Name)]
public sealed class OutboxTests : IAsyncDisposable
{
    private const string Name = "meter-7";

    private readonly DeviceWorld _world = new();

    public ValueTask DisposeAsync() => _world.DisposeAsync();

    [Fact]
    public async Task Queued_requests_wait_until_the_device_wakes_and_are_sent_sequentially_in_order()
    {
        (DeviceNode node, TestDevice device) = await SleepAsync();
        int running = 0;
        int most = 0;
        device.Server.MapPost("/slow", async (CoapRequestContext request) =>
        {
            most = Math.Max(most, Interlocked.Increment(ref running));
            await Task.Delay(FromSeconds(1), _world.Clock, CancellationToken.None);
            Interlocked.Decrement(ref running);
            return CoapResults.Text(request.GetText());
        });
        List<CoapQueuedRequest> queued = [];
        for (int i = 0; i < 5; i++)
        {
            queued.Add(await _world.RunAsync(node.Devices[Name].QueueAsync(Post("/slow", $"{i}"))));
        }

        Assert.Equal(queued.Select(one => one.Id), (await node.Devices[Name].GetQueuedAsync()).Select(one => one.Id));
        Assert.All(queued, one => Assert.Equal((Name, CoapCode.Post, "/slow", false), (one.Device, one.Method, one.Path, one.IsSent)));
        List<string> answers = [];
        Task all = Task.WhenAll(queued.Select(async one =>
        {
            CoapResponse response = await node.Devices[Name].WaitAsync(one.Id);
            lock (answers)
            {
                answers.Add(response.GetText());
            }
        }));
        await _world.PassAsync(FromHours(1));
        Assert.Empty(answers);

        await WakeAsync(node, device);

        await _world.RunAsync(all);
        Assert.Equal(["0", "1", "2", "3", "4"], answers);
        Assert.Equal(1, most);
        Assert.Empty(await node.Devices[Name].GetQueuedAsync());
        await _world.RunAsync(node.Devices[Name].WaitAsync(queued[3].Id)).Says("3");
    }

    [Fact]
    public async Task A_queued_request_to_an_awake_device_is_sent_at_once()
    {
        (DeviceNode node, _) = await ConnectAsync();

        CoapResponse response = await _world.RunAsync(node.Devices[Name].SendAsync(
            new CoapRequest(CoapMethod.Get, "/state"), new CoapDeviceRequestOptions { Queue = true }));

        response.Says("state");
    }

    [Fact]
    public async Task A_queued_request_expires_after_its_lifetime_and_later_requests_are_sent()
    {
        (DeviceNode node, TestDevice device) = await SleepAsync();
        CoapQueuedRequest brief = await _world.RunAsync(node.Devices[Name].QueueAsync(
            Post("/do", "brief"), new CoapDeviceRequestOptions { Lifetime = FromMinutes(5) }));
        CoapQueuedRequest lasting = await _world.RunAsync(node.Devices[Name].QueueAsync(Post("/do", "lasting")));
        Task<CoapResponse> waits = node.Devices[Name].WaitAsync(brief.Id);

        CoapDeviceException error = await Assert.ThrowsAsync<CoapDeviceException>(() => _world.RunAsync(waits));
        Assert.Equal((CoapDeviceFault.Expired, false), (error.Fault, error.IsOutcomeUnknown));
        await WakeAsync(node, device);
        await _world.RunAsync(node.Devices[Name].WaitAsync(lasting.Id));
        Assert.Equal(["did lasting"], device.Done);
    }

    [Fact]
    public async Task A_queued_request_is_cancelled_by_its_id_or_by_its_waiting_caller()
    {
        (DeviceNode node, TestDevice device) = await SleepAsync();
        CoapQueuedRequest first = await _world.RunAsync(node.Devices[Name].QueueAsync(Post("/do", "1")));
        using CancellationTokenSource stop = new();
        Task<CoapResponse> second = node.Devices[Name].SendAsync(
            Post("/do", "2"), new CoapDeviceRequestOptions { Queue = true }, stop.Token);
        CoapQueuedRequest third = await _world.RunAsync(node.Devices[Name].QueueAsync(Post("/do", "3")));

        Assert.True(await _world.RunAsync(node.Devices[Name].CancelAsync(first.Id)));
        Assert.False(await node.Devices[Name].CancelAsync(first.Id));
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => _world.RunAsync(second));

        CoapDeviceException error = await Assert.ThrowsAsync<CoapDeviceException>(
            () => _world.RunAsync(node.Devices[Name].WaitAsync(first.Id)));
        Assert.Equal(CoapDeviceFault.Cancelled, error.Fault);
        await WakeAsync(node, device);
        await _world.RunAsync(node.Devices[Name].WaitAsync(third.Id));
        Assert.Equal(["did 3"], device.Done);
    }

    [Fact]
    public async Task Queued_requests_survive_a_crash_and_those_that_may_have_been_sent_fail_and_are_not_repeated()
    {
        (DeviceNode node, TestDevice device) = await SleepAsync();
        CoapQueuedRequest put = await _world.RunAsync(node.Devices[Name].QueueAsync(Put("a")));
        await _world.RunAsync(node.Devices[Name].CancelAsync(put.Id));
        CoapQueuedRequest post = await _world.RunAsync(node.Devices[Name].QueueAsync(Post("/do", "b")));
        CoapQueuedRequest asked = await _world.RunAsync(node.Devices[Name].QueueAsync(
            Post("/do", "c"), new CoapDeviceRequestOptions { RepeatWhenInDoubt = true }));
        CoapQueuedRequest last = await _world.RunAsync(node.Devices[Name].QueueAsync(Put("d")));

        // It is heard, and deaf, so that what is sent has no answer when the node dies.
        await _world.RunAsync(device.SpeakAsync(node, isDeaf: true, _world));
        await _world.RunUntilAsync(() => SentCount(node) == 1);
        await node.DisposeAsync();
        DeviceNode next = await _world.StartNodeAsync();
        await _world.RunUntilAsync(() => next.Cluster.FenceOf(CoapSlot.OfName("meter-7"u8)).IsSet);

        CoapDeviceException error = await Assert.ThrowsAsync<CoapDeviceException>(
            () => _world.RunAsync(next.Devices[Name].WaitAsync(post.Id)));
        Assert.Equal((CoapDeviceFault.PerhapsSent, true), (error.Fault, error.IsOutcomeUnknown));
        _world.SetDeaf(device, false);
        await _world.RunAsync(device.SpeakAsync(next));
        await _world.RunAsync(next.Devices[Name].WaitAsync(asked.Id));
        await _world.RunAsync(next.Devices[Name].WaitAsync(last.Id));
        Assert.Equal(["did c", "set d"], device.Done);
    }

    [Fact]
    public async Task A_queued_request_that_is_unanswered_when_the_server_stops_is_sent_by_the_next_server()
    {
        (DeviceNode node, TestDevice device) = await ConnectAsync();
        _world.SetDeaf(device, true);
        CoapQueuedRequest put = await _world.RunAsync(node.Devices[Name].QueueAsync(Put("a")));
        await _world.RunUntilAsync(() => SentCount(node) == 1);

        await _world.RunAsync(node.Server.DisposeAsync().AsTask());
        await _world.PassAsync(FromSeconds(5));
        await node.DisposeAsync();
        DeviceNode next = await _world.StartNodeAsync();
        await _world.RunUntilAsync(() => next.Cluster.FenceOf(CoapSlot.OfName("meter-7"u8)).IsSet);
        _world.SetDeaf(device, false);
        await _world.RunAsync(device.SpeakAsync(next));

        await _world.RunAsync(next.Devices[Name].WaitAsync(put.Id));
        Assert.Equal(["set a"], device.Done);
    }

    [Fact]
    public async Task Queued_requests_beyond_the_limit_of_a_device_a_caller_or_the_node_are_refused()
    {
        (DeviceNode node, _) = await SleepAsync(options =>
        {
            options.MaxQueuedPerDevice = 3;
            options.MaxQueued = 5;
            options.MaxQueuedPerCaller = 2;
        });
        TestDevice other = await _world.StartDeviceAsync("other");
        await _world.RunAsync(other.SpeakAsync(node));
        _world.SetDeaf(other, true);
        await DeviceAssert.FailsAsync(CoapDeviceFault.Asleep, () => _world.RunAsync(node.Devices["other"].GetAsync("/state")));
        CoapDeviceRequestOptions greedy = new() { Caller = "greedy" };
        for (int i = 0; i < 2; i++)
        {
            await _world.RunAsync(node.Devices[Name].QueueAsync(Put("x"), greedy));
        }

        await IsFullAsync(node.Devices["other"], greedy);
        await _world.RunAsync(node.Devices[Name].QueueAsync(Put("x"), new CoapDeviceRequestOptions { Caller = "modest" }));
        await IsFullAsync(node.Devices[Name], null);
        await _world.RunAsync(node.Devices["other"].QueueAsync(Put("x")));
        CoapQueuedRequest last = await _world.RunAsync(node.Devices["other"].QueueAsync(Put("x")));
        await IsFullAsync(node.Devices["other"], null);

        Assert.True(await _world.RunAsync(node.Devices["other"].CancelAsync(last.Id)));
        await DeviceAssert.FailsAsync(
            CoapDeviceFault.Cancelled, () => _world.RunAsync(node.Devices["other"].WaitAsync(last.Id)));
        await _world.RunAsync(node.Devices["other"].QueueAsync(Put("x")));
    }

    [Fact]
    public async Task A_request_with_an_empty_body_is_queued_and_sent()
    {
        (DeviceNode node, TestDevice device) = await ConnectAsync();
        device.Server.MapPost("/reset", (CoapRequestContext request) => CoapResults.Text($"{request.Payload.Length} bytes"));
        CoapQueuedRequest queued = await _world.RunAsync(
            node.Devices[Name].QueueAsync(new CoapRequest(CoapMethod.Post, "/reset") { Content = CoapContent.Text("") }));
        await _world.RunAsync(node.Devices[Name].WaitAsync(queued.Id)).Says("0 bytes");
    }

    [Fact]
    public async Task An_invalid_queued_request_is_refused_before_it_is_stored()
    {
        (DeviceNode node, _) = await SleepAsync();
        int kept = _world.Memory.Count;

        CoapDeviceException large = await Assert.ThrowsAsync<CoapDeviceException>(() => _world.RunAsync(
            node.Devices[Name].QueueAsync(new CoapRequest(CoapMethod.Post, "/do") { Content = CoapContent.Binary(new byte[70_000]) })));
        Assert.Equal(CoapDeviceFault.TooLarge, large.Fault);
        await DeviceAssert.FailsAsync(CoapDeviceFault.Unknown, () => _world.RunAsync(node.Devices["nobody"].QueueAsync(Put("x"))));
        await Assert.ThrowsAsync<ArgumentException>(() => _world.RunAsync(node.Devices[Name].QueueAsync(
            Put("x"), new CoapDeviceRequestOptions { Caller = new string('c', 256) })));
        CoapDeviceException forgotten = await Assert.ThrowsAsync<CoapDeviceException>(
            () => _world.RunAsync(node.Devices[Name].WaitAsync(Guid.Empty)));
        Assert.Equal(CoapDeviceFault.Forgotten, forgotten.Fault);
        Assert.False(await node.Devices[Name].CancelAsync(Guid.Empty));
        Assert.Equal(kept, _world.Memory.Count);
    }

    private static CoapRequest Post(string path, string text) => new(CoapMethod.Post, path) { Content = CoapContent.Text(text) };

    private static CoapRequest Put(string text) => new(CoapMethod.Put, "/set") { Content = CoapContent.Text(text) };

    private static int SentCount(DeviceNode node)
    {
        Task<IReadOnlyList<CoapQueuedRequest>> list = node.Devices[Name].GetQueuedAsync();
        return list.IsCompletedSuccessfully ? list.Result.Count(one => one.IsSent) : 0;
    }

    private async Task IsFullAsync(ICoapDevice device, CoapDeviceRequestOptions? options) => Assert.Equal(CoapDeviceFault.Full,
        (await Assert.ThrowsAsync<CoapDeviceException>(() => _world.RunAsync(device.QueueAsync(Put("x"), options)))).Fault);

    private async Task WakeAsync(DeviceNode node, TestDevice device)
    {
        _world.SetDeaf(device, false);
        await _world.RunAsync(device.SpeakAsync(node));
    }

    private async Task<(DeviceNode Node, TestDevice Device)> SleepAsync(Action<CoapDeviceOptions>? configure = null)
    {
        (DeviceNode node, TestDevice device) = await ConnectAsync(options =>
        {
            options.RetryAsleepAfter = Timeout.InfiniteTimeSpan;
            configure?.Invoke(options);
        });
        _world.SetDeaf(device, true);
        await DeviceAssert.FailsAsync(CoapDeviceFault.Asleep, () => _world.RunAsync(node.Devices[Name].GetAsync("/state")));
        return (node, device);
    }

    private async Task<(DeviceNode Node, TestDevice Device)> ConnectAsync(Action<CoapDeviceOptions>? configure = null)
    {
        DeviceNode node = await _world.StartNodeAsync(configure);
        TestDevice device = await _world.StartDeviceAsync(Name);
        await _world.RunAsync(device.SpeakAsync(node));
        return (node, device);
    }
}
