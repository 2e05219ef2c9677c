using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;

namespace CoAP.NET.Cluster.Tests.Stores;

/// <summary>A store that seals is a store as any other.</summary>
public sealed class SealedStoreTests : SharedStoreSuite
{
    private static readonly byte[] s_secret = [.. Enumerable.Range(0, 32).Select(i => (byte)i)];

    private readonly VirtualClock _clock = new();
    private readonly CoapMemoryCluster _cluster;

    public SealedStoreTests() => _cluster = new CoapMemoryCluster(_clock);

    [Fact]
    public async Task The_underlying_store_sees_neither_plaintext_nor_the_same_ciphertext_twice()
    {
        (ICoapClusterStore store, CoapFencingToken fence) = await OwnerAsync();
        await using ICoapClusterStore below = _cluster.Open();
        HashSet<string> seen = [];
        for (int i = 0; i < 3; i++)
        {
            await WriteAsync(store, Put("a", fence, "the keys of a session"), Put("b", fence, "the keys of a session"));
            foreach (CoapRecord record in await ReadAsync(below))
            {
                Encoding.Latin1.GetString(record.State.Span).Omits("session");
                Assert.True(seen.Add(Convert.ToHexString(record.State.Span)));
            }
        }
    }

    [Fact]
    public async Task A_modified_or_moved_state_is_an_error_and_not_treated_as_missing()
    {
        (ICoapClusterStore store, CoapFencingToken fence) = await OwnerAsync();
        await WriteAsync(store, Put("a", fence, "first"), Put("b", fence, "second"), Put("c", fence, "third"));
        await using ICoapClusterStore below = _cluster.Open();
        byte[] a = (await below.FindAsync(Key("a"), Token))!.State.ToArray();
        byte[] flipped = [.. a];
        flipped[^1] ^= 1;

        // The state of one record under the key of another, and one with a changed bit.
        await WriteAsync(below, CoapRecordWrite.Put(Key("b"), fence, a, Timeout.InfiniteTimeSpan),
            CoapRecordWrite.Put(Key("a"), fence, flipped, Timeout.InfiniteTimeSpan));

        Assert.Equal(["c=third"], await TextsAsync(store));
        Assert.Equal(2, ((CoapSealedClusterStore)store).UnreadableCount);
        foreach (string name in (string[])["a", "b"])
        {
            await FailsAsync(CoapClusterStoreFault.Corrupt, async () => await store.FindAsync(Key(name), Token));
        }

        // Of any length, and with another version.
        foreach (byte[] state in (byte[][])[[], [1], new byte[44], new byte[45], [1, .. new byte[44]], [2, .. a[1..]]])
        {
            await WriteAsync(below, CoapRecordWrite.Put(Key("c"), fence, state, Timeout.InfiniteTimeSpan));
            Assert.Empty(await TextsAsync(store));
        }
    }

    [Fact]
    public async Task A_node_with_another_secret_logs_the_mismatch_once_a_minute()
    {
        (ICoapClusterStore store, CoapFencingToken fence) = await OwnerAsync();
        await WriteAsync(store, Put("a", fence, "state"), Put("b", fence, "state"));
        using StringWriterLogger log = new();
        CoapClusterOptions options = new() { Secrets = [CoapSealedClusterStore.NewSecret()] };
        await using CoapCluster other = new(_cluster.Open(), options, _clock, logger: log);

        Assert.Empty(await ReadAsync(other.Store));
        Assert.Single(Told());
        Told()[0].Mentions("another secret");
        _clock.Advance(FromMinutes(1));
        Assert.Empty(await ReadAsync(other.Store));
        Assert.Equal(2, Told().Length);
        Told()[1].Mentions("so far: 3.");

        string[] Told() => [.. log.ToString().Split('\n').Where(line => line.Contains(" 2509 ", Ordinal))];
    }

    [Fact]
    public void A_secret_has_32_bytes()
    {
        Assert.Throws<ArgumentException>(() => new CoapSealedClusterStore(_cluster.Open(), new byte[31]));
        Assert.Throws<ArgumentException>(() => new CoapSealedClusterStore(_cluster.Open(), new byte[33]));
    }

    private protected override int MaxAddressLength => NodeAddressSealer.MaxAddressLength;

    private protected override ICoapClusterStore OpenStore() => new CoapSealedClusterStore(_cluster.Open(), s_secret);

    private protected override Task PassAsync(TimeSpan time)
    {
        _clock.Advance(time);
        return Task.CompletedTask;
    }
}
