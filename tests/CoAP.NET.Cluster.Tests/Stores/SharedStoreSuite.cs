using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;

namespace CoAP.NET.Cluster.Tests.Stores;

/// <summary>What engines do beyond <see cref="StoreSuite"/> that several nodes share.</summary>
public abstract class SharedStoreSuite : StoreSuite
{
    private protected virtual int MaxAddressLength => CoapClusterNode.MaxAddressLength;

    [Fact]
    public async Task Nodes_see_other_nodes_join_and_end()
    {
        ICoapClusterStore here = Open();
        ICoapClusterStore there = Open();
        CoapClusterNode self = Node();
        CoapClusterNode other = Node("coap+tcp://127.0.0.1:5691");
        await here.JoinAsync(self, Lease, Token);
        await using IAsyncEnumerator<CoapClusterSlotMap> watch = here.WatchAsync(Token).GetAsyncEnumerator(Token);

        Assert.Contains(other, (await there.JoinAsync(other, Lease, Token)).Nodes);
        Assert.Contains(other, (await UntilAsync(watch, map => map.Nodes.Count == 2)).Nodes);

        await there.DisposeAsync();
        Assert.Equal([self], (await UntilAsync(watch, map => map.Nodes.Count == 1)).Nodes);
    }

    [Fact]
    public async Task A_leaving_node_is_seen_as_leaving_with_its_address_unchanged()
    {
        ICoapClusterStore here = Open();
        ICoapClusterStore there = Open();
        CoapClusterNode other = Node(new string('x', MaxAddressLength));
        await there.JoinAsync(other, Lease, Token);
        await here.JoinAsync(Node(), Lease, Token);
        await using IAsyncEnumerator<CoapClusterSlotMap> watch = here.WatchAsync(Token).GetAsyncEnumerator(Token);
        Assert.Contains(other, (await UntilAsync(watch, map => map.Nodes.Count == 2)).Nodes);

        CoapClusterNode leaving = other with { IsLeaving = true };
        Assert.Contains(leaving, (await there.JoinAsync(leaving, Lease, Token)).Nodes);
        Assert.Contains(leaving, (await UntilAsync(watch, map => map.Nodes.Any(node => node.IsLeaving))).Nodes);

        await there.JoinAsync(other, Lease, Token);
        Assert.Contains(other, (await UntilAsync(watch, map => !map.Nodes.Any(node => node.IsLeaving))).Nodes);
    }

    [Fact]
    public async Task A_change_by_one_node_is_seen_by_the_other()
    {
        ICoapClusterStore here = Open();
        ICoapClusterStore there = Open();
        CoapClusterNode self = Node();
        CoapClusterNode other = Node();
        await here.JoinAsync(self, Lease, Token);
        await using IAsyncEnumerator<CoapClusterSlotMap> watch = here.WatchAsync(Token).GetAsyncEnumerator(Token);
        CoapClusterSlotMap map = await there.JoinAsync(other, Lease, Token);

        Assert.True(await there.TryChangeAsync(map.Assign(other.Id, [One]), Token));

        Assert.Equal(other.Id, (await UntilAsync(watch, seen => seen.Version == 1))[One].Node);
    }

    [Fact]
    public async Task A_node_that_sleeps_beyond_its_lease_is_absent_and_wakes_without_its_slots()
    {
        (ICoapClusterStore sleeper, CoapFencingToken fence) = await OwnerAsync();
        await WriteAsync(sleeper, Put("a", fence, "of the sleeper"));
        ICoapClusterStore survivor = Open();
        CoapClusterNode self = Node();
        CoapClusterSlotMap map = await survivor.JoinAsync(self, FromHours(1), Token);
        Assert.Equal(2, map.Nodes.Count);
        await using IAsyncEnumerator<CoapClusterSlotMap> watch = survivor.WatchAsync(Token).GetAsyncEnumerator(Token);
        await UntilAsync(watch, seen => seen.Nodes.Count == 2);

        await PassAsync(Lease + FromSeconds(1));
        map = await UntilAsync(watch, seen => seen.Nodes.Count == 1);
        Assert.Equal([self], map.Nodes);
        Assert.Equal(CoapSlot.Count, map.Orphans().Count);
        CoapClusterSlotMap taken = map.Assign(self.Id, map.Orphans());
        Assert.True(await survivor.TryChangeAsync(taken, Token));
        Assert.Equal(["a=of the sleeper"], await TextsAsync(survivor));
        await WriteAsync(survivor, Put("a", taken[One].Fence, "of the survivor"));

        Assert.Equal(1, (await sleeper.WriteAsync((CoapRecordWrite[])[Put("a", fence, "after waking up")], Token)).FencedCount);
        Assert.Equal(["a=of the survivor"], await TextsAsync(sleeper));
    }

    [Fact]
    public async Task A_node_that_renews_its_lease_stays_in_the_map()
    {
        ICoapClusterStore store = Open();
        CoapClusterNode self = Node();
        await store.JoinAsync(self, Lease, Token);
        ICoapClusterStore other = Open();
        CoapClusterNode there = Node();

        for (int i = 0; i < 4; i++)
        {
            await PassAsync(Lease * 0.4);
            Assert.Contains(self, (await other.JoinAsync(there, Lease, Token)).Nodes);
            await store.JoinAsync(self, Lease, Token);
        }
    }

    [Fact]
    public async Task A_single_node_gets_a_slot_when_several_nodes_request_it_at_the_same_time()
    {
        (ICoapClusterStore Store, CoapClusterNode Node)[] nodes = [.. Enumerable.Range(0, 5).Select(_ => (Open(), Node()))];
        CoapClusterSlotMap seen = CoapClusterSlotMap.Empty;
        foreach ((ICoapClusterStore store, CoapClusterNode node) in nodes)
        {
            seen = await store.JoinAsync(node, Lease, Token);
        }

        bool[] taken = await Task.WhenAll(nodes.Select(entry =>
            entry.Store.TryChangeAsync(seen.Assign(entry.Node.Id, CoapSlot.All), Token).AsTask()));

        int winner = Assert.Single(Enumerable.Range(0, nodes.Length), i => taken[i]);
        CoapClusterSlotMap map = await nodes[0].Store.JoinAsync(nodes[0].Node, Lease, Token);
        Assert.Equal(CoapSlot.Count, map.SlotsOf(nodes[winner].Node.Id).Count);
    }

    // What was told to be written before the slot moved is read by the new owner, and nothing is written after.
    [Fact]
    public async Task A_move_sees_every_successful_write_and_no_write_succeeds_after_the_move()
    {
        (ICoapClusterStore writer, CoapFencingToken fence) = await OwnerAsync();
        ICoapClusterStore taker = Open();
        CoapClusterNode self = Node();
        CoapClusterSlotMap map = await taker.JoinAsync(self, Lease, Token);

        List<Task<CoapWriteResult>> writes = [];
        for (int i = 0; i < 100; i++)
        {
            writes.Add(writer.WriteAsync((CoapRecordWrite[])[Put(Name(i), fence, "x")], Token).AsTask());
        }

        await writes[0];
        Assert.True(await taker.TryChangeAsync(map.Assign(self.Id, [One]), Token));
        string[] read = [.. (await TextsAsync(taker)).Order(StringComparer.Ordinal)];
        await Task.WhenAll(writes);

        string[] held = [.. Enumerable.Range(0, writes.Count).Where(i => writes[i].Result[0] == CoapWriteOutcome.Written)
            .Select(i => $"{Name(i)}=x").Order(StringComparer.Ordinal)];
        Assert.Equal(held, read);
        Assert.Equal(1, (await writer.WriteAsync((CoapRecordWrite[])[Put("late", fence, "x")], Token)).FencedCount);
    }

    [Fact]
    public async Task Two_writers_with_different_slots_do_not_disturb_each_other()
    {
        ICoapClusterStore first = Open();
        ICoapClusterStore second = Open();
        CoapClusterNode one = Node();
        CoapClusterNode two = Node();
        await first.JoinAsync(one, Lease, Token);
        CoapClusterSlotMap map = await second.JoinAsync(two, Lease, Token);
        Assert.True(await first.TryChangeAsync(map.Assign(one.Id, [One]), Token));
        map = await second.JoinAsync(two, Lease, Token);
        Assert.True(await second.TryChangeAsync(map.Assign(two.Id, [Two]), Token));

        Task<CoapWriteResult>[] writes = [.. Enumerable.Range(0, 40).Select(i => (i % 2 == 0 ? first : second).WriteAsync(
            (CoapRecordWrite[])[.. Enumerable.Range(0, 20).Select(j => CoapRecordWrite.Put(
                Key($"{i}/{j}", slot: i % 2 == 0 ? One : Two), new CoapFencingToken(1), "x"u8.ToArray(), Timeout.InfiniteTimeSpan))],
            Token).AsTask())];
        await Task.WhenAll(writes);

        Assert.All(writes, write => Assert.Equal(0, write.Result.FencedCount));
        Assert.Equal(400, (await ReadAsync(second, One)).Count);
        Assert.Equal(400, (await ReadAsync(first, Two)).Count);
    }
}
