using System.Net;
using CoAP.NET.Caching;

namespace CoAP.NET.Tests.Caching;

/// <summary>A cache that serves several sources.</summary>
public sealed class CacheQuotaTests
{
    private static readonly CoapQuotaSource s_honest = SourceOf("192.0.2.1");
    private static readonly CoapQuotaSource s_greedy = SourceOf("192.0.2.66");

    [Fact]
    public void A_source_that_fills_the_cache_displaces_only_its_own_responses()
    {
        CoapCache cache = new(maxBytes: 100_000);
        Store(cache, "honest", s_honest);
        for (int i = 0; i < 1000; i++)
        {
            Store(cache, $"junk{i}", s_greedy);
            Assert.InRange(cache.Bytes, 9_000, 100_000);
        }

        Assert.NotNull(Find(cache, "honest", s_honest));
        Assert.NotNull(Find(cache, "junk999", s_greedy));
        Assert.Null(Find(cache, "junk0", s_greedy));
    }

    [Fact]
    public void Each_source_keeps_its_share_of_the_cache_beside_many_greedy_sources()
    {
        CoapCache cache = new(maxBytes: 200_000);
        Store(cache, "honest", s_honest);
        for (int i = 0; i < 1000; i++)
        {
            Store(cache, $"junk{i}", SourceOf($"198.51.100.{i % 8}"));
        }

        Assert.NotNull(Find(cache, "honest", s_honest));
    }

    [Fact]
    public void A_response_stored_for_an_attacker_stays_cached_for_the_other_source_that_uses_it()
    {
        CoapCache cache = new(maxBytes: 100_000);
        Store(cache, "popular", s_greedy);
        Store(cache, "junk", s_greedy);
        Store(cache, "more", s_greedy);
        Assert.NotNull(Find(cache, "popular", s_honest));

        for (int i = 0; i < 1000; i++)
        {
            Store(cache, $"junk{i}", s_greedy);
        }

        Assert.NotNull(Find(cache, "popular", s_honest));
    }

    [Fact]
    public void A_response_that_an_attacker_reads_too_stays_cached_for_its_original_source()
    {
        CoapCache cache = new(maxBytes: 100_000);
        Store(cache, "honest", s_honest);
        for (int i = 0; i < 100; i++)
        {
            Store(cache, $"junk{i}", s_greedy);
            Assert.NotNull(Find(cache, "honest", s_greedy));
        }

        for (int i = 0; i < 100; i++)
        {
            Store(cache, $"more{i}", s_greedy);
        }

        Assert.NotNull(Find(cache, "honest", s_honest));
    }

    [Fact]
    public void Many_small_responses_do_not_evict_a_few_large_responses_of_another_source()
    {
        CoapCache cache = new(maxBytes: 1_000_000, maxEntries: 100);
        for (int i = 0; i < 20; i++)
        {
            Store(cache, $"honest{i}", s_honest);
        }

        for (int i = 0; i < 1000; i++)
        {
            cache.Store(
                CachedPeers.Key(CachedPeers.Request($"junk{i}"))!, CachedPeers.Response(CoapCode.Content, "x"), 0, null, s_greedy);
        }

        Assert.Equal(100, cache.Count);
        Assert.All(Enumerable.Range(0, 20), i => Assert.NotNull(Find(cache, $"honest{i}", s_honest)));
    }

    [Fact]
    public void A_source_without_stored_responses_is_forgotten_and_all_bytes_are_freed()
    {
        CacheStore store = new(50_000, 100);
        for (int i = 0; i < 500; i++)
        {
            CacheKey key = CachedPeers.Key(CachedPeers.Request($"{i}"))!;
            store.Add(key, new StoredResponse(CachedPeers.Response(CoapCode.Content, new string('x', 9_000)), 0), long.MaxValue,
                SourceOf($"198.51.{i / 250}.{i % 250}"));
            Assert.InRange(store.Sources, 1, store.Count);
        }

        for (int i = 0; i < 500; i++)
        {
            store.MarkNotFresh(CachedPeers.Key(CachedPeers.Request($"{i}"))!);
        }

        Assert.Equal((0, 0, 0L), (store.Sources, store.Count, store.Bytes));
    }

    private static CoapQuotaSource SourceOf(string address) => CoapSourceGroupingRule.Default.Of(
        CoapAddress.FromIPEndPoint(new IPEndPoint(IPAddress.Parse(address), 5683)));

    private static void Store(CoapCache cache, string path, CoapQuotaSource source) => cache.Store(
        CachedPeers.Key(CachedPeers.Request(path))!, CachedPeers.Response(CoapCode.Content, new string('x', 9_000)), 0, null, source);

    private static CoapResponse? Find(CoapCache cache, string path, CoapQuotaSource source) =>
        cache.Find(CachedPeers.Key(CachedPeers.Request(path))!, 0, CoapCacheMode.Default, source).Fresh;
}
