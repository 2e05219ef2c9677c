using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;
using CoAP.NET.Execution;

namespace CoAP.NET.Cluster.Tests.Nodes;

/// <summary>Nodes with another secret, and how the secret is replaced while the nodes run.</summary>
public sealed class SecretTests : IAsyncDisposable
{
    private static readonly CoapSlot s_slot = new(1);
    private static readonly ReadOnlyMemory<byte> s_old = Secret(1);
    private static readonly ReadOnlyMemory<byte> s_new = Secret(2);
    private static readonly CoapRecordKey s_key = new(CoapRecordKind.Device, s_slot, "a"u8);

    private readonly VirtualClock _clock = new();
    private readonly StringWriterLogger _log = new();
    private readonly CoapMemoryCluster _memory;
    private readonly List<CoapCluster> _nodes = [];

    public SecretTests() => _memory = new CoapMemoryCluster(_clock);

    [Fact]
    public async Task A_node_with_another_secret_never_joins_and_reports_the_reason()
    {
        CoapCluster member = await StartAsync(s_old);
        MarkStore store = new(_memory.Open());
        CoapCluster stranger = await StartAsync(store, s_new);

        Assert.Equal(CoapClusterStoreFault.OtherSecret, stranger.Health.Failure?.Fault);
        stranger.Health.Failure!.Mentions("The secret of this node is not the secret of the cluster");
        Assert.False(stranger.IsReady);

        // Not even when the cluster has no live node, and its slots are free.
        await member.DisposeAsync();
        int looks = store.Looks;
        await UntilAsync(() => store.Looks >= looks + 10);
        Assert.Equal(0, store.Joins);
        Assert.False(stranger.FenceOf(s_slot).IsSet);
        Assert.Empty(stranger.Map.Nodes);

        CoapCluster next = await StartAsync(s_old);
        Assert.Equal(CoapSlot.Count, next.Map.SlotsOf(next.Self.Id).Count);
    }

    [Fact]
    public async Task A_node_with_another_secret_joins_when_the_mark_is_deleted()
    {
        CoapCluster member = await StartAsync(s_old);
        await member.DisposeAsync();
        CoapCluster stranger = await StartAsync(s_new);
        await using (ICoapClusterStore below = _memory.Open())
        {
            CoapRecord mark = (await below.FindAsync(ClusterSecretCheckRecord.RecordKey, default))!;
            await below.WriteAsync(new[] { CoapRecordWrite.Remove(mark.Key, mark.Fence) }, default);
        }

        await UntilAsync(() => stranger.FenceOf(s_slot).IsSet && !stranger.Health.IsDegraded);
    }

    [Fact]
    public async Task A_node_that_started_first_with_another_secret_leaves_when_the_cluster_sets_its_mark()
    {
        // The mark is not there yet when it looks first, as when both nodes start at the same time.
        CoapCluster member = await StartAsync(s_old);
        MarkStore store = new(_memory.Open()) { Hidden = 1 };
        CoapCluster stranger = await StartAsync(store, s_new);
        Assert.NotEqual(0, store.Joins);

        // Time stands still until the member has seen it: it is logged only while its lease lasts.
        await Eventually.IsTrueAsync(() => _log.ToString().Contains(" 2522 ", Ordinal));
        await UntilAsync(() => stranger.Health.Failure is { Fault: CoapClusterStoreFault.OtherSecret });
        await UntilAsync(() => stranger.Map.Nodes.Count == 0);
        await UntilAsync(() => member.Map.SlotsOf(member.Self.Id).Count == CoapSlot.Count);
        Assert.False(member.Health.IsDegraded);
        Assert.Contains($"Node {stranger.Self.Id} (", Assert.Single(_log.ToString().Split('\n'), line =>
            line.Contains(" 2522 ", Ordinal) && line.Contains("is in the store of the cluster, but does not have its secret",
                Ordinal)), Ordinal);
    }

    [Fact]
    public async Task Slots_of_a_node_that_does_not_have_the_secret_are_without_an_owner()
    {
        await using ICoapClusterStore below = _memory.Open();
        CoapClusterNode stranger = new(CoapNodeId.New(), "");
        CoapClusterSlotMap map = await below.JoinAsync(stranger, FromHours(1), default);
        Assert.True(await below.TryChangeAsync(map.Assign(stranger.Id, CoapSlot.All), default));

        CoapCluster member = await StartAsync(s_old);

        Assert.Equal([member.Self], member.Map.Nodes);
        Assert.Equal(CoapSlot.Count, member.Map.SlotsOf(member.Self.Id).Count);
    }

    [Fact]
    public async Task The_secret_is_replaced_on_each_node_in_turn_and_all_nodes_read_all_records()
    {
        CoapCluster old = await StartAsync(s_old);
        byte[] common = old.Store.CommonKey.ToArray();
        await using ICoapClusterStore below = _memory.Open();
        byte[] mark = MarkOf(below);
        await WriteAsync(old, "by the old secret");
        CoapCluster both = await StartAsync(s_new, s_old);
        Assert.True(both.Store.UsesPreviousSecret);

        // A node without the new secret lives: the one with both writes what it can read.
        await using (CoapSealedClusterStore other = new CoapSealedClusterStore(_memory.Open(), s_old.Span))
        {
            await other.JoinAsync(new CoapClusterNode(CoapNodeId.New(), ""), FromHours(1), default);
            await old.DisposeAsync();
            await UntilAsync(() => both.FenceOf(s_slot).IsSet);
            Assert.Equal("by the old secret", await ReadAsync(both));
            await WriteAsync(both, "by both");
            Assert.Equal("by both", Encoding.UTF8.GetString((await other.FindAsync(s_key, default))!.State.Span));
        }

        // All have the new one.
        await UntilAsync(() => !both.Store.UsesPreviousSecret);
        await WriteAsync(both, "by the new secret");
        await UntilAsync(() => !mark.SequenceEqual(MarkOf(below)));
        await both.DisposeAsync();
        CoapCluster latest = await StartAsync(s_new);
        Assert.False(latest.Health.IsDegraded);
        Assert.Equal("by the new secret", await ReadAsync(latest));
        Assert.Equal(common, latest.Store.CommonKey.ToArray());

        CoapCluster late = await StartAsync(s_old);
        Assert.Equal(CoapClusterStoreFault.OtherSecret, late.Health.Failure?.Fault);
    }

    [Fact]
    public async Task The_number_of_records_that_need_the_previous_secret_is_reported()
    {
        CoapCluster old = await StartAsync(s_old);
        await WriteAsync(old, "by the old secret");
        await old.DisposeAsync();
        CoapCluster both = await StartAsync(s_new, s_old);
        long before = both.Store.PreviousCount;

        Assert.Equal("by the old secret", await ReadAsync(both));
        Assert.Equal(before + 1, both.Store.PreviousCount);
        await WriteAsync(both, "by the new secret");
        Assert.Equal("by the new secret", await ReadAsync(both));
        Assert.Equal(before + 1, both.Store.PreviousCount);
    }

    [Fact]
    public async Task Endpoints_create_values_that_all_nodes_accept_while_the_secret_is_replaced()
    {
        CoapCluster old = await StartAsync(s_old);
        CoapEndpointOptions ofOld = old.KeepState(new CoapEndpointOptions());
        byte[] secret = ofOld.Processes.SharedSecret.ToArray();
        Assert.Null(ofOld.Processes.PreviousSecret);
        CoapCluster both = await StartAsync(s_new, s_old);
        CoapEndpointOptions ofBoth = both.KeepState(new CoapEndpointOptions());
        PreviousSecret previous = ofBoth.Processes.PreviousSecret!;

        // The other node opens only what was made with the old secret.
        Assert.Equal(secret, previous.Secret.ToArray());
        Assert.NotEqual(secret, ofBoth.Processes.SharedSecret.ToArray());
        Assert.True(previous.IsUsed());

        await old.DisposeAsync();
        await UntilAsync(() => !previous.IsUsed());
        CoapCluster latest = await StartAsync(s_new);
        CoapEndpointOptions ofLatest = latest.KeepState(new CoapEndpointOptions());
        Assert.Equal(ofLatest.Processes.SharedSecret.ToArray(), ofBoth.Processes.SharedSecret.ToArray());
        Assert.Null(ofLatest.Processes.PreviousSecret);
        Assert.False(previous.IsUsed());
    }

    public async ValueTask DisposeAsync()
    {
        foreach (CoapCluster node in _nodes)
        {
            await node.DisposeAsync();
        }

        _log.Dispose();
    }

    private static byte[] Secret(byte first) => [.. Enumerable.Range(first, 32).Select(i => (byte)i)];

    // A store in memory answers at once.
    private static byte[] MarkOf(ICoapClusterStore below) =>
        below.FindAsync(ClusterSecretCheckRecord.RecordKey, default).AsTask().Result!.State.ToArray();

    private static async Task WriteAsync(CoapCluster node, string text) => Assert.Equal(CoapWriteOutcome.Written,
        await node.Writer.WriteAsync(
            CoapRecordWrite.Put(s_key, node.FenceOf(s_slot), Encoding.UTF8.GetBytes(text), Timeout.InfiniteTimeSpan)));

    private static async Task<string> ReadAsync(CoapCluster node) =>
        Encoding.UTF8.GetString((await node.Store.FindAsync(s_key, default))!.State.Span);

    private Task<CoapCluster> StartAsync(params ReadOnlyMemory<byte>[] secrets) => StartAsync(_memory.Open(), secrets);

    private async Task<CoapCluster> StartAsync(ICoapClusterStore store, params ReadOnlyMemory<byte>[] secrets)
    {
        CoapCluster node = Make(store, secrets);
        await node.StartAsync();
        return node;
    }

    private CoapCluster Make(ICoapClusterStore store, params ReadOnlyMemory<byte>[] secrets)
    {
        CoapCluster node = new(store, new CoapClusterOptions { Secrets = secrets }, _clock, logger: _log);
        _nodes.Add(node);
        return node;
    }

    private async Task UntilAsync(Func<bool> condition)
    {
        for (int looks = 0; !condition(); looks++)
        {
            _clock.Advance(FromSeconds(1));
            await Eventually.PauseAsync(looks);
        }
    }

    // Counts what a node asks, and hides the mark at first.
    private sealed class MarkStore(ICoapClusterStore inner) : ICoapClusterStore
    {
        private int _looks;
        private int _joins;

        public int Hidden { get; init; }

        public int Looks => Volatile.Read(ref _looks);

        public int Joins => Volatile.Read(ref _joins);

        public string? Limitation => inner.Limitation;

        public ValueTask<CoapClusterSlotMap> JoinAsync(CoapClusterNode self, TimeSpan lease, CancellationToken cancellationToken)
        {
            Interlocked.Increment(ref _joins);
            return inner.JoinAsync(self, lease, cancellationToken);
        }

        public IAsyncEnumerable<CoapClusterSlotMap> WatchAsync(CancellationToken cancellationToken) => inner.WatchAsync(cancellationToken);

        public ValueTask<bool> TryChangeAsync(CoapClusterSlotMap wanted, CancellationToken cancellationToken) =>
            inner.TryChangeAsync(wanted, cancellationToken);

        public ValueTask<CoapWriteResult> WriteAsync(ReadOnlyMemory<CoapRecordWrite> batch, CancellationToken cancellationToken) =>
            inner.WriteAsync(batch, cancellationToken);

        public IAsyncEnumerable<CoapRecord> ReadAsync(CoapRecordKind kind, CoapSlot slot, CancellationToken cancellationToken) =>
            inner.ReadAsync(kind, slot, cancellationToken);

        public ValueTask<CoapRecord?> FindAsync(CoapRecordKey key, CancellationToken cancellationToken) =>
            key == ClusterSecretCheckRecord.RecordKey && Interlocked.Increment(ref _looks) <= Hidden
                ? ValueTask.FromResult<CoapRecord?>(null)
                : inner.FindAsync(key, cancellationToken);

        public ValueTask<int> RemoveExpiredAsync(CancellationToken cancellationToken) => inner.RemoveExpiredAsync(cancellationToken);

        public ValueTask DisposeAsync() => inner.DisposeAsync();
    }
}
