using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;
using CoAP.NET.Cluster.Tables;
using CoAP.NET.Cluster.Telemetry;
using static CoAP.NET.Cluster.Tests.Tables.TableExtensions;

namespace CoAP.NET.Cluster.Tests.Tables;

/// <summary>Tables of several nodes with a store in memory, in virtual time.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class SharedTableTests : IAsyncDisposable
{
    private readonly VirtualClock _clock = new();
    private readonly TableWorld _world;

    public SharedTableTests()
    {
        CoapMemoryCluster memory = new(_clock);
        _world = new TableWorld(memory.Open, _clock);
    }

    [Fact]
    public async Task The_owner_decides_the_questions_of_each_node_and_all_nodes_get_the_same_changes()
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
        Assert.Equal((150, 150), (_world.Nodes[0].Table.Count, _world.Nodes[0].Rules.Told.Values.Count(text => text == "x")));
        Assert.Equal(600, _world.Nodes.Sum(node => node.Rules.Decided));

        // The text of a question that the rules do not know.
        (TableNode owner, TableNode other) = _world.Of(7);
        await Assert.ThrowsAsync<InvalidOperationException>(() => owner.Table.AskAsync(Key(7), "dance"));
        CoapException failed = await Assert.ThrowsAsync<CoapException>(() => other.Table.AskAsync(Key(7), "dance"));
        failed.Mentions($"at node {owner.Cluster.Self.Id}");
    }

    [Fact]
    public async Task A_node_shows_the_changes_of_another_node_without_a_delay()
    {
        await _world.StartAsync(2);
        TimeSpan began = _clock.Elapsed;
        (TableNode owner, TableNode other) = _world.Of(9);
        const int Quick = 50;
        await owner.Table.AskAsync(Key(9), "put first");
        await Eventually.IsTrueAsync(() => other.Rules.Told.GetValueOrDefault(Key(9)) == "first");
        for (int i = 0; i < Quick; i++)
        {
            await owner.Table.AskAsync(Key(9), $"quick {i}");
            await Eventually.IsTrueAsync(() => other.Rules.Told[Key(9)] == $"{i}");
        }

        await owner.Table.AskAsync(Key(9), "remove");
        await Eventually.IsTrueAsync(() => other.Rules.Told.Count == 0);
        Assert.Equal((began, Quick + 2), (_clock.Elapsed, other.Rules.Changes.Count));
        Assert.Equal(Quick + 2, other.Cluster.Counts[ClusterMetric.TableReceived]);
    }

    [Fact]
    public async Task A_node_that_joins_later_reads_each_slot_once_and_gets_the_changes_since_then()
    {
        _world.Settle = FromMinutes(10);
        await _world.StartAsync(1);
        TableNode first = _world.Nodes[0];
        for (int i = 0; i < 1000; i++)
        {
            await first.Table.AskAsync(Key(i % 256, $"{i}"), $"put {i}");
        }

        // They are not in the store yet.
        first.Store.HoldWrites();
        for (int i = 0; i < 20; i++)
        {
            await first.Table.AskAsync(Key(i, $"{i}"), "quick newer");
        }

        TableNode second = await _world.AddAsync();
        Assert.Equal(1000, second.Rules.Told.Count);
        Assert.DoesNotContain("newer", second.Rules.Told.Values);
        first.Store.Wake();
        await _world.UntilAsync(() => second.Rules.Told.Values.Count(text => text == "newer") == 20);
        await _world.AgreeAsync();
        _world.AssertSame();
        Assert.Equal((20, 0),
            (second.Cluster.Counts[ClusterMetric.TableReceived], second.Cluster.Counts[ClusterMetric.TableSlotsRead]));
    }

    [Fact]
    public async Task A_node_that_joins_reads_all_slots_although_entries_change_without_a_pause()
    {
        _world.Settle = FromMinutes(10);
        await _world.StartAsync(1);
        TableNode first = _world.Nodes[0];
        ConcurrentDictionary<CoapSlot, long> changes = new();
        const int Enough = 20 * CoapSlot.Count;
        int reads = 0;

        await _world.AddAsync(prepare: node => node.Store.OnReading = (kind, slot) =>
        {
            if ((CoapReplicatedTableKind)kind == TableWorld.Kind && changes.Count < CoapSlot.Count
                && Interlocked.Increment(ref reads) < Enough)
            {
                // While an entry of a slot is read, the owner changes one again.
                long count = changes.AddOrUpdate(slot, 1, static (_, before) => before + 1);
                node.Inner.ReceiveChanges([new ReplicatedTableChangeMessage(
                    (CoapRecordKind)TableWorld.Kind, slot, first.Cluster.Map[slot].Fence, count - 1, count, [Key(slot.Number)])]);
            }
        });

        Assert.InRange(reads, CoapSlot.Count, Enough - 1);
    }

    [Fact]
    public async Task Changes_whose_notices_are_lost_are_shown_seconds_later_and_existing_entries_never_disappear()
    {
        await _world.StartAsync(2);
        (TableNode owner, TableNode other) = _world.Of(9);
        await owner.Table.AskAsync(Key(9, "a"), "put first");
        await owner.Table.AskAsync(Key(9, "b"), "put 600 second");
        await _world.AgreeAsync();
        ConcurrentQueue<CoapTableKey> gone = [];
        other.Rules.OnTold = change =>
        {
            if (change.Value is null)
            {
                gone.Enqueue(change.Key);
            }
        };
        long read = other.Cluster.Counts[ClusterMetric.TableSlotsRead];
        _world.Lose(owner, other);
        await owner.Table.AskAsync(Key(9, "a"), "remove");
        await owner.Table.AskAsync(Key(9, "b"), "put 600 third");
        await owner.Table.AskAsync(Key(9, "c"), "put fourth");
        await _clock.SettleAsync();
        _world.Hub.Loses = null;
        Assert.Equal(["first", "second"], other.Rules.Told.Values.Order());
        TimeSpan began = _clock.Elapsed;
        await _world.AgreeAsync();
        _world.AssertSame();
        Assert.Equal(["fourth", "third"], other.Rules.Told.Values.Order());
        Assert.Equal([Key(9, "a")], gone);
        Assert.InRange(_clock.Elapsed - began, FromSeconds(1), FromSeconds(6));
        Assert.Equal(read + 1, other.Cluster.Counts[ClusterMetric.TableSlotsRead]);
    }

    [Fact]
    public async Task The_next_notice_after_a_lost_notice_delivers_all_changes_at_once()
    {
        await _world.StartAsync(2);
        (TableNode owner, TableNode other) = _world.Of(9);
        _world.Lose(owner, other);
        await owner.Table.AskAsync(Key(9, "a"), "put lost");
        await _clock.SettleAsync();
        _world.Hub.Loses = null;
        TimeSpan began = _clock.Elapsed;
        await owner.Table.AskAsync(Key(9, "b"), "put heard");
        await Eventually.IsTrueAsync(() => other.Rules.Told.Count == 2);
        Assert.Equal(began, _clock.Elapsed);
    }

    [Fact]
    public async Task Changes_of_a_slot_that_exceed_a_single_notice_are_all_shown()
    {
        await _world.StartAsync(2);
        (TableNode owner, TableNode other) = _world.Of(9);
        const int Many = (3 * TableUpdatePublisher.MostKeys) + 7;
        for (int i = 0; i < Many; i++)
        {
            await owner.Table.AskAsync(Key(9, $"{i}"), "put old");
        }

        await _world.AgreeAsync();
        owner.Store.HoldWrites();
        for (int i = 0; i < Many; i++)
        {
            await owner.Table.AskAsync(Key(9, $"{i}"), "quick new");
        }

        await _clock.SettleAsync();
        Assert.DoesNotContain("new", other.Rules.Told.Values);
        owner.Store.Wake();
        await _world.AgreeAsync();
        Assert.All(other.Rules.Told.Values, text => Assert.Equal("new", text));
        Assert.Equal(Many, other.Rules.Told.Count);
    }

    [Fact]
    public async Task Entries_expire_at_all_nodes_without_notices_and_renewed_entries_stay()
    {
        await _world.StartAsync(2);
        (TableNode owner, TableNode other) = _world.Of(9);
        await owner.Table.AskAsync(Key(9, "a"), "put 600 ends");
        await owner.Table.AskAsync(Key(9, "b"), "put 600 stays");
        await _world.AgreeAsync();
        _world.Hub.Cut(owner.Cluster.Self.Id, other.Cluster.Self.Id);
        _clock.Advance(FromSeconds(300));
        TimeSpan began = _clock.Elapsed;
        await _world.PassAsync(owner.Table.AskAsync(Key(9, "b"), "put 600 stays"));
        await _world.UntilAsync(() => other.Rules.Told.Count == 1);
        Assert.InRange(_clock.Elapsed - began, FromSeconds(299), FromSeconds(303));
        Assert.Equal((Key(9, "a"), null, true), other.Rules.Changes.Single(change => change.Value is null));
        Assert.Equal("stays", other.Rules.Told[Key(9, "b")]);
        await _world.UntilAsync(() => other.Rules.Told.Count == 0);
        Assert.InRange(_clock.Elapsed - began, FromSeconds(599), FromSeconds(603));
    }

    [Fact]
    public Task Confirmed_changes_survive_while_nodes_leave_join_and_are_killed() => new TableHammer(_world).RunAsync();

    [Fact]
    public async Task A_node_that_exceeds_its_share_of_questions_is_refused_and_other_nodes_are_not()
    {
        await _world.AddAsync(new CoapReplicatedTableOptions { Timeout = FromMinutes(1), MaxWaiting = 3 });
        await _world.AddAsync();
        await _world.AddAsync();
        await _world.FairAsync();
        await _world.AgreeAsync();
        (TableNode owner, TableNode greedy, TableNode modest) = (_world.Nodes[0], _world.Nodes[1], _world.Nodes[2]);
        CoapSlot slot = owner.Cluster.Map.SlotsOf(owner.Cluster.Self.Id)[0];
        owner.Store.HoldWrites();
        Task<string>[] asked = [.. Enumerable.Range(0, 10).Select(i => greedy.Table.AskAsync(Key(slot.Number, $"{i}"), "put text"))];
        await Eventually.IsTrueAsync(() => asked.Count(one => one.IsFaulted) == 7);
        foreach (Task<string> refused in asked.Where(one => one.IsFaulted))
        {
            CoapTableUnavailableException busy = await Assert.ThrowsAsync<CoapTableUnavailableException>(() => refused);
            Assert.Equal((CoapTableUnavailableReason.Busy, false), (busy.Reason, busy.IsOutcomeUnknown));
        }

        Task<string> other = modest.Table.AskAsync(Key(slot.Number, "modest"), "put text");
        Task<string> own = owner.Table.AskAsync(Key(slot.Number, "own"), "put text");
        await Eventually.IsTrueAsync(() => owner.Cluster.Counts[ClusterMetric.TableWaiting] == 5);
        owner.Store.Wake();
        Assert.Equal(("nothing", "nothing"), (await other, await own));
        await Task.WhenAll(asked.Where(one => !one.IsFaulted));
        await _world.AgreeAsync();
        _world.AssertSame();
        Assert.Equal(5, owner.Table.Count);
        Assert.Equal(0, owner.Cluster.Counts[ClusterMetric.TableWaiting]);
    }

    [Fact]
    public async Task The_next_owner_answers_a_question_whose_owner_was_killed()
    {
        await _world.StartAsync(2);
        (TableNode owner, TableNode other) = _world.Of(9);
        await other.Table.AskAsync(Key(9), "put first");
        await _world.AgreeAsync();
        owner.Store.HoldWrites();
        Task<string> asked = other.Table.AskAsync(Key(9), "put second");
        await Eventually.IsTrueAsync(() => owner.Rules.Decided == 2);
        Assert.Equal("first", owner.Rules.Told[Key(9)]);
        await _world.KillAsync(owner);
        await _world.PassAsync(asked);
        Assert.Equal("first", await asked);
        Assert.Equal("second", other.Rules.Told[Key(9)]);
        Assert.Equal(CoapSlot.Count, other.Cluster.Map.SlotsOf(other.Cluster.Self.Id).Count);
    }

    [Fact]
    public async Task An_unwritten_change_is_shown_by_no_other_node_and_is_lost_with_its_node()
    {
        await _world.StartAsync(2);
        (TableNode owner, TableNode other) = _world.Of(9);
        await other.Table.AskAsync(Key(9), "put first");
        await _world.AgreeAsync();
        owner.Store.HoldWrites();
        Assert.Equal("first", await other.Table.AskAsync(Key(9), "quick second"));
        Assert.Equal("second", await other.Table.AskAsync(Key(9), "read"));
        await _clock.SettleAsync();
        Assert.Equal(("second", "first"), (owner.Rules.Told[Key(9)], other.Rules.Told[Key(9)]));
        await _world.KillAsync(owner);
        Task<string> read = other.Table.AskAsync(Key(9), "read");
        await _world.PassAsync(read);
        Assert.Equal("first", await read);
    }

    [Fact]
    public async Task Questions_wait_while_no_node_is_reachable_up_to_their_timeout_and_then_fail()
    {
        await _world.StartAsync(1);
        TableNode other = await _world.AddAsync(new CoapReplicatedTableOptions { Timeout = FromMilliseconds(500), MaxWaiting = 3 });
        await _world.FairAsync();
        TableNode owner = _world.Nodes[0];
        CoapSlot slot = owner.Cluster.Map.SlotsOf(owner.Cluster.Self.Id)[0];
        await other.Table.AskAsync(Key(slot.Number), "put first");
        await _world.AgreeAsync();
        owner.Store.HoldWrites();

        Task<string>[] asked = [.. Enumerable.Range(0, 4).Select(i => other.Table.AskAsync(Key(slot.Number, $"{i}"), "put text"))];
        CoapTableUnavailableException busy = await Assert.ThrowsAsync<CoapTableUnavailableException>(() => asked[3]);
        Assert.Equal((CoapTableUnavailableReason.Busy, false), (busy.Reason, busy.IsOutcomeUnknown));
        busy.Mentions("MaxWaiting");
        TimeSpan began = _clock.Elapsed;
        await _world.UntilAsync(() => asked.All(one => one.IsCompleted));
        Assert.Equal(FromMilliseconds(500), _clock.Elapsed - began);
        foreach (Task<string> one in asked[..3])
        {
            CoapTableUnavailableException late = await Assert.ThrowsAsync<CoapTableUnavailableException>(() => one);
            Assert.True(late.IsOutcomeUnknown);
            late.Mentions("Try again: the same question leads to the same entry.");
        }

        Assert.Equal(0, other.Cluster.Counts[ClusterMetric.TableWaiting]);

        // It takes effect after all, as was said; and until then nobody is shown it.
        Assert.Single(other.Rules.Told);
        owner.Store.Wake();
        await _world.UntilAsync(() => other.Rules.Told.Count == 4);
    }

    public ValueTask DisposeAsync() => _world.DisposeAsync();
}
