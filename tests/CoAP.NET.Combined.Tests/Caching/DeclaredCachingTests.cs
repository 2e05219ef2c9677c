using CoAP.NET.Tests.Options;

namespace CoAP.NET.Tests.Caching;

/// <summary>What a cache does with options of users, by their numbers or as their definitions say.</summary>
public sealed class DeclaredCachingTests : CacheTest
{
    private const int Safe = 65_000;
    private const int Unsafe = 65_002;
    private const int NoCacheKey = 0xfdfc;

    [Theory]
    [InlineData(Safe, OptionCachingInRequests.ByNumber)]
    [InlineData(Unsafe, OptionCachingInRequests.Key)]
    [InlineData(NoCacheKey, OptionCachingInRequests.Key)]
    public async Task Responses_to_different_values_of_a_cache_key_option_are_cached_separately(int number, OptionCachingInRequests caching)
    {
        Register(new OptionDefinition(number, "Mine", OptionFormat.Opaque, 1, 4) { Caching = caching });
        await AskAsync(With(number, 1), "45", "ff31");
        await AskAsync(With(number, 2), "45", "ff32");
        await HitAsync(With(number, 1)).Says("1");
        await HitAsync(With(number, 2)).Says("2");
    }

    [Theory]
    [InlineData(NoCacheKey, OptionCachingInRequests.ByNumber)]
    [InlineData(Safe, OptionCachingInRequests.NoKey)]
    [InlineData(Unsafe, OptionCachingInRequests.NoKey)]
    public async Task A_response_is_served_for_any_value_of_an_option_that_is_not_part_of_the_cache_key(
        int number, OptionCachingInRequests caching)
    {
        Register(new OptionDefinition(number, "Mine", OptionFormat.Opaque, 1, 4) { Caching = caching });
        await AskAsync(With(number, 1), "45", "ff31");
        await HitAsync(With(number, 2)).Says("1");
        await HitAsync(Get()).Says("1");
    }

    [Fact]
    public async Task A_request_with_an_option_for_the_server_reaches_it_and_its_response_is_stored()
    {
        Register(new OptionDefinition(Safe, "Mine", OptionFormat.Opaque, 1, 4) { Caching = OptionCachingInRequests.StoreOnly });
        await AskAsync(Get(), "45", "ff31");
        await AskAsync(With(Safe, 1), "45", "ff32");
        await HitAsync(Get()).Says("2");
    }

    [Theory]
    [InlineData(Unsafe, OptionCachingInRequests.ByNumber)]
    [InlineData(Safe, OptionCachingInRequests.Bypass)]
    public async Task A_request_that_bypasses_the_cache_neither_uses_nor_fills_it(int number, OptionCachingInRequests caching)
    {
        Register(new OptionDefinition(number, "Mine", OptionFormat.Opaque, 1, 4) { Caching = caching });
        await AskAsync(With(number, 1), "45", "ff31");
        await AskAsync(With(number, 1), "45", "ff32");
        await AskAsync(Get(), "45", "ff33");
        await HitAsync(Get()).Says("3");
    }

    [Theory]
    [InlineData(Safe, OptionCachingInResponses.ByNumber, true, true)]
    [InlineData(Unsafe, OptionCachingInResponses.ByNumber, false, false)]
    [InlineData(Unsafe, OptionCachingInResponses.Keep, true, true)]
    [InlineData(Unsafe, OptionCachingInResponses.Drop, true, false)]
    [InlineData(Safe, OptionCachingInResponses.Drop, true, false)]
    [InlineData(Safe, OptionCachingInResponses.Forbid, false, false)]
    public async Task OptionStoring_decides_whether_a_response_is_stored_and_with_the_option(
        int number, OptionCachingInResponses storing, bool isStored, bool isKept)
    {
        Register(new OptionDefinition(number, "Mine", OptionFormat.Opaque, 1, 4) { Storing = storing });

        // An option delta of two bytes, and one byte of value.
        await AskAsync(Get(), "45", $"e1{number - 269:x4}07ff31");
        if (isStored)
        {
            Assert.Equal(isKept, (await HitAsync(Get())).Options.Contains(number));
        }
        else
        {
            await AskAsync(Get(), "45", "ff32");
        }
    }

    private static CoapRequest With(int number, byte value)
    {
        CoapRequest request = Get();
        request.Options.Add(number, [value]);
        return request;
    }

    private void Register(OptionDefinition definition) => Options.Registry = DeclaredOption.Register(definition);
}
