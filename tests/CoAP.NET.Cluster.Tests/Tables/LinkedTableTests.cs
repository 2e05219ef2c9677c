using System.Collections.Concurrent;
using CoAP.NET.Tests;
using static CoAP.NET.Cluster.Tests.Tables.TableExtensions;

namespace CoAP.NET.Cluster.Tests.Tables;

/// <summary>Tables of several nodes with links over loopback, and a store in memory.</summary>
/// <remarks>Real clock: the links between the nodes are connections over loopback.</remarks>
public sealed class LinkedTableTests : IAsyncDisposable
{
    private readonly CoapMemoryCluster _memory = new();
    private readonly TableWorld _world;

    public LinkedTableTests() => _world = new TableWorld(_memory.Open);

    [Fact]
    public async Task Each_node_is_asked_the_owner_decides_and_all_are_told_the_same()
    {
        await _world.StartAsync(3);
        for (int i = 0; i < 300; i++)
        {
            Assert.Equal("nothing", await _world.Nodes[i % 3].Table.AskAsync(Key(i % 256, $"{i}"), $"put {i}"));
        }

        for (int i = 0; i < 300; i++)
        {
            Assert.Equal($"{i}", await _world.Nodes[(i + 1) % 3].Table.AskAsync(Key(i % 256, $"{i}"), i % 2 == 0 ? "remove" : "quick x"));
        }

        await _world.AgreeAsync();
        _world.AssertSame();
        Assert.Equal((150, 150), (_world.Nodes[0].Table.Count, _world.Nodes[0].Rules.Told.Values.Count(static text => text == "x")));
        Assert.Equal(600, _world.Nodes.Sum(static node => node.Rules.Decided));

        // The text of a question that the rules do not know.
        TableNode owner = _world.OwnerOf(new CoapSlot(7));
        TableNode other = _world.Nodes.First(node => node != owner);
        await Assert.ThrowsAsync<InvalidOperationException>(() => owner.Table.AskAsync(Key(7), "dance"));
        CoapException failed = await Assert.ThrowsAsync<CoapException>(() => other.Table.AskAsync(Key(7), "dance"));
        Assert.Contains($"at node {owner.Cluster.Self.Id}", failed.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_node_that_comes_later_has_all_and_gets_only_what_differs_from_what_it_read()
    {
        _world.Settle = TimeSpan.FromMinutes(10);
        await _world.StartAsync(1);
        CoapTable first = _world.Nodes[0].Table;
        for (int i = 0; i < 1000; i++)
        {
            await first.AskAsync(Key(i % 256, $"{i}"), $"put {i}");
        }

        // Told to nobody yet, and not in the store either.
        _world.Nodes[0].Store.HoldWrites();
        for (int i = 0; i < 20; i++)
        {
            await first.AskAsync(Key(i, $"{i}"), "quick newer");
        }

        TableNode second = await _world.AddAsync();
        Assert.Equal(1000, second.Rules.Told.Count);
        await Eventually.IsTrueAsync(() => second.Inner.HasHeard((ClusterTable)first));
        Assert.Equal(20, second.Rules.Told.Values.Count(static text => text == "newer"));
        Assert.True(second.Cluster.Counts[ClusterMetric.TableSlotsCompared] >= 20);

        // Some of them have neighbours that are compared with them.
        Assert.InRange(second.Cluster.Counts[ClusterMetric.TableReceived], 20, 40);
        _world.Nodes[0].Store.Wake();
        await _world.AgreeAsync();
        _world.AssertSame();
    }

    [Fact]
    public async Task A_slot_of_many_large_entries_is_compared_in_pages_and_nothing_that_is_there_is_ever_missing()
    {
        await _world.StartAsync(1);
        TableNode first = _world.Nodes[0];
        for (int i = 0; i < 40; i++)
        {
            await first.Table.AskAsync(Key(5, $"{i}"), "put " + new string('a', 20_000));
        }

        TableNode second = await _world.AddAsync();
        await _world.FairAsync();
        await _world.AgreeAsync();
        (TableNode owner, TableNode other) = first == _world.OwnerOf(new CoapSlot(5)) ? (first, second) : (second, first);
        ConcurrentQueue<CoapTableChange> gone = [];
        other.Rules.OnTold = change =>
        {
            if (change.Value is null)
            {
                gone.Enqueue(change);
            }
        };

        // More removals than are remembered, while the other node hears nothing.
        other.Inner.Unfollow(owner.Cluster.Self.Id);
        for (int i = 0; i < TableRemovals.Most + 10; i++)
        {
            await owner.Table.AskAsync(Key(5, "x"), "put short");
            await owner.Table.AskAsync(Key(5, "x"), "remove");
        }

        for (int i = 0; i < 20; i++)
        {
            await owner.Table.AskAsync(Key(5, $"{i}"), "put " + new string('b', 20_000));
        }

        await owner.Table.AskAsync(Key(5, "39"), "remove");
        long compared = other.Cluster.Counts[ClusterMetric.TableSlotsCompared];
        other.Inner.Follow(owner.Cluster.Self.Id);
        await _world.AgreeAsync();
        _world.AssertSame();
        Assert.Equal(39, other.Table.Count);
        Assert.Equal(Key(5, "39"), Assert.Single(gone).Key);
        Assert.Equal(compared + 1, other.Cluster.Counts[ClusterMetric.TableSlotsCompared]);
    }

    [Fact]
    public Task Nothing_that_was_confirmed_is_lost_while_nodes_leave_join_and_are_killed() => new TableHammer(_world).RunAsync();

    [Fact]
    public async Task A_node_that_asks_for_more_than_its_share_is_refused_and_the_others_are_not()
    {
        await _world.AddAsync(new CoapTableOptions { Timeout = TimeSpan.FromMinutes(1), MaxWaiting = 3 });
        await _world.AddAsync();
        await _world.AddAsync();
        await _world.FairAsync();
        (TableNode owner, TableNode greedy, TableNode modest) = (_world.Nodes[0], _world.Nodes[1], _world.Nodes[2]);
        CoapSlot slot = owner.Cluster.Map.SlotsOf(owner.Cluster.Self.Id)[0];
        owner.Store.HoldWrites();
        Task<string>[] asked = [.. Enumerable.Range(0, 10).Select(i => greedy.Table.AskAsync(Key(slot.Number, $"{i}"), "put text"))];
        await Eventually.IsTrueAsync(() => asked.Count(static one => one.IsFaulted) == 7);
        foreach (Task<string> refused in asked.Where(static one => one.IsFaulted))
        {
            CoapTableUnavailableException busy = await Assert.ThrowsAsync<CoapTableUnavailableException>(() => refused);
            Assert.Equal((CoapTableFault.Busy, false), (busy.Fault, busy.IsOutcomeUnknown));
        }

        Task<string> other = modest.Table.AskAsync(Key(slot.Number, "modest"), "put text");
        Task<string> own = owner.Table.AskAsync(Key(slot.Number, "own"), "put text");
        await Eventually.IsTrueAsync(() => owner.Cluster.Counts[ClusterMetric.TableWaiting] == 5);
        owner.Store.Wake();
        Assert.Equal(("nothing", "nothing"), (await other, await own));
        await Task.WhenAll(asked.Where(static one => !one.IsFaulted));
        await _world.AgreeAsync();
        _world.AssertSame();
        Assert.Equal(5, owner.Table.Count);
        Assert.Equal(0, owner.Cluster.Counts[ClusterMetric.TableWaiting]);
    }

    [Fact]
    public async Task The_owner_is_killed_in_the_middle_of_a_question_and_the_next_one_answers()
    {
        await _world.StartAsync(2);
        TableNode owner = _world.OwnerOf(new CoapSlot(9));
        TableNode other = _world.Nodes.Single(node => node != owner);
        await other.Table.AskAsync(Key(9), "put first");
        owner.Store.HoldWrites();
        Task<string> asked = other.Table.AskAsync(Key(9), "put second");
        await Eventually.IsTrueAsync(() => owner.Rules.Decided == 2);
        Assert.Equal("first", owner.Rules.Told[Key(9)]);
        await _world.KillAsync(owner);
        Assert.Equal("first", await asked);
        Assert.Equal("second", other.Rules.Told[Key(9)]);
        Assert.Equal(CoapSlot.Count, other.Cluster.Map.SlotsOf(other.Cluster.Self.Id).Count);
    }

    [Fact]
    public async Task What_was_not_written_yet_stays_when_the_node_that_took_it_is_killed_and_others_know_it()
    {
        await _world.StartAsync(2);
        TableNode owner = _world.OwnerOf(new CoapSlot(9));
        TableNode other = _world.Nodes.Single(node => node != owner);
        await other.Table.AskAsync(Key(9, "a"), "put first");
        await other.Table.AskAsync(Key(9, "b"), "put first");
        await _world.AgreeAsync();
        owner.Store.HoldWrites();
        await other.Table.AskAsync(Key(9, "a"), "quick second");
        await _world.AgreeAsync();
        await _world.KillAsync(owner);
        Assert.Equal("second", await other.Table.AskAsync(Key(9, "a"), "read"));
        Assert.Equal("first", await other.Table.AskAsync(Key(9, "b"), "read"));

        // The new owner has written it.
        await other.Cluster.Writer.FlushAsync();
        CoapRecord? record = await other.Cluster.Store.FindAsync(
            new CoapRecordKey((CoapRecordKind)TableWorld.Kind, new CoapSlot(9), Key(9, "a").Bytes), default);
        Assert.True(record!.State.Span.EndsWith("second"u8));
    }

    [Fact]
    public async Task Questions_wait_while_no_node_can_be_reached_up_to_their_bound_and_then_say_so()
    {
        await _world.StartAsync(1);
        TableNode other = await _world.AddAsync(new CoapTableOptions { Timeout = TimeSpan.FromMilliseconds(500), MaxWaiting = 3 });
        await _world.FairAsync();
        TableNode owner = _world.Nodes[0];
        CoapSlot slot = owner.Cluster.Map.SlotsOf(owner.Cluster.Self.Id)[0];
        await other.Table.AskAsync(Key(slot.Number), "put first");
        await _world.AgreeAsync();
        owner.Store.HoldWrites();

        Task<string>[] asked = [.. Enumerable.Range(0, 4).Select(i => other.Table.AskAsync(Key(slot.Number, $"{i}"), "put text"))];
        CoapTableUnavailableException busy = await Assert.ThrowsAsync<CoapTableUnavailableException>(() => asked[3]);
        Assert.Equal((CoapTableFault.Busy, false), (busy.Fault, busy.IsOutcomeUnknown));
        Assert.Contains("MaxWaiting", busy.Message, StringComparison.Ordinal);
        foreach (Task<string> one in asked[..3])
        {
            CoapTableUnavailableException late = await Assert.ThrowsAsync<CoapTableUnavailableException>(() => one);
            Assert.True(late.IsOutcomeUnknown);
            Assert.Contains("Try again: the same question leads to the same entry.", late.Message, StringComparison.Ordinal);
        }

        Assert.Equal(0, other.Cluster.Counts[ClusterMetric.TableWaiting]);

        // It takes effect after all, as was said; and until then nobody is shown it.
        Assert.Single(other.Rules.Told);
        owner.Store.Wake();
        await Eventually.IsTrueAsync(() => other.Rules.Told.Count == 4);
    }

    [Fact]
    public async Task A_link_that_was_cut_is_mended_and_the_changes_meanwhile_come()
    {
        await _world.StartAsync(2);
        TableNode owner = _world.OwnerOf(new CoapSlot(9));
        TableNode other = _world.Nodes.Single(node => node != owner);
        await owner.Table.AskAsync(Key(9, "a"), "put first");
        await owner.Table.AskAsync(Key(9, "b"), "put 600 second");
        await _world.AgreeAsync();
        other.Inner.Unfollow(owner.Cluster.Self.Id);
        long compared = other.Cluster.Counts[ClusterMetric.TableSlotsCompared];
        await owner.Table.AskAsync(Key(9, "a"), "remove");
        await owner.Table.AskAsync(Key(9, "b"), "put 600 third");
        await owner.Table.AskAsync(Key(9, "c"), "put fourth");
        other.Inner.Follow(owner.Cluster.Self.Id);
        await _world.AgreeAsync();
        _world.AssertSame();
        Assert.Equal(compared, other.Cluster.Counts[ClusterMetric.TableSlotsCompared]);
        Assert.Equal(["fourth", "third"], other.Rules.Told.Values.Order());
    }

    public ValueTask DisposeAsync() => _world.DisposeAsync();
}
