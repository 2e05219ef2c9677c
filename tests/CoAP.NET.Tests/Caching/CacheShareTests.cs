using System.Net;
using CoAP.NET.Caching;
using CoAP.NET.Transports;

namespace CoAP.NET.Tests.Caching;

/// <summary>A cache that serves several sources.</summary>
public sealed class CacheShareTests
{
    private static readonly CoapSource s_honest = SourceOf("192.0.2.1");
    private static readonly CoapSource s_greedy = SourceOf("192.0.2.66");

    [Fact]
    public void Who_fills_the_cache_displaces_what_was_stored_for_himself()
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
    public void Many_greedy_sources_leave_a_share_to_each()
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
    public void What_an_attacker_asked_for_first_stays_for_those_who_use_it()
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
    public void What_an_attacker_uses_as_well_stays_with_whom_it_was_stored_for()
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
    public void Many_small_answers_do_not_displace_a_few_large_ones()
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
    public void Sources_without_anything_stored_are_forgotten_and_all_bytes_are_given_back()
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

    private static CoapSource SourceOf(string address) => CoapSourceRule.Default.Of(
        CoapAddress.FromIPEndPoint(new IPEndPoint(IPAddress.Parse(address), 5683)));

    private static void Store(CoapCache cache, string path, CoapSource source) => cache.Store(
        CachedPeers.Key(CachedPeers.Request(path))!, CachedPeers.Response(CoapCode.Content, new string('x', 9_000)), 0, null, source);

    private static CoapResponse? Find(CoapCache cache, string path, CoapSource source) =>
        cache.Find(CachedPeers.Key(CachedPeers.Request(path))!, 0, CoapCacheMode.Default, source).Fresh;
}
