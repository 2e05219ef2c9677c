using CoAP.NET.Caching;
using CoAP.NET.Testing;

namespace CoAP.NET.Tests.Caching;

/// <summary>The cache stays within its bounds and its counts are right, whatever happens to it.</summary>
public sealed class CacheBoundsTests
{
    [Fact]
    public void The_least_recently_used_response_is_evicted_first()
    {
        CoapCache cache = new(maxEntries: 2);
        CacheKey[] keys = [.. "abc".Select(path => CachedPeers.Key(CachedPeers.Request(path.ToString()))!)];
        cache.Store(keys[0], CachedPeers.Response(CoapCode.Content, "a"), 0, null);
        cache.Store(keys[1], CachedPeers.Response(CoapCode.Content, "b"), 0, null);
        Assert.NotNull(cache.Find(keys[0], 0, CoapCacheMode.Default).Fresh);
        cache.Store(keys[2], CachedPeers.Response(CoapCode.Content, "c"), 0, null);
        Assert.Equal((2, 1), (cache.Count, cache.Evictions));
        Assert.NotNull(cache.Find(keys[0], 0, CoapCacheMode.Default).Fresh);
        Assert.Null(cache.Find(keys[1], 0, CoapCacheMode.Default).Fresh);
        Assert.NotNull(cache.Find(keys[2], 0, CoapCacheMode.Default).Fresh);
    }

    [Fact]
    public void The_cache_is_bounded_in_bytes()
    {
        CoapCache cache = new(maxBytes: 100_000);
        for (int i = 0; i < 100; i++)
        {
            cache.Store(CachedPeers.Key(CachedPeers.Request($"{i}"))!, CachedPeers.Response(CoapCode.Content, new string('x', 9_000)), 0,
                null);
            Assert.InRange(cache.Bytes, 9_000, 100_000);
        }

        Assert.InRange(cache.Count, 5, 11);
        Assert.Equal(100, cache.Count + cache.Evictions);
    }

    [Fact]
    public void A_response_too_large_for_the_cache_is_not_stored_and_the_stored_response_becomes_stale()
    {
        CoapCache cache = new(maxBytes: 10_000);
        CacheKey key = CachedPeers.Key(CachedPeers.Request("a"))!;
        cache.Store(key, CachedPeers.Response(CoapCode.Content, "1"), 0, null);
        cache.Store(key, CachedPeers.Response(CoapCode.Content, new string('x', 9_900)), 0, null);
        Assert.Null(cache.Find(key, 0, CoapCacheMode.Default).Fresh);
        cache.Store(key, CachedPeers.Response(CoapCode.Content, "1"), 0, null);
        cache.Store(key, CachedPeers.Response(CoapCode.Content, new string('x', 11_000)), 0, null);
        Assert.Null(cache.Find(key, 0, CoapCacheMode.Default).Fresh);
        Assert.Equal(0, cache.Bytes);
    }

    [Fact]
    public void A_cache_with_zero_entries_stores_nothing()
    {
        CoapCache cache = new(maxEntries: 0);
        CacheKey key = CachedPeers.Key(CachedPeers.Request("a"))!;
        cache.Store(key, CachedPeers.Response(CoapCode.Content, "1"), 0, null);
        Assert.Equal((0, 0), (cache.Count, cache.Bytes));
        Assert.Throws<ArgumentOutOfRangeException>(() => new CoapCache(-1));
        Assert.Throws<ArgumentOutOfRangeException>(() => new CoapCache(maxEntries: -1));
    }

    [Fact]
    [Rfc("7641-2-2")]
    public void A_notification_answers_plain_requests_without_Observe_while_it_is_fresh()
    {
        CoapCache cache = new();
        CoapMessage registration = CachedPeers.Request("a");
        registration.Options.Observe = 0;
        CoapResponse notification = CachedPeers.Response(CoapCode.Content, "1", maxAge: 5);
        notification.Options.Observe = 12;
        cache.Store(CachedPeers.Key(registration)!, notification, 0, null);
        CoapResponse? found = cache.Find(CachedPeers.Key(CachedPeers.Request("a"))!, 4 * TimeSpan.TicksPerSecond,
            CoapCacheMode.Default).Fresh;
        Assert.Equal("1", found!.GetText());
        Assert.Null(found.Options.Observe);
        Assert.Null(cache.Find(CachedPeers.Key(CachedPeers.Request("a"))!, 5 * TimeSpan.TicksPerSecond, CoapCacheMode.Default).Fresh);
    }

    [Fact]
    public async Task A_cache_stays_within_its_bounds_under_concurrent_use()
    {
        CoapCache cache = new(maxBytes: 20_000, maxEntries: 20);
        CacheKey[] keys = [.. Enumerable.Range(0, 50).Select(i => CachedPeers.Key(CachedPeers.Request($"{i}"))!)];
        long found = 0;
        await Task.WhenAll(Enumerable.Range(0, 4).Select(seed => Task.Factory.StartNew(
            () =>
            {
                VirtualRandom random = new((ulong)seed);
                for (int i = 0; i < 20_000; i++)
                {
                    ulong bits = random.NextUInt64();
                    CacheKey key = keys[bits % 50];
                    switch ((bits >> 8) % 8)
                    {
                        case 0 or 1 or 2:
                            cache.Store(key, CachedPeers.Response(CoapCode.Content, key.Uri, tag: (byte)(bits >> 16)), i, null);
                            break;
                        case 3:
                            cache.InvalidateNormal(key.Uri);
                            break;
                        case 4 when (bits >> 20) % 64 == 0:
                            cache.Clear();
                            break;
                        default:
                            if (cache.Find(key, i, CoapCacheMode.Default).Fresh is { } fresh)
                            {
                                Assert.Equal(key.Uri, fresh.GetText());
                                Interlocked.Increment(ref found);
                            }

                            break;
                    }

                    Assert.InRange(cache.Bytes, 0, 20_000);
                    Assert.InRange(cache.Count, 0, 20);
                }
            },
            CancellationToken.None,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default))).WaitAsync(FromMinutes(5));
        Assert.Equal(found, cache.Hits);
        Assert.True(found > 0);
        cache.Clear();
        Assert.Equal(0, cache.Bytes);
    }
}
