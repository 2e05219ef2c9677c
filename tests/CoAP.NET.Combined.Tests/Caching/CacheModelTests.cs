using CoAP.NET.Caching;
using CoAP.NET.Testing;
using CoAP.NET.Tests.Messaging;

namespace CoAP.NET.Tests.Caching;

/// <summary>The cache and a plain model do the same, step by step. COAP_TEST_CAMPAIGN and COAP_TEST_SEED set how long and which.</summary>
public sealed class CacheModelTests
{
    private const int Paths = 5;

    [Theory]
    [Trait("Category", "Campaign")]
    [Rfc("7252-5.6-1", "7252-5.6-3", "7252-5.6.2-3", "7252-5.9.1-1")]
    [InlineData(1_000_000, 10_000, true)]
    [InlineData(1_000_000, 4, false)]
    [InlineData(4_000, 10_000, false)]
    public void The_cache_answers_random_requests_like_a_model(long maxBytes, int maxEntries, bool isUnbounded)
    {
        long hits = 0;
        long validations = 0;
        long evictions = 0;
        for (int run = 0; run < Campaign.Rounds(20); run++)
        {
            CoapCache cache = new(maxBytes, maxEntries);
            new Run((ulong)(Campaign.Seed + run), cache, isUnbounded).Go(1_000);
            hits += cache.Hits;
            validations += cache.Validations;
            evictions += cache.Evictions;
        }

        // The campaign went where it was to go.
        Assert.True(hits > 100 && validations > 100, $"{hits} hits, {validations} validations");
        Assert.Equal(isUnbounded, evictions == 0);
    }

    private sealed class Run
    {
        private readonly VirtualRandom _random;
        private readonly CoapCache _cache;
        private readonly bool _isUnbounded;
        private readonly CacheModel _model = new();
        private readonly CacheKey[] _keys;
        private readonly List<Asked> _asked = [];
        private readonly ulong _seed;
        private int _now = 1;
        private int _step;

        public Run(ulong seed, CoapCache cache, bool isUnbounded)
        {
            _seed = seed;
            _random = new VirtualRandom(seed);
            _cache = cache;
            _isUnbounded = isUnbounded;

            // Two URIs that share a stamp would make the cache careful where the model is not.
            string[] paths = [.. Enumerable.Range(0, 1_000).Select(i => $"p{i}")
                .DistinctBy(path => CoapCache.StampIndexOf(CachedPeers.Key(CachedPeers.Request(path))!.Uri)).Take(Paths)];
            _keys = [.. paths.Select(path => CachedPeers.Key(CachedPeers.Request(path))!),
                .. paths.Select(path => CachedPeers.Key(CachedPeers.Request(path, CoapMethod.Fetch))!)];
        }

        public void Go(int steps)
        {
            for (_step = 0; _step < steps; _step++)
            {
                Step(Next(12), Next(_keys.Length));
                Assert.InRange(_cache.Bytes, 0, _cache.MaxBytes);
                Assert.InRange(_cache.Count, 0, _cache.MaxEntries);
            }

            _cache.Clear();
            Assert.Equal((0, 0), (_cache.Count, _cache.Bytes));
        }

        private void Step(int what, int which)
        {
            CacheKey key = _keys[which];
            string name = which.ToString(System.Globalization.CultureInfo.InvariantCulture);
            switch (what)
            {
                case 0 or 1 or 2 or 3:
                    CoapCacheMode mode = Next(4) == 0 ? CoapCacheMode.Validate : CoapCacheMode.Default;
                    Ask(key, name, mode);
                    break;
                case 4 or 5 or 6 or 7 when _asked.Count > 0:
                    Asked asked = _asked[Next(_asked.Count)];
                    _asked.Remove(asked);
                    Answer(asked);
                    break;
                case 8:
                    _cache.InvalidateNormal(key.Uri);
                    _model.Change(key.Uri, [$"{which % Paths}", $"{(which % Paths) + Paths}"]);
                    break;
                case 9 when Next(20) == 0:
                    _cache.Clear();
                    _model.Clear();
                    break;
                default:
                    _now += Next(20);
                    break;
            }
        }

        private void Ask(CacheKey key, string name, CoapCacheMode mode)
        {
            CacheLookup found = _cache.Find(key, _now * TimeSpan.TicksPerSecond, mode);
            CacheModel.Entry? expected = mode == CoapCacheMode.Validate ? null : _model.Fresh(name, _now);
            if (found.Fresh is { } fresh)
            {
                Check(expected is not null, "the cache used what the model does not");
                Check((expected!.Code, expected.Text) == (fresh.Code, fresh.GetText()), "another response");
                Check(fresh.MaxAge == FromSeconds(expected.MaxAge - (_now - expected.At)), "another Max-Age");
                return;
            }

            byte[] tags = [.. found.Candidates.Select(candidate => candidate.Tag!.ToValueArray()[0])];
            if (_isUnbounded)
            {
                Check(expected is null, "the cache did not use what the model does");
                Check(tags.SequenceEqual(_model.Tags(name)), "other tags");
            }
            else
            {
                Check(tags.All(_model.Tags(name).Contains), "tags that the model does not have");
            }

            _asked.Add(new Asked(key, name, found, _model.Begin(key.Uri), [.. tags.Select(tag => _model.Named(name, tag))]));
        }

        private void Answer(Asked asked)
        {
            uint maxAge = (uint)Next(40);
            long now = _now * TimeSpan.TicksPerSecond;
            if (asked.Found.Candidates.Length > 0 && Next(2) == 0)
            {
                int which = Next(asked.Found.Candidates.Length);
                CacheModel.Entry entry = asked.Named[which];
                CoapResponse? used = _cache.Refresh(asked.Key, asked.Found.Candidates,
                    CachedPeers.Response(CoapCode.Valid, maxAge: maxAge, tag: entry.Tag).Message, now, asked.Found.Stamp);
                Check(used?.GetText() == entry.Text, "another validated response");
                _model.Refresh(asked.Name, asked.Key.Uri, asked.Begun, entry.Tag!.Value, maxAge, _now, entry);
                return;
            }

            CoapCode code = Next(6) switch
            {
                0 => CoapCode.NotFound,
                1 => CoapCode.Changed,
                2 => CoapCode.ServiceUnavailable,
                _ => CoapCode.Content
            };
            byte? tag = code.IsError || Next(3) == 0 ? null : (byte)Next(8);
            string text = $"{_seed}/{_step}";
            _cache.Store(asked.Key, CachedPeers.Response(code, text, maxAge, tag), now, asked.Found.Stamp);
            _model.Store(asked.Name, asked.Key.Uri, asked.Begun, code, text, tag, maxAge, _now);
        }

        private int Next(int below) => (int)(_random.NextUInt64() % (ulong)below);

        private void Check(bool isRight, string what) => Assert.True(isRight, $"seed {_seed}, step {_step}: {what}");

        private sealed record Asked(CacheKey Key, string Name, CacheLookup Found, (int, int) Begun, CacheModel.Entry[] Named);
    }
}
