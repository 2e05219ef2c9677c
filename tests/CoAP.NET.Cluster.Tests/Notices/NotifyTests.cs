namespace CoAP.NET.Cluster.Tests.Notices;

/// <summary>Notify at one node reaches the observers at all nodes, and no change is lost.</summary>
public sealed class NotifyTests : IAsyncDisposable
{
    private readonly SharingNodes _nodes = new();
    private readonly List<NoticedNode> _all = [];

    [Fact]
    public async Task A_change_told_at_any_node_reaches_the_observers_at_all_nodes_and_each_asks_its_own_handler_once()
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
    public async Task A_route_that_changed_reaches_all_who_observe_one_of_its_paths()
    {
        await StartAsync(2);
        await _all[1].ObserveAsync("/devices/7");
        await _all[1].ObserveAsync("/devices/8");
        string state = NoticedNode.NextState();

        _all[0].Route.Notify();

        await PassUntilAsync(() => _all[1].HasHeard("/devices/7", state) && _all[1].HasHeard("/devices/8", state));
    }

    [Fact]
    public async Task A_name_that_changes_often_is_told_once_and_what_nobody_observes_asks_no_handler()
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
    public async Task A_node_that_joins_later_tells_and_hears()
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
    public async Task What_changes_while_two_nodes_are_cut_off_from_each_other_is_told_when_they_are_not_any_more()
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
    public async Task A_lost_notice_is_told_again()
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
    public async Task What_changes_while_a_node_counts_as_dead_is_told_when_it_is_back()
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
    public async Task After_a_storm_of_changes_that_found_no_room_all_observers_are_told()
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
    public async Task A_server_that_stopped_does_not_keep_others_from_being_told()
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
