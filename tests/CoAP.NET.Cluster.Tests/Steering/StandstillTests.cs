using CoAP.NET.Diagnostics;

namespace CoAP.NET.Cluster.Tests.Steering;

/// <summary>Nodes that stood still, with what lies in their sockets when they go on.</summary>
public sealed class StandstillTests
{
    private static readonly TimeSpan s_lease = FromMinutes(10);

    [Fact]
    public async Task Requests_in_the_socket_buffer_of_a_node_that_slept_are_not_executed_when_it_wakes()
    {
        Assert.SkipUnless(CoapDtls.IsSupported, "needs DTLS");
        await using Site site = new();
        SiteNode other = await site.AddAsync();
        SleepingTime time = new();
        SiteNode sleeper = await site.AddAsync(s_lease, time);
        await site.FairAsync();
        site.Balancer.Use(sleeper.Address);
        CoapClient device = site.AddDevice();
        await site.AskAsync(device);
        Assert.Equal((1, 0), (sleeper.Sessions, other.Sessions));

        // It stands still with a request in its socket; another node takes its slots, and answers a copy.
        sleeper.Store.Sleep();
        site.Balancer.Keep(sleeper.Address);
        Task counted = site.CountAsync(device, "once");
        await Eventually.IsTrueAsync(() => site.Balancer.KeptCount > 0);
        site.Hub.Kill(sleeper.Cluster.Self.Id);
        site.Nodes.Remove(sleeper);
        await site.FairAsync();
        site.Use();
        await counted;
        Assert.Equal(1, site.Served);

        // It goes on: what is in its socket comes before any timer.
        time.Sleep(s_lease * 0.7);
        long rejected = sleeper.Rejected;
        int kept = site.Balancer.Release();
        await Eventually.IsTrueAsync(() => sleeper.Rejected - rejected >= kept || site.Served > 1);
        Assert.Equal(1, site.Served);

        // It asks the store, and does not serve before there is an answer.
        time.Pass(TimeSpan.Zero);
        site.Log.Mentions("stalled for");
        rejected = sleeper.Rejected;
        kept = site.Balancer.Release();
        await Eventually.IsTrueAsync(() => sleeper.Rejected - rejected >= kept || site.Served > 1);
        Assert.Equal((1, 1), (site.Served, sleeper.Sessions));

        // When it has heard, it has given way, and serves whoever comes.
        site.Hub.Revive(sleeper.Cluster.Self.Id);
        sleeper.Store.Wake();
        await Eventually.IsTrueAsync(() =>
        {
            time.Pass(s_lease / 20);
            return sleeper.Cluster.GetNodeCounters().Lost > 0;
        });
        site.Nodes.Add(sleeper);
        await site.FairAsync();
        site.Balancer.Keep(null);
        site.Balancer.Use(sleeper.Address);
        time.Pass(s_lease / 20);
        await site.AskAsync(device);
        await site.CountAsync(device, "once more");
        Assert.Equal((2, 0), (site.Served, site.ServedTwice));
        site.AssertNobodyShookHandsAgain();
    }

    [Fact]
    public async Task A_node_that_was_suspended_while_the_store_is_unavailable_serves_again_after_a_lease()
    {
        Assert.SkipUnless(CoapDtls.IsSupported, "needs DTLS");
        TimeSpan lease = FromMinutes(1);
        await using Site site = new();
        SleepingTime time = new();
        SiteNode node = await site.AddAsync(lease, time);
        await site.FairAsync();
        CoapClient device = site.AddDevice();
        await site.AskAsync(device);

        // A machine with too much to do makes the device repeat flights of its handshake.
        long rejected = node.Rejected;

        // Without a standstill nobody asks for the lease.
        node.Store.Sleep();
        for (int i = 0; i < 10; i++)
        {
            time.Pass(lease / 5);
        }

        await site.AskAsync(device);
        Assert.Equal(rejected, node.Rejected);

        time.Sleep(lease);
        Task asked = site.AskAsync(device);
        await Eventually.IsTrueAsync(() => node.Rejected > rejected);
        Assert.False(asked.IsCompleted);
        await Eventually.IsTrueAsync(() =>
        {
            time.Pass(lease / 5);
            return asked.IsCompleted;
        });
        await asked;
        site.AssertNobodyShookHandsAgain();
        node.Store.Wake();
    }

    [Fact]
    public async Task A_node_stops_serving_before_other_nodes_may_take_its_slots_although_its_lease_is_valid()
    {
        Assert.SkipUnless(CoapDtls.IsSupported, "needs DTLS");
        // Minutes in place of seconds, so that the speed of the machine does not matter.
        TimeSpan probe = FromMinutes(10);
        await using Site site = new() { Hub = new NodeHub { DeathDelay = 2 * probe } };
        SleepingTime time = new();
        SiteNode node = await site.AddAsync(FromHours(1), time);
        await site.FairAsync();
        CoapClient device = site.AddDevice();
        await site.AskAsync(device);
        long rejected = node.Rejected;
        node.Store.Sleep();

        // As long as a garbage collection, wherever it begins between two beats.
        time.Pass(probe / 2);
        time.Sleep(probe * 0.9);
        await site.AskAsync(device);
        Assert.Equal(rejected, node.Rejected);
        time.Pass(TimeSpan.Zero);
        site.Log.Omits("stalled for");

        time.Sleep(probe * 1.6);
        Task asked = site.AskAsync(device);
        await Eventually.IsTrueAsync(() => node.Rejected > rejected);
        Assert.False(asked.IsCompleted);
        time.Pass(TimeSpan.Zero);
        site.Log.Mentions("stalled for");
        node.Store.Wake();
        await Eventually.IsTrueAsync(() =>
        {
            time.Pass(probe / 4);
            return asked.IsCompleted;
        });
        await asked;
    }

    [Fact]
    public async Task A_node_that_was_suspended_for_less_than_its_lease_serves_at_once()
    {
        Assert.SkipUnless(CoapDtls.IsSupported, "needs DTLS");
        await using Site site = new();
        SleepingTime time = new();
        SiteNode node = await site.AddAsync(FromHours(1), time);
        await site.FairAsync();
        CoapClient device = site.AddDevice();
        await site.AskAsync(device);
        long rejected = node.Rejected;
        node.Store.Sleep();
        time.Sleep(FromMinutes(30));
        await site.AskAsync(device);
        time.Pass(TimeSpan.Zero);
        time.Sleep(FromMinutes(30));
        await site.AskAsync(device);

        Assert.Equal(rejected, node.Rejected);
        site.Log.Omits("stalled for");
        node.Store.Wake();
    }
}
