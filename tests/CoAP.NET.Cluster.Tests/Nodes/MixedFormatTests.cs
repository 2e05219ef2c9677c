using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;

namespace CoAP.NET.Cluster.Tests.Nodes;

/// <summary>Nodes of two versions of the library, of which the newer one has another format of records.</summary>
public sealed class MixedFormatTests : IAsyncDisposable
{
    private static readonly CoapSlot s_slot = new(1);
    private static readonly CoapRecordKey s_key = new(CoapRecordKind.Device, s_slot, "a"u8);
    private static readonly TimeSpan s_lease = FromHours(1);

    private readonly VirtualClock _clock = new();
    private readonly StringWriterLogger _log = new();
    private readonly CoapMemoryCluster _memory;
    private readonly ICoapClusterStore _below;
    private readonly List<CoapCluster> _nodes = [];

    public MixedFormatTests()
    {
        _memory = new CoapMemoryCluster(_clock);
        _below = _memory.Open();
    }

    [Fact]
    public async Task A_cluster_that_starts_with_the_newest_version_writes_the_newest_format()
    {
        CoapCluster node = await StartAsync(2);
        await WriteAsync(node, "by the new one");

        Assert.Equal(2, FormatOf(s_key));
        Assert.Equal("by the new one", await ReadAsync(node));
    }

    [Fact]
    public async Task Both_formats_are_readable_and_the_newer_format_is_written_after_a_day_without_an_older_node()
    {
        CoapCluster old = await StartAsync(1);
        await WriteAsync(old, "by the old one");
        CoapCluster first = await StartAsync(2);
        Assert.Equal(1, first.Store.Format.Written);
        await StopAsync(old);
        await UntilAsync(() => first.FenceOf(s_slot).IsSet);
        Assert.Equal("by the old one", await ReadAsync(first));
        await WriteAsync(first, "by the new one");
        Assert.Equal(1, FormatOf(s_key));

        // It goes back within the day, and nothing is lost.
        await PassAsync(FromHours(20));
        old = await StartAsync(1);
        await StopAsync(first);
        await UntilAsync(() => old.FenceOf(s_slot).IsSet);
        Assert.Equal("by the new one", await ReadAsync(old));
        await WriteAsync(old, "by the old one again");
        await StopAsync(old);

        // The day begins again, and continues after a restart.
        first = await StartAsync(2);
        await PassAsync(FromHours(12));
        await StopAsync(first);
        first = await StartAsync(2);
        CoapCluster standby = await StartAsync(2);
        await PassAsync(FromHours(11));
        Assert.Equal("by the old one again", await ReadAsync(first));
        await WriteAsync(first, "still for both");
        Assert.Equal(1, FormatOf(s_key));
        _log.ToString().Omits(" 2524 ");

        await PassAsync(FromHours(1.2));
        await WriteAsync(first, "for new ones");
        Assert.Equal(2, FormatOf(s_key));
        _log.ToString().Mentions("write records in format 2 from now on");

        // A node that does not write the decision reads it within the hour.
        await PassAsync(FromHours(1.2));
        Assert.Equal(2, standby.Store.Format.Written);
        Assert.Equal(0, first.Store.UnreadableCount);
    }

    [Fact]
    public async Task The_older_format_is_written_when_an_older_node_joins_and_newer_records_are_not_treated_as_missing()
    {
        CoapCluster latest = await StartAsync(2);
        await WriteAsync(latest, "in the newer format");
        CoapCluster old = await StartAsync(1);
        await UntilAsync(() => latest.Map.Nodes.Count == 2);
        Assert.False(old.Health.IsDegraded);
        Assert.Equal(latest.Store.CommonKey.ToArray(), old.Store.CommonKey.ToArray());
        Assert.Equal((1, 1), (latest.Store.Format.Written, old.Store.Format.Written));

        await StopAsync(latest);
        await UntilAsync(() => old.FenceOf(s_slot).IsSet);
        CoapClusterStoreException exception = await Assert.ThrowsAsync<CoapClusterStoreException>(() => ReadAsync(old));
        Assert.Equal(CoapClusterStoreFault.Incompatible, exception.Fault);
        exception.Mentions("Update this node");
        await foreach (CoapRecord record in old.Store.ReadAsync(s_key.Kind, s_slot, default))
        {
            Assert.Fail($"{record.Key} opened.");
        }

        Assert.Equal(2, old.Store.UnreadableCount);
        Assert.Contains("in format 2; this one reads formats up to 1", Assert.Single(_log.ToString().Split('\n'), line =>
            line.Contains(" 2523 ", Ordinal)), Ordinal);

        // The record is still there for the newer version, which then writes what both read for another day.
        await StopAsync(old);
        latest = await StartAsync(2);
        Assert.Equal("in the newer format", await ReadAsync(latest));
        await PassAsync(FromHours(23));
        await WriteAsync(latest, "for both");
        Assert.Equal(1, FormatOf(s_key));
    }

    [Fact]
    public async Task The_sequence_numbers_of_an_OSCORE_context_continue_across_changes_of_the_version()
    {
        OscoreStoreKey key = new([.. Enumerable.Range(0, 32).Select(i => (byte)i)]);
        ulong bound = 0;
        foreach (byte newest in (byte[])[2, 1, 2, 1])
        {
            CoapCluster node = await StartAsync(newest);
            OscoreStoredState state = await node.OscoreStore.OpenAsync(key, default);
            Assert.Equal(bound, state.Next);
            bound += 100;
            await node.OscoreStore.ReserveAsync(key, state.Epoch, bound, default);
            await StopAsync(node);
        }
    }

    public async ValueTask DisposeAsync()
    {
        foreach (CoapCluster node in _nodes)
        {
            await node.DisposeAsync();
        }

        await _below.DisposeAsync();
        _log.Dispose();
    }

    private static async Task WriteAsync(CoapCluster node, string text) => Assert.Equal(CoapWriteOutcome.Written,
        await node.Writer.WriteAsync(
            CoapRecordWrite.Put(s_key, node.FenceOf(s_slot), Encoding.UTF8.GetBytes(text), Timeout.InfiniteTimeSpan)));

    private static async Task<string> ReadAsync(CoapCluster node) =>
        Encoding.UTF8.GetString((await node.Store.FindAsync(s_key, default))!.State.Span);

    // A store in memory answers at once.
    private int FormatOf(CoapRecordKey key) => _below.FindAsync(key, default).AsTask().Result!.State.Span[0];

    private async Task<CoapCluster> StartAsync(byte newest)
    {
        CoapCluster node = new(_memory.Open(), new CoapClusterOptions
        {
            Secrets = [new ReadOnlyMemory<byte>([.. Enumerable.Range(1, 32).Select(i => (byte)i)])],
            Lease = s_lease,
            NewestRecordFormat = newest,
        }, _clock, logger: _log);
        _nodes.Add(node);
        await node.StartAsync();
        return node;
    }

    private async Task StopAsync(CoapCluster node)
    {
        _nodes.Remove(node);
        await node.DisposeAsync();
    }

    private async Task UntilAsync(Func<bool> condition)
    {
        for (int looks = 0; !condition(); looks++)
        {
            _clock.Advance(FromMinutes(1));
            await Eventually.PauseAsync(looks);
        }
    }

    // Each node renews its lease as it does by itself; here the test knows when that is done.
    private async Task PassAsync(TimeSpan time)
    {
        for (TimeSpan step = s_lease / 5; time > TimeSpan.Zero; time -= step)
        {
            _clock.Advance(step);
            foreach (CoapCluster node in _nodes)
            {
                await node.Store.JoinAsync(node.Self, s_lease, default);
            }
        }
    }
}
