using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;
using static CoAP.NET.Cluster.Tests.Tables.TableExtensions;

namespace CoAP.NET.Cluster.Tests.Tables;

/// <summary>Tables of one active node and one that stands by, while virtual time passes.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class ClusterTableTimeTests : IAsyncDisposable
{
    private static readonly TimeSpan s_long = FromMinutes(10);
    private readonly SharingNodes _nodes = new();

    [Fact]
    public async Task The_outcome_of_a_durable_change_is_unknown_during_a_store_outage_and_all_else_continues()
    {
        (CoapReplicatedTable table, NoteRules rules) = await StartAsync();
        await table.AskAsync(Key(1), "put first");
        _nodes.Memory.IsAway = true;
        TimeSpan began = _nodes.Clock.Elapsed;
        Task<string> asked = table.AskAsync(Key(1), "put second");
        CoapTableUnavailableException late = await UnavailableAsync(asked);
        Assert.Equal(FromSeconds(5), _nodes.Clock.Elapsed - began);
        Assert.Equal((CoapTableUnavailableReason.NotConfirmed, true), (late.Reason, late.IsOutcomeUnknown));
        late.Mentions("the store did not confirm the change");

        // Until it is confirmed, nothing else is decided about the same entry, and nobody is shown it.
        CoapTableUnavailableException blocked = await UnavailableAsync(table.AskAsync(Key(1), "read"));
        Assert.Equal((CoapTableUnavailableReason.NotConfirmed, false), (blocked.Reason, blocked.IsOutcomeUnknown));
        Assert.Equal("first", rules.Told[Key(1)]);
        Assert.Equal("nothing", await table.AskAsync(Key(2), "read"));

        _nodes.Memory.IsAway = false;
        await _nodes.Clock.AdvanceUntilAsync(() => rules.Told[Key(1)] == "second", s_long);
        Assert.Equal("second", await table.AskAsync(Key(1), "read"));
    }

    [Fact]
    public async Task Values_that_need_not_be_durable_are_put_during_a_store_outage_and_written_later()
    {
        (CoapReplicatedTable table, _) = await StartAsync();
        await table.AskAsync(Key(1), "put first");
        _nodes.Memory.IsAway = true;
        Assert.Equal("first", await table.AskAsync(Key(1), "quick second"));
        Assert.Equal("second", await table.AskAsync(Key(1), "quick third"));
        _nodes.Memory.IsAway = false;
        await _nodes.Clock.AdvanceUntilAsync(_nodes.All[0].Writer.FlushAsync(), s_long);
        await _nodes.All[0].DisposeAsync();
        (CoapReplicatedTable again, _) = await StartAsync();
        Assert.Equal("third", await again.AskAsync(Key(1), "read"));
    }

    [Fact]
    public async Task Lifetimes_continue_across_a_restart_and_expired_entries_do_not_return()
    {
        (CoapReplicatedTable table, _) = await StartAsync();
        for (int i = 0; i < 100; i++)
        {
            await table.AskAsync(Key(i), $"put {100 + i} text");
        }

        await table.AskAsync(Key(200), "put forever");
        _nodes.Clock.Advance(FromSeconds(40));
        await _nodes.All[0].DisposeAsync();
        _nodes.Clock.Advance(FromSeconds(70));
        (CoapReplicatedTable again, NoteRules rules) = await StartAsync();
        Assert.Equal((90, 90), (again.Count, rules.Told.Count));
        Assert.Equal("1", await again.AskAsync(Key(11), "left"));
        _nodes.Clock.Advance(FromSeconds(1));
        Assert.Equal((89, (Key(11), null, true)), (again.Count, rules.Changes.Last()));
        _nodes.Clock.Advance(FromSeconds(100));
        Assert.Equal("forever", Assert.Single(rules.Told).Value);
    }

    [Fact]
    public async Task An_entry_that_expired_during_a_store_outage_does_not_return_afterwards()
    {
        (CoapReplicatedTable table, _) = await StartAsync();
        await table.AskAsync(Key(1), "put 30 first");
        _nodes.Memory.IsAway = true;
        await table.AskAsync(Key(1), "quick 60 second");
        _nodes.Clock.Advance(FromSeconds(60));
        Assert.Equal(0, table.Count);
        _nodes.Memory.IsAway = false;
        await _nodes.Clock.AdvanceUntilAsync(_nodes.All[0].Writer.FlushAsync(), s_long);
        await _nodes.All[0].DisposeAsync();
        (CoapReplicatedTable again, _) = await StartAsync();
        Assert.Equal(0, again.Count);
    }

    [Fact]
    public async Task A_standby_node_shows_its_loaded_entries_and_answers_after_it_has_taken_over()
    {
        (CoapReplicatedTable table, _) = await StartAsync();
        await table.AskAsync(Key(1), "put first");
        (CoapReplicatedTable standby, NoteRules rules) = await StartAsync();
        Assert.Equal("first", rules.Told[Key(1)]);
        CoapTableUnavailableException unreached = await UnavailableAsync(standby.AskAsync(Key(1), "read"));
        Assert.Equal((CoapTableUnavailableReason.NotReached, false), (unreached.Reason, unreached.IsOutcomeUnknown));
        unreached.Mentions($"node {_nodes.All[0].Self.Id}, which owns the slot, cannot be reached");

        await table.AskAsync(Key(1), "put second");
        await table.AskAsync(Key(2), "put third");
        Task<string> asked = standby.AskAsync(Key(1), "read");
        await _nodes.All[0].DisposeAsync();
        Assert.Equal("second", await asked);
        await Eventually.IsTrueAsync(() => rules.Told.Count == 2);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => table.AskAsync(Key(1), "read"));
    }

    [Fact]
    public async Task A_store_that_is_unavailable_at_the_start_is_retried_until_it_is_available()
    {
        (CoapReplicatedTable table, _) = await StartAsync();
        await table.AskAsync(Key(1), "put first");
        CoapTableKey key = table.KeyOf("name"u8);
        await _nodes.All[0].DisposeAsync();
        _nodes.Memory.IsAway = true;
        CoapCluster cluster = _nodes.Make(shares: false);
        NoteRules rules = new();
        CoapReplicatedTable again = cluster.OpenTable(TableWorld.Kind, rules);
        Task started = cluster.StartAsync();
        await _nodes.Clock.AdvanceUntilAsync(started, s_long);
        Task loaded = again.StartAsync();
        await _nodes.Clock.AdvanceUntilAsync(() => loaded.IsCompleted || _nodes.Clock.Elapsed > FromMinutes(1), s_long,
            FromSeconds(1));
        Assert.False(loaded.IsCompleted);

        // It does not know how keys are made, and must not make another one.
        Assert.Throws<CoapTableUnavailableException>(() => again.KeyOf("name"u8));
        _nodes.Memory.IsAway = false;
        await _nodes.Clock.AdvanceUntilAsync(loaded, s_long);
        Assert.Equal("first", rules.Told[Key(1)]);

        // The table loads on its own; the node knows how keys are made when its next renewal reaches the store.
        await _nodes.Clock.AdvanceUntilAsync(() => again.FindKeyOf("name") is not null, s_long, FromSeconds(1));
        Assert.Equal(key, again.FindKeyOf("name"));
    }

    [Fact]
    public async Task Names_keep_their_table_keys_when_the_secret_is_replaced()
    {
        (CoapReplicatedTable table, _) = await StartAsync();
        CoapTableKey key = table.KeyOf("name"u8);
        await _nodes.All[0].DisposeAsync();
        CoapClusterOptions options = ClusterTests.Options(FromHours(1));
        options.Secrets = [CoapSealedClusterStore.NewSecret(), .. options.Secrets];
        await using CoapCluster cluster = new(_nodes.Memory.Open(), options, _nodes.Clock);
        await cluster.StartAsync();
        CoapReplicatedTable again = cluster.OpenTable(TableWorld.Kind, new NoteRules());
        await again.StartAsync();
        Assert.Equal(key, again.KeyOf("name"u8));
        Assert.NotEqual(key, again.KeyOf("other"u8));
    }

    [Fact]
    public async Task A_second_table_of_a_kind_and_the_kinds_of_other_records_are_refused()
    {
        (CoapReplicatedTable table, _) = await StartAsync();
        CoapCluster cluster = _nodes.All[0];
        Assert.Throws<ArgumentOutOfRangeException>(
            () => cluster.OpenTable((CoapReplicatedTableKind)CoapRecordKind.Session, new NoteRules()));
        Assert.Throws<InvalidOperationException>(() => cluster.OpenTable(TableWorld.Kind, new NoteRules()));
        CoapReplicatedTable topics = cluster.OpenTable(CoapReplicatedTableKind.Topics, new NoteRules());
        await topics.StartAsync();
        await topics.AskAsync(Key(1), "put topic");
        Assert.Equal((0, 1), (table.Count, topics.Count));
        Assert.Equal(table.KeyOf("name"u8), topics.KeyOf("name"u8));
        await table.DisposeAsync();
        CoapReplicatedTable again = cluster.OpenTable(TableWorld.Kind, new NoteRules());
        await again.StartAsync();
        Assert.Equal("nothing", await again.AskAsync(Key(1), "read"));
    }

    public ValueTask DisposeAsync() => _nodes.DisposeAsync();

    private async Task<(CoapReplicatedTable Table, NoteRules Rules)> StartAsync()
    {
        CoapCluster node = await _nodes.StartAsync(shares: false);
        NoteRules rules = new();
        CoapReplicatedTable table = node.OpenTable(TableWorld.Kind, rules);
        await table.StartAsync();
        return (table, rules);
    }

    private async Task<CoapTableUnavailableException> UnavailableAsync(Task asked)
    {
        await _nodes.Clock.AdvanceUntilAsync(() => asked.IsCompleted, s_long);
        return await Assert.ThrowsAsync<CoapTableUnavailableException>(() => asked);
    }
}
