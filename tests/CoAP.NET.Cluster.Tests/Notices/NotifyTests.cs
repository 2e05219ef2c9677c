using CoAP.NET.Cluster.Tests.Links;

namespace CoAP.NET.Cluster.Tests.Notices;

/// <summary>Notify at one node reaches the observers at all nodes, and no change is lost.</summary>
public sealed class NotifyTests : IAsyncDisposable
{
    private readonly LinkedNodes _nodes = new();
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

        await SettleAsync();
        foreach (NoticedNode teller in _all)
        {
            int[] runs = [.. _all.Select(static node => node.Runs)];
            string state = NoticedNode.NextState();

            teller.Server.Notify("/devices/7");

            await _nodes.PassUntilAsync(() => _all.All(node => node.Heard.Count(heard => heard == $"/devices/7 {state}") == 2));
            Assert.Equal(runs.Select(static count => count + 1), _all.Select(static node => node.Runs));
        }
    }

    [Fact]
    public async Task A_route_that_changed_reaches_all_who_observe_one_of_its_paths()
    {
        await StartAsync(2);
        await _all[1].ObserveAsync("/devices/7");
        await _all[1].ObserveAsync("/devices/8");
        await SettleAsync();
        string state = NoticedNode.NextState();

        _all[0].Route.Notify();

        await _nodes.PassUntilAsync(() => _all[1].HasHeard("/devices/7", state) && _all[1].HasHeard("/devices/8", state));
    }

    [Fact]
    public async Task Only_what_another_node_observes_is_told_it_and_a_name_that_changes_often_is_told_once()
    {
        await StartAsync(3);
        await _all[1].ObserveAsync("/devices/7");
        await _all[2].ObserveAsync("/devices/8");
        await SettleAsync();
        long sent = _all[0].Notices.Sent;
        string state = NoticedNode.NextState();

        for (int i = 0; i < 1000; i++)
        {
            _all[0].Server.Notify("/devices/7");
            _all[0].Server.Notify("/devices/9");
        }

        Assert.Equal(1, _all[0].Cluster.Notices.WaitingFor(_all[1].Id));
        Assert.Equal(0, _all[0].Cluster.Notices.WaitingFor(_all[2].Id));
        await SettleAsync();
        await _nodes.PassUntilAsync(() => _all[1].HasHeard("/devices/7", state));
        Assert.Equal(sent + 1, _all[0].Notices.Sent);
        Assert.Equal(0, _all[1].Notices.Sent + _all[2].Notices.Sent);
        Assert.DoesNotContain(_all[2].Heard, heard => heard.EndsWith(state, StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_node_that_joins_later_tells_and_hears()
    {
        await StartAsync(1);
        await _all[0].ObserveAsync("/devices/7");
        await StartAsync(1);
        await _all[1].ObserveAsync("/devices/8");
        await SettleAsync();
        string state = NoticedNode.NextState();

        _all[0].Server.Notify("/devices/8");
        _all[1].Server.Notify("/devices/7");

        await _nodes.PassUntilAsync(() => _all[0].HasHeard("/devices/7", state) && _all[1].HasHeard("/devices/8", state));
        Assert.Equal(0, _all[0].Notices.Missed);
    }

    [Fact]
    public async Task What_changes_before_another_node_was_told_that_it_is_observed_is_not_lost()
    {
        await StartAsync(2);
        await SettleAsync();
        await _all[1].ObserveAsync("/devices/7");
        string state = NoticedNode.NextState();

        // No time has passed, so the other node knows nothing of the observer yet.
        _all[0].Server.Notify("/devices/7");
        Assert.Equal(0, _all[0].Cluster.Notices.WaitingFor(_all[1].Id));
        await SettleAsync();

        await _nodes.PassUntilAsync(() => _all[1].HasHeard("/devices/7", state));
        Assert.Equal(1, _all[1].Notices.Missed);
    }

    [Fact]
    public async Task What_changes_while_a_link_is_broken_is_told_when_there_is_one_again()
    {
        await using CuttableWire wire = new();
        await StartAsync(1);
        await StartAsync(1, wire);
        await _all[1].ObserveAsync("/devices/7");
        await SettleAsync();

        wire.Cut();
        await _nodes.PassUntilAsync(() => !_all[0].Cluster.Links.IsUp(_all[1].Id));
        string state = NoticedNode.NextState();
        _all[0].Server.Notify("/devices/7");
        await _all[1].ObserveAsync("/devices/8");
        _all[0].Server.Notify("/devices/8");
        wire.Mend();

        await _nodes.PassUntilAsync(() => _all[1].HasHeard("/devices/7", state) && _all[1].HasHeard("/devices/8", state));
    }

    [Fact]
    public async Task Who_observes_no_more_is_told_no_more()
    {
        await StartAsync(2);
        CoapObservation observation = await _all[1].ObserveAsync("/devices/7");
        await SettleAsync();
        await observation.DisposeAsync();
        _all[1].Observed.Clear();
        await _nodes.PassUntilAsync(() => _all[1].Server.ObserverCount == 0);
        await SettleAsync();

        _all[0].Server.Notify("/devices/7");

        Assert.Equal(0, _all[0].Cluster.Notices.WaitingFor(_all[1].Id));
    }

    [Fact]
    public async Task A_storm_of_changes_stays_in_bounds_and_what_found_no_room_is_marked_all_the_same()
    {
        const int Count = TellingPeer.MaxWaiting + 10_000;
        await StartAsync(2);
        await _all[1].ObserveAsync("/devices/7");
        await SettleAsync();
        await _all[0].TellAsIfObservedAsync(_all[1], Count);
        string state = NoticedNode.NextState();

        for (int i = 0; i < Count; i++)
        {
            _all[0].Server.Notify($"/devices/{i}");
            Assert.InRange(_all[0].Cluster.Notices.WaitingFor(_all[1].Id), 0, TellingPeer.MaxWaiting);
        }

        await SettleAsync();
        await _nodes.PassUntilAsync(() => _all[1].HasHeard("/devices/7", state));
    }

    [Fact]
    public async Task A_server_that_stopped_is_told_nothing_any_more()
    {
        await StartAsync(2);
        await _all[1].ObserveAsync("/devices/7");
        await SettleAsync();

        await _all[1].Server.StopAsync();
        _all[1].Observed.Clear();
        await _nodes.PassUntilAsync(() => _all[1].Cluster.Notices.ServerCount == 0);
        await SettleAsync();

        _all[0].Server.Notify("/devices/7");
        Assert.Equal(0, _all[0].Cluster.Notices.WaitingFor(_all[1].Id));
    }

    [Fact]
    public async Task A_node_without_links_follows_nobody()
    {
        CoapMemoryCluster memory = new();
        await using CoapCluster cluster = new(memory.Open(), new CoapClusterOptions { Secret = LinkedNodes.Secret });
        await using CoapServer server = new();
        cluster.Notices.Attach(server, "");

        Assert.Equal(0, cluster.Notices.ServerCount);
    }

    public async ValueTask DisposeAsync()
    {
        foreach (NoticedNode node in _all)
        {
            await node.DisposeAsync();
        }

        await _nodes.DisposeAsync();
    }

    private async Task StartAsync(int count, CuttableWire? wire = null)
    {
        for (int i = 0; i < count; i++)
        {
            NoticedNode node = new(_nodes.Add(wire?.Address ?? ""));
            _all.Add(node);
            await node.StartAsync();
        }

        await _nodes.StartAsync(wire);
    }

    // Until every node was told what there is to tell.
    private Task SettleAsync() => _nodes.PassUntilAsync(() =>
        _all.All(static node => !node.Cluster.Notices.HasWork && node.Cluster.Notices.IsObserved(node.Observed)));
}
