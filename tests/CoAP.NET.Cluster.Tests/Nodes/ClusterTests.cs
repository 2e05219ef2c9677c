using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;

namespace CoAP.NET.Cluster.Tests.Nodes;

public sealed class ClusterTests
{
    private static readonly CoapSlot s_slot = new(1);

    private readonly VirtualClock _clock = new();
    private readonly CoapMemoryCluster _memory;

    public ClusterTests() => _memory = new CoapMemoryCluster(_clock);

    [Fact]
    public async Task The_first_node_has_all_slots_and_the_next_node_takes_them_over_when_it_ends()
    {
        CoapCluster first = Node();
        await first.StartAsync();
        Assert.Equal(CoapSlot.Count, first.Map.SlotsOf(first.Self.Id).Count);
        await using CoapCluster second = Node();
        await second.StartAsync();
        Assert.False(second.FenceOf(s_slot).IsSet);
        CoapFencingToken before = first.FenceOf(s_slot);

        await first.DisposeAsync();

        await Eventually.IsTrueAsync(() => second.FenceOf(s_slot).IsSet);
        Assert.Equal(before.Next(), second.FenceOf(s_slot));
        Assert.Equal(CoapSlot.Count, second.Map.SlotsOf(second.Self.Id).Count);
    }

    [Fact]
    public async Task A_node_that_loses_a_slot_is_notified_and_can_no_longer_write_to_that_slot()
    {
        await using CoapCluster cluster = Node();
        await cluster.StartAsync();
        CoapFencingToken fence = cluster.FenceOf(s_slot);
        await using CoapSealedClusterStore store = Open(_memory);
        CoapClusterNode other = new(CoapNodeId.New(), "");
        CoapClusterSlotMap map = await store.JoinAsync(other, FromMinutes(1), CancellationToken.None);

        Assert.True(await store.TryChangeAsync(map.Assign(other.Id, [s_slot]), CancellationToken.None));

        await Eventually.IsTrueAsync(() => !cluster.FenceOf(s_slot).IsSet);
        Assert.True(cluster.FenceOf(new CoapSlot(2)).IsSet);
        Assert.Equal(CoapWriteOutcome.Fenced, await cluster.Writer.WriteAsync(Put(fence)));
    }

    [Fact]
    public async Task A_node_starts_degraded_while_the_store_is_unavailable_and_joins_when_it_is_available()
    {
        _memory.IsAway = true;
        await using CoapCluster cluster = Node();
        await cluster.StartAsync();
        Assert.True(cluster.Health.IsDegraded);
        Assert.Equal(CoapClusterStoreFault.Unavailable, cluster.StoreFailure!.Fault);
        Assert.False(cluster.FenceOf(s_slot).IsSet);

        _memory.IsAway = false;
        await Eventually.IsTrueAsync(() => _clock.TimerCount > 0);
        _clock.Advance(FromSeconds(1));

        await Eventually.IsTrueAsync(() => cluster.FenceOf(s_slot).IsSet && !cluster.Health.IsDegraded);
    }

    [Fact]
    public async Task Records_are_encrypted_and_flushed_when_the_node_ends()
    {
        CoapCluster cluster = Node();
        await cluster.StartAsync();
        Assert.True(cluster.Writer.TryWrite(Put(cluster.FenceOf(s_slot))));

        await cluster.DisposeAsync();
        await cluster.DisposeAsync();

        await using ICoapClusterStore below = _memory.Open();
        CoapRecord record = (await below.FindAsync(Put(default).Key, CancellationToken.None))!;
        Encoding.Latin1.GetString(record.State.Span).Omits("secret");
        await Assert.ThrowsAsync<ObjectDisposedException>(() => cluster.StartAsync());
    }

    [Fact]
    public async Task A_listener_that_throws_does_not_disturb_the_node_or_other_listeners()
    {
        await using CoapCluster cluster = Node();
        int heard = 0;
        cluster.MapChanged += (_, _) => heard++;
        cluster.MapChanged += (_, _) => throw new InvalidOperationException("a listener of the test");
        await cluster.StartAsync();

        Assert.True(cluster.FenceOf(s_slot).IsSet);
        Assert.NotEqual(0, heard);
    }

    [Fact]
    public void The_error_for_an_invalid_option_names_the_option_and_the_problem()
    {
        Fault(new CoapClusterOptions()).Mentions("NewSecret");
        Fault(new CoapClusterOptions { Secrets = [new byte[32]] }).Mentions("all zeros");
        ReadOnlyMemory<byte> secret = Options().Secrets[0];
        Fault(new CoapClusterOptions { Secrets = [secret[1..]] }).Mentions("must have 32 bytes, but has 31");
        Fault(new CoapClusterOptions { Secrets = [secret, secret] }).Mentions("are the same");
        Fault(new CoapClusterOptions { Secrets = [secret, secret, secret] }).Mentions("has 3 secrets");
        CoapClusterOptions options = Options();
        Assert.Throws<ArgumentOutOfRangeException>("Lease", () => options.Lease = FromMilliseconds(999));
        Assert.Throws<ArgumentOutOfRangeException>("MaxRecords", () => options.Writer.MaxRecords = 1);
        options.Writer.LongestRetry = options.Writer.FirstRetry / 2;
        Fault(options).Mentions("Writer.LongestRetry is");
        Assert.Null(Options().FindFault());
    }

    internal static CoapClusterOptions Options(TimeSpan? lease = null) => new()
    {
        Secrets = [Enumerable.Range(1, 32).Select(i => (byte)i).ToArray()],
        Lease = lease ?? FromSeconds(5),
    };

    /// <summary>The store of another node with the secret of <see cref="Options"/>.</summary>
    internal static CoapSealedClusterStore Open(CoapMemoryCluster memory) => new(memory.Open(), Options().Secrets[0].Span);

    private static CoapRecordWrite Put(CoapFencingToken fence) => CoapRecordWrite.Put(
        new CoapRecordKey(CoapRecordKind.Device, s_slot, "a"u8), fence, "a secret"u8.ToArray(), Timeout.InfiniteTimeSpan);

    private string Fault(CoapClusterOptions options) =>
        Assert.Throws<ArgumentException>(() => new CoapCluster(_memory.Open(), options)).Message;

    private CoapCluster Node() => new(_memory.Open(), Options(), _clock);
}
