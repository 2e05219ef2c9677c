using System.Buffers.Binary;
using System.Collections.Concurrent;
using CoAP.NET.Tests;

namespace CoAP.NET.Cluster.Tests.Links;

public sealed class ClusterLinksTests
{
    [Fact]
    public async Task Nodes_ask_each_other_and_know_who_asks()
    {
        await using LinkedNodes nodes = new();
        CoapCluster[] all = [nodes.Add(), nodes.Add(), nodes.Add()];
        foreach (CoapCluster node in all)
        {
            node.Links.Routes.MapGet("/who", request => $"{node.Self.Id} was asked by {node.Links.NodeOf(request)}");
        }

        await nodes.StartAsync();

        foreach (CoapCluster node in all)
        {
            foreach (CoapCluster other in all.Where(other => other != node))
            {
                CoapResponse response = await node.Links.SendAsync(other.Self.Id, new CoapRequest(CoapMethod.Get, "/who"));
                Assert.Equal($"{other.Self.Id} was asked by {node.Self.Id}", response.GetText());
            }

            Assert.Equal(2, node.Links.Up.Count);
            Assert.Equal(2, node.Links.Counters.Links);
        }
    }

    [Fact]
    public async Task Items_arrive_in_order_and_those_that_come_while_a_request_is_under_way_share_the_next_one()
    {
        const int Count = 1000;
        await using LinkedNodes nodes = new();
        CoapCluster from = nodes.Add();
        CoapCluster to = nodes.Add();
        using ManualResetEventSlim allPosted = new();
        ConcurrentQueue<(CoapNodeId From, int Number)> taken = new();
        to.Links.MapBatch("/items", (node, item) =>
        {
            allPosted.Wait();
            taken.Enqueue((node, BinaryPrimitives.ReadInt32BigEndian(item)));
        });
        await nodes.StartAsync();

        byte[] item = new byte[sizeof(int)];
        for (int i = 0; i < Count; i++)
        {
            BinaryPrimitives.WriteInt32BigEndian(item, i);
            Assert.True(from.Links.TryPost(to.Self.Id, "/items", item));
        }

        allPosted.Set();
        await Eventually.IsTrueAsync(() => taken.Count == Count && from.Links.Counters.ItemsSent == Count);

        Assert.Equal(Enumerable.Range(0, Count).Select(i => (from.Self.Id, i)), taken);
        Assert.InRange(from.Links.Counters.BatchesSent, 1, 2);
        Assert.Equal(Count, to.Links.Counters.ItemsReceived);
        Assert.Equal(0, from.Links.Counters.ItemsDropped);
    }

    [Fact]
    public async Task What_waits_for_a_node_that_takes_nothing_is_bounded_and_the_oldest_is_dropped()
    {
        await using LinkedNodes nodes = new();
        CoapCluster from = nodes.Add();
        CoapCluster to = nodes.Add();
        using ManualResetEventSlim all = new();
        ConcurrentQueue<int> taken = new();
        to.Links.MapBatch("/items", (_, item) =>
        {
            all.Wait();
            taken.Enqueue(BinaryPrimitives.ReadInt32BigEndian(item));
        });
        await nodes.StartAsync();

        byte[] item = new byte[LinkBatch.MaxItem];
        const int Count = 2 * LinkPosts.MaxWaiting / LinkBatch.MaxItem;
        for (int i = 0; i < Count; i++)
        {
            BinaryPrimitives.WriteInt32BigEndian(item, i);
            Assert.True(from.Links.TryPost(to.Self.Id, "/items", item));
        }

        all.Set();
        await Eventually.IsTrueAsync(() => from.Links.Counters is var now && now.ItemsSent + now.ItemsDropped == Count);

        Assert.True(from.Links.Counters.ItemsDropped > 0);
        Assert.Equal(Count - 1, taken.Last());
        Assert.Equal(taken.Order(), taken);
        Assert.Throws<ArgumentOutOfRangeException>(() => from.Links.TryPost(to.Self.Id, "/items", new byte[LinkBatch.MaxItem + 1]));
    }

    [Fact]
    public async Task A_node_that_does_not_take_what_was_sent_for_a_while_is_stalled_until_it_does()
    {
        await using LinkedNodes nodes = new();
        CoapCluster from = nodes.Add();
        CoapCluster to = nodes.Add();
        using ManualResetEventSlim awake = new();
        TaskCompletionSource arrived = new(TaskCreationOptions.RunContinuationsAsynchronously);
        to.Links.MapBatch("/items", (_, _) =>
        {
            arrived.TrySetResult();
            awake.Wait();
        });
        await nodes.StartAsync();
        Assert.False(from.Links.IsStalled(to.Self.Id, "/items"));

        Assert.True(from.Links.TryPost(to.Self.Id, "/items", [1]));
        await arrived.Task;
        Assert.False(from.Links.IsStalled(to.Self.Id, "/items"));
        nodes.Clock.Advance(TimeSpan.FromSeconds(2));
        Assert.True(from.Links.IsStalled(to.Self.Id, "/items"));
        Assert.False(from.Links.IsStalled(to.Self.Id, "/others"));

        awake.Set();
        await Eventually.IsTrueAsync(() => !from.Links.IsStalled(to.Self.Id, "/items"));
    }

    [Fact]
    public async Task A_handler_that_throws_costs_its_item_only()
    {
        await using LinkedNodes nodes = new();
        CoapCluster from = nodes.Add();
        CoapCluster to = nodes.Add();
        ConcurrentQueue<byte> taken = new();
        to.Links.MapBatch("/items", (_, item) =>
        {
            if (item.IsEmpty)
            {
                throw new InvalidOperationException("a handler of the test");
            }

            taken.Enqueue(item[0]);
        });
        await nodes.StartAsync();

        from.Links.TryPost(to.Self.Id, "/items", [1]);
        from.Links.TryPost(to.Self.Id, "/items", []);
        from.Links.TryPost(to.Self.Id, "/items", [2]);

        await Eventually.IsTrueAsync(() => taken.Count == 2);
        Assert.Equal(new byte[] { 1, 2 }, taken);
        CoapRequest broken = new(CoapMethod.Post, "/items");
        broken.Message.Payload = new byte[] { 0, 2, 1 };
        Assert.Equal(CoapCode.BadRequest, (await from.Links.SendAsync(to.Self.Id, broken)).Code);
    }

    [Fact]
    public async Task A_link_that_broke_is_opened_again_and_listeners_hear_of_both()
    {
        await using CuttableWire wire = new();
        await using LinkedNodes nodes = new();
        CoapCluster near = nodes.Add();
        CoapCluster far = nodes.Add(wire.Address);
        RecordedLinks heard = new();
        near.Links.Listen(heard);
        near.Links.Listen(new FailingListener());
        far.Links.Routes.MapGet("/here", static () => "yes");
        await nodes.StartAsync(wire);

        wire.Cut();
        await Eventually.IsTrueAsync(() => !near.Links.IsUp(far.Self.Id));
        CoapConnectionException failure = await Assert.ThrowsAsync<CoapConnectionException>(() =>
            near.Links.SendAsync(far.Self.Id, new CoapRequest(CoapMethod.Get, "/here")));
        Assert.Contains("no link", failure.Message, StringComparison.Ordinal);
        Assert.False(near.Links.TryPost(far.Self.Id, "/items", [1]));
        Assert.True(far.Links.IsUp(near.Self.Id));

        wire.Mend();
        await nodes.PassUntilLinkedAsync(near, far);
        Assert.Equal("yes", (await near.Links.SendAsync(far.Self.Id, new CoapRequest(CoapMethod.Get, "/here"))).GetText());
        Assert.Equal(2, near.Links.Counters.Opened);
        Assert.Equal(1, near.Links.Counters.Lost);
        await Eventually.IsTrueAsync(() => heard.Heard.Count == 3);
        Assert.Equal([(far.Self.Id, true), (far.Self.Id, false), (far.Self.Id, true)], heard.Heard);
    }

    [Fact]
    public async Task A_node_that_ends_releases_its_links_and_leaves_those_of_others()
    {
        await using LinkedNodes nodes = new();
        CoapCluster[] all = [nodes.Add(), nodes.Add(), nodes.Add()];
        await nodes.StartAsync();

        await all[2].DisposeAsync();

        await Eventually.IsTrueAsync(() => all[0].Links.Up.Count == 1 && all[1].Links.Up.Count == 1);
        Assert.True(all[0].Links.IsUp(all[1].Self.Id));
        Assert.False(all[0].Links.IsUp(all[2].Self.Id));
        Assert.False(all[2].Links.TryPost(all[0].Self.Id, "/items", [1]));
        await all[2].Links.DisposeAsync();
    }

    [Fact]
    public async Task Another_node_at_the_address_of_one_is_no_link_with_that()
    {
        await using LinkedNodes nodes = new();
        CoapCluster node = nodes.Add();
        CoapCluster other = nodes.Add();
        await nodes.StartAsync();
        CoapClusterNode gone = new(CoapNodeId.New(), other.Self.Address);
        CoapClusterNode nowhere = new(CoapNodeId.New(), "http://127.0.0.1/");
        long failed = node.Links.Counters.Failed;

        node.Links.Update(new CoapClusterMap(9, [node.Self, other.Self, gone, nowhere], new CoapSlotOwner[CoapSlot.Count]));

        await Eventually.IsTrueAsync(() => node.Links.Counters.Failed > failed);
        Assert.False(node.Links.IsUp(gone.Id));
        Assert.False(node.Links.IsUp(nowhere.Id));
        Assert.True(node.Links.IsUp(other.Self.Id));
        Assert.Equal(0, node.Links.Counters.Strangers);
    }

    [Fact]
    public async Task Without_an_address_for_links_there_are_none()
    {
        CoapMemoryCluster memory = new();
        await using CoapCluster node = new(memory.Open(), new CoapClusterOptions { Secret = LinkedNodes.Secret, Address = "as it was" });
        node.Links.MapBatch("/items", static (_, _) => { });
        await node.StartAsync();

        Assert.False(node.Links.IsOn);
        Assert.Equal("as it was", node.Self.Address);
        Assert.False(node.Links.TryPost(CoapNodeId.New(), "/items", [1]));
        await Assert.ThrowsAsync<CoapConnectionException>(() =>
            node.Links.SendAsync(CoapNodeId.New(), new CoapRequest(CoapMethod.Get, "/")));
    }

    [Theory]
    [InlineData("coap://[::]:5690", "", "LinkAddress")]
    [InlineData("coaps+tcp://[::]:5690/path", "", "LinkAddress")]
    [InlineData("coaps+tcp://[::]:5690", "10.0.0.7:5690", "Address")]
    [InlineData("coaps+tcp://[::]:5690", "coaps+tcp://[::]:5690", "Address")]
    [InlineData("coaps+tcp://[::]:5690", "coaps+tcp://0.0.0.0:5690", "Address")]
    [InlineData("coaps+tcp://[::]:5690", "coaps+tcp://node:5690/x", "Address")]
    [InlineData("coaps+tcp://[::]:5690", "coaps+tcp://node.cluster:5690", null)]
    [InlineData("coaps+tcp://*:5690", "", null)]
    [InlineData("", "anything", null)]
    public void Addresses_are_checked_in_words(string listen, string address, string? fault)
    {
        CoapClusterOptions options = new() { Secret = LinkedNodes.Secret, LinkAddress = listen, Address = address };

        Assert.Equal(fault, options.FindFault()?.Split(' ')[0]["CoapClusterOptions.".Length..]);
    }

    [Theory]
    [InlineData("coaps+tcp://127.0.0.1:4711", "coaps+tcp://127.0.0.1:4711")]
    [InlineData("coaps+tcp://[::1]:4711", "coaps+tcp://[::1]:4711")]
    public void What_a_node_listens_on_is_what_it_tells(string bound, string told) => Assert.Equal(told, LinkAddress.Advertised(bound));

    [Theory]
    [InlineData("coaps+tcp://[::]:4711")]
    [InlineData("coaps+tcp://0.0.0.0:4711")]
    public void A_node_that_listens_everywhere_tells_an_address_of_its_host(string bound)
    {
        string told = LinkAddress.Advertised(bound);

        Assert.True(LinkAddress.CanBeConnectedTo(told), told);
        Assert.EndsWith(":4711", told, StringComparison.Ordinal);
    }

    internal static int PortOf(CoapCluster node) => CoapUri.Parse(node.Links.BoundAddress!).Port;

    private sealed class RecordedLinks : IClusterLinkListener
    {
        public ConcurrentQueue<(CoapNodeId Node, bool IsUp)> Heard { get; } = new();

        public void OnUp(CoapNodeId node) => Heard.Enqueue((node, true));

        public void OnDown(CoapNodeId node) => Heard.Enqueue((node, false));
    }

    private sealed class FailingListener : IClusterLinkListener
    {
        public void OnUp(CoapNodeId node) => throw new InvalidOperationException("a listener of the test");

        public void OnDown(CoapNodeId node) => throw new InvalidOperationException("a listener of the test");
    }
}
