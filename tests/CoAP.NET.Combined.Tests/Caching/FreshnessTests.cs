using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Caching;

/// <summary>When a stored response answers without a message (RFC 7252 sections 5.6 and 5.6.1).</summary>
public sealed class FreshnessTests : CacheTest
{
    [Fact]
    [Rfc("7252-5.6-1", "7252-5.6.1-1")]
    public async Task A_response_without_Max_Age_is_used_for_60_seconds()
    {
        (_, CoapResponse first) = await AskAsync(Get(), "45", "c0ff31");
        Assert.False(first.FromCache);
        Assert.Equal(TimeSpan.Zero, first.Age);
        Pass(59);
        CoapResponse hit = await HitAsync(Get());
        hit.Says("1");
        hit.Gives(CoapCode.Content);
        Assert.Equal(CoapContentFormat.TextPlain, hit.ContentFormat);
        Assert.Equal(s_server, hit.Remote);
        Assert.Equal(FromSeconds(59), hit.Age);
        Assert.Equal(FromSeconds(1), hit.MaxAge);
        Pass(2);
        (_, CoapResponse second) = await AskAsync(Get(), "45", "ff32");
        second.Says("2");
        Assert.Equal((1, 2), (Cache.Hits, Cache.Misses));
    }

    [Fact]
    public async Task The_Max_Age_of_a_cached_response_is_the_original_less_its_age_rounded_down()
    {
        await AskAsync(Get(), "45", "d1013cff31"); // Max-Age 60
        Pass(20);
        Assert.Equal(FromSeconds(40), (await HitAsync(Get())).MaxAge);
        Pass(0.001);
        Assert.Equal(FromSeconds(39), (await HitAsync(Get())).MaxAge);
        Assert.Single((await HitAsync(Get())).Options, option => option is MaxAgeOption);
    }

    [Fact]
    [Rfc("7252-5.6.1-1")]
    public async Task Max_Age_0_prevents_storing()
    {
        await AskAsync(Get(), "45", "d001ff31");
        await AskAsync(Get(), "45", "d001ff32");
        Assert.Equal(0, Cache.Count);
    }

    [Fact]
    public async Task The_largest_Max_Age_does_not_overflow()
    {
        await AskAsync(Get(), "45", "d401ffffffffff31");
        Clock.Advance(FromDays(49_000));
        await HitAsync(Get()).Says("1");
    }

    [Theory]
    [Rfc("7252-5.6-3", "7252-5.6-2")]
    [InlineData("45", true)] // 2.05
    [InlineData("84", true)] // 4.04
    [InlineData("9d", true)] // 4.29
    [InlineData("99", true)] // 4.25, which nobody registered: as 4.00
    [InlineData("a0", true)] // 5.00
    [InlineData("a3", true)] // 5.03
    [InlineData("41", false)] // 2.01
    [InlineData("42", false)] // 2.02
    [InlineData("43", false)] // 2.03 that nobody asked for
    [InlineData("44", false)] // 2.04
    [InlineData("51", false)] // 2.17, which nobody registered
    public async Task The_cache_stores_2_05_and_error_responses_and_no_other_codes(string code, bool isStored)
    {
        await AskAsync(Get(), code, "4101");
        if (isStored)
        {
            Assert.Equal(code, (await HitAsync(Get())).Code.Value.ToString("x2", null));
        }
        else
        {
            await AskAsync(Get(), code, "4101");
        }
    }

    [Theory]
    [Rfc("7252-5.6-3")]
    [InlineData(CoapMethod.Post)]
    [InlineData(CoapMethod.Put)]
    [InlineData(CoapMethod.Delete)]
    [InlineData(CoapMethod.Patch)]
    [InlineData(CoapMethod.IPatch)]
    public async Task Responses_to_other_methods_than_GET_and_FETCH_are_not_cached(CoapMethod method)
    {
        await AskAsync(new CoapRequest(method, Uri), "84");
        await AskAsync(new CoapRequest(method, Uri), "45", "ff31");
        await AskAsync(new CoapRequest(method, Uri), "44");
        Assert.Equal(0, Cache.Count);
    }

    [Theory]
    [InlineData("d10a02ff31", 0)] // Block2 0/0/64: all of it
    [InlineData("e101f501ff31", 1)] // 770: elective, unsafe, unknown
    [InlineData("e101f701ff31", 0)] // 772: elective, safe, unknown
    [InlineData("d1ef01ff31", 0)] // 252, Echo: a value for later (RFC 9175 section 2.3)
    public async Task A_response_with_an_unknown_unsafe_option_is_not_cached(string rest, int asked)
    {
        (_, CoapResponse response) = await AskAsync(Get(), "45", rest);
        response.Says("1");
        if (asked == 1)
        {
            Assert.Equal(0, Cache.Count);
            await AskAsync(Get(), "45", rest);
        }
        else
        {
            CoapResponse hit = await HitAsync(Get());
            Assert.Equal(rest.StartsWith('e') ? [OptionNumber.MaxAge, 772] : [OptionNumber.MaxAge],
                hit.Options.Select(option => option.Number));
        }
    }

    [Fact]
    public async Task A_challenge_is_not_stored()
    {
        // A request with an Echo of its own is not sent again with that of the challenge.
        CoapRequest request = Get();
        request.Options.Add(new EchoOption(new byte[] { 7 }));
        await AskAsync(request, "81", "d1ef01");
        Assert.Equal(0, Cache.Count);
    }

    [Fact]
    public async Task A_change_that_a_caller_makes_to_a_cached_response_does_not_affect_the_next_caller()
    {
        (_, CoapResponse first) = await AskAsync(Get(), "45", "c132ff31");
        first.Options.Clear();
        first.Message.Payload = default;
        CoapResponse second = await HitAsync(Get());
        second.Options.Clear();
        second.Message.Code = CoapCode.NotFound;
        CoapResponse third = await HitAsync(Get());
        Assert.Equal(CoapContentFormat.Json, third.ContentFormat);
        third.Says("1");
        third.Gives(CoapCode.Content);
    }

    [Fact]
    public async Task Each_CacheMode_uses_and_fills_the_cache_as_documented()
    {
        await Failure.OfAsync(CoapError.NotCached, () => Within(Client.SendAsync(Get(mode: CoapCacheMode.OnlyIfCached))));
        await AskAsync(Get(mode: CoapCacheMode.Bypass), "45", "ff31");
        await Failure.OfAsync(CoapError.NotCached, () => Within(Client.SendAsync(Get(mode: CoapCacheMode.OnlyIfCached))));
        await AskAsync(Get(), "45", "ff32");
        await HitAsync(Get(mode: CoapCacheMode.OnlyIfCached)).Says("2");
        await AskAsync(Get(mode: CoapCacheMode.Bypass), "45", "ff33");
        await HitAsync(Get()).Says("2");
        await AskAsync(Get(mode: CoapCacheMode.Validate), "45", "ff34");
        await HitAsync(Get()).Says("4");
        await Failure.OfAsync(
            CoapError.NotCached,
            () => Within(Client.SendAsync(new CoapRequest(CoapMethod.Post, Uri) { CacheMode = CoapCacheMode.OnlyIfCached })));
        Transport.HasSentNothing();
    }

    [Fact]
    public async Task OnlyIfCached_fails_and_nothing_is_cached_on_an_endpoint_without_a_cache()
    {
        Options.Cache = null;
        await Failure.OfAsync(CoapError.NotCached, () => Within(Client.SendAsync(Get(mode: CoapCacheMode.OnlyIfCached))));
        await AskAsync(Get(), "45", "ff31");
        (_, CoapResponse second) = await AskAsync(Get(mode: CoapCacheMode.Validate), "45", "ff32");
        Assert.False(second.FromCache);
    }

    [Fact]
    public async Task A_request_that_is_already_cancelled_gets_no_cached_response()
    {
        await AskAsync(Get(), "45", "ff31");
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Within(Client.SendAsync(Get(), new CancellationToken(true))));
    }

    [Fact]
    public async Task The_endpoint_counts_cache_hits_misses_and_validations()
    {
        await AskAsync(Get(), "45", "4101ff31");
        await HitAsync(Get());
        await AskAsync(Get(mode: CoapCacheMode.Validate), "43", "4101");
        CoapCounters counters = Client.Endpoint.Counters;
        Assert.Equal((1, 2, 1),
            (counters[CoapCounter.CacheHits], counters[CoapCounter.CacheMisses], counters[CoapCounter.CacheValidations]));
        Assert.Equal((1, 2, 1), (Cache.Hits, Cache.Misses, Cache.Validations));
    }

    [Fact]
    public async Task Endpoints_with_different_clocks_share_no_cache()
    {
        await AskAsync(Get(), "45", "ff31");
        Assert.Throws<ArgumentException>(() => new CoapClient(new CoapEndpointOptions { Cache = Cache }));
    }
}
