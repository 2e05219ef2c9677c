namespace CoAP.NET.Cluster.Tests.Notifications;

/// <summary>Notify at one node reaches the observers at all nodes, and no change is lost.</summary>
public sealed class NotifyTests : IAsyncDisposable
{
    private readonly SharingNodes _nodes = new();
    private readonly List<NoticedNode> _all = [];

    [Fact]
    public async Task A_notification_at_any_node_reaches_the_observers_at_all_nodes_with_a_single_handler_run_per_node()
    {
        await StartAsync(3);
        foreach (NoticedNode node in _all)
        {
            await node.ObserveAsync("/devices/7");
            await node.ObserveAsync("/devices/7");
        }

        foreach (NoticedNode teller in _all)
        {
            int[] runs = [.. _all.Select(node => node.Runs)];
            string state = NoticedNode.NextState();

            teller.Server.Notify("/devices/7");

            await PassUntilAsync(() => _all.All(node => node.Heard.Count(heard => heard == $"/devices/7 {state}") == 2));
            Assert.Equal(runs.Select(count => count + 1), _all.Select(node => node.Runs));
        }
    }

    [Fact]
    public async Task A_notification_of_a_route_reaches_all_observers_of_its_paths()
    {
        await StartAsync(2);
        await _all[1].ObserveAsync("/devices/7");
        await _all[1].ObserveAsync("/devices/8");
        string state = NoticedNode.NextState();

        _all[0].Route.Notify();

        await PassUntilAsync(() => _all[1].HasHeard("/devices/7", state) && _all[1].HasHeard("/devices/8", state));
    }

    [Fact]
    public async Task Frequent_changes_of_a_path_run_the_handler_once_and_unobserved_paths_do_not()
    {
        await StartAsync(2);
        await _all[1].ObserveAsync("/devices/7");
        int runs = _all[1].Runs;
        string state = NoticedNode.NextState();

        for (int i = 0; i < 1000; i++)
        {
            _all[0].Server.Notify("/devices/7");
            _all[0].Server.Notify("/devices/9");
        }

        await PassUntilAsync(() => _all[1].HasHeard("/devices/7", state));
        Assert.Equal(runs + 1, _all[1].Runs);
    }

    [Fact]
    public async Task A_node_that_joins_later_sends_and_receives_notifications()
    {
        await StartAsync(1);
        await _all[0].ObserveAsync("/devices/7");
        await StartAsync(1);
        await _all[1].ObserveAsync("/devices/8");
        string state = NoticedNode.NextState();

        _all[0].Server.Notify("/devices/8");
        _all[1].Server.Notify("/devices/7");

        await PassUntilAsync(() => _all[0].HasHeard("/devices/7", state) && _all[1].HasHeard("/devices/8", state));
    }

    [Fact]
    public async Task Changes_during_a_partition_of_two_nodes_are_notified_after_the_partition()
    {
        await StartAsync(2);
        await _all[1].ObserveAsync("/devices/7");
        _nodes.Hub.Cut(_all[0].Id, _all[1].Id);
        string state = NoticedNode.NextState();
        _all[0].Server.Notify("/devices/7");
        await _all[1].ObserveAsync("/devices/8");
        _all[0].Server.Notify("/devices/8");

        // The call fails after 30 s, and the next one waits for the end of the cut.
        _nodes.Clock.Advance(FromSeconds(40));
        Assert.False(_all[1].HasHeard("/devices/7", state));
        _nodes.Hub.Mend();

        await PassUntilAsync(() => _all[1].HasHeard("/devices/7", state) && _all[1].HasHeard("/devices/8", state));
    }

    [Fact]
    public async Task A_lost_notice_is_sent_again()
    {
        await StartAsync(2);
        await _all[1].ObserveAsync("/devices/7");
        int lost = 0;
        _nodes.Hub.Loses = (_, to) => to == _all[1].Id && Interlocked.Increment(ref lost) <= 3;
        string state = NoticedNode.NextState();

        _all[0].Server.Notify("/devices/7");

        await PassUntilAsync(() => _all[1].HasHeard("/devices/7", state));
        Assert.True(Volatile.Read(ref lost) > 3);
    }

    [Fact]
    public async Task Changes_while_a_node_counts_as_dead_are_notified_when_it_returns()
    {
        await StartAsync(2);
        await _all[1].ObserveAsync("/devices/7");
        _nodes.Hub.Kill(_all[1].Id);
        await Eventually.IsTrueAsync(() => !_all[0].Cluster.Peers.IsUp(_all[1].Id));
        string state = NoticedNode.NextState();
        _all[0].Server.Notify("/devices/7");

        _nodes.Hub.Revive(_all[1].Id);

        await PassUntilAsync(() => _all[1].HasHeard("/devices/7", state));
    }

    [Fact]
    public async Task All_observers_are_notified_after_more_changes_than_the_queue_can_hold()
    {
        await StartAsync(2);
        await _all[1].ObserveAsync("/devices/7");
        string state = NoticedNode.NextState();
        _all[0].Server.Notify("/devices/7");
        for (int i = 10; i < 80_000; i++)
        {
            _all[0].Server.Notify($"/devices/{i}");
        }

        await PassUntilAsync(() => _all[1].HasHeard("/devices/7", state));
    }

    [Fact]
    public async Task A_stopped_server_does_not_prevent_notifications_at_other_nodes()
    {
        await StartAsync(3);
        await _all[1].ObserveAsync("/devices/7");
        await _all[2].ObserveAsync("/devices/7");
        await _all[1].Server.StopAsync();
        string state = NoticedNode.NextState();

        _all[0].Server.Notify("/devices/7");

        await PassUntilAsync(() => _all[2].HasHeard("/devices/7", state));
        Assert.False(_all[1].HasHeard("/devices/7", state));
    }

    public async ValueTask DisposeAsync()
    {
        foreach (NoticedNode node in _all)
        {
            await node.DisposeAsync();
        }

        await _nodes.DisposeAsync();
    }

    private async Task StartAsync(int count)
    {
        for (int i = 0; i < count; i++)
        {
            NoticedNode node = new(_nodes.Make());
            _all.Add(node);
            await node.StartAsync();
        }

        await Eventually.IsTrueAsync(() => _all.All(node => node.Cluster.Peers.Up.Count == _all.Count - 1));
    }

    // The servers have real sockets, and the nodes virtual time.
    private Task PassUntilAsync(Func<bool> condition) => Eventually.IsTrueAsync(() =>
    {
        _nodes.Clock.Advance(FromMilliseconds(20));
        return condition();
    });
}
