using System.Net;
using CoAP.NET.Caching;
using CoAP.NET.Testing;

namespace CoAP.NET.Tests.Caching;

/// <summary>The cache of a gateway that asks servers in its own way.</summary>
public sealed class GatewayCacheTests
{
    private const string Uri = "https://api.example.com/devices?id=1";

    private readonly VirtualClock _clock = new();
    private readonly CoapCache _cache;

    public GatewayCacheTests() => _cache = new CoapCache(timeProvider: _clock);

    [Fact]
    public void A_fresh_response_is_returned_with_its_remaining_Max_Age_and_a_stale_response_is_not()
    {
        Assert.Null(Begin().Fresh);
        Begin().Complete(Answer("one", 60));
        _clock.Advance(FromSeconds(20));

        CoapMessage fresh = Begin().Fresh!;
        Assert.Equal("one"u8.ToArray(), fresh.Payload.ToArray());
        Assert.Equal(FromSeconds(40), fresh.Options.MaxAge);
        Assert.Null(Begin("https://api.example.com/devices?id=2").Fresh);
        Assert.Null(Begin(options: static options => options.Accept = CoapContentFormat.Cbor).Fresh);

        // Who gets it may change it.
        fresh.Options.Clear();
        Assert.NotNull(Begin().Fresh!.Options.MaxAge);

        _clock.Advance(FromSeconds(40));
        Assert.Null(Begin().Fresh);
        Assert.Equal((2, 1), (_cache.Hits, _cache.Count));
    }

    [Fact]
    [Rfc("7252-5.6.2-1")]
    public void A_stale_response_is_validated_by_its_ETag_and_a_2_03_makes_it_fresh()
    {
        Begin().Complete(Answer("one", 60, 7));
        _clock.Advance(FromSeconds(60));
        CoapOptionCollection options = new();
        CoapCacheTransaction stale = Begin(options: static options => options.Add(new ETagOption([9])));
        stale.AddTagsTo(options);
        Assert.Equal([7], Assert.Single(options.ETags).ToArray());

        // One that is the client's own, and one of what is stored.
        CoapMessage other = Message(CoapCode.Valid, new ETagOption([9]));
        Assert.Same(other, stale.Complete(other));
        CoapMessage valid = stale.Complete(Message(CoapCode.Valid, new ETagOption([7]), new MaxAgeOption(5)));

        Assert.Equal((CoapCode.Content, "one"), (valid.Code, Encoding.UTF8.GetString(valid.Payload.Span)));
        Assert.Equal(FromSeconds(5), Begin().Fresh!.Options.MaxAge);
        Assert.Equal(1, _cache.Validations);
    }

    [Fact]
    public void Invalidating_a_URI_makes_stored_responses_and_requests_in_progress_stale()
    {
        Begin().Complete(Answer("one", 60));
        CoapCacheTransaction underWay = Begin(options: static options => options.Accept = CoapContentFormat.Cbor);
        _cache.Invalidate(Uri);
        underWay.Complete(Answer("two", 60));

        Assert.Null(Begin().Fresh);
        Assert.Null(Begin(options: static options => options.Accept = CoapContentFormat.Cbor).Fresh);
        Assert.Throws<CoapFormatException>(() => _cache.Invalidate("/devices"));
    }

    [Fact]
    public void A_CoAP_URI_is_cached_in_its_normal_form()
    {
        Begin("COAP://s.example.com:5683/x").Complete(Answer("one", 60));
        Assert.NotNull(Begin("coap://s.example.com/x").Fresh);
        _cache.Invalidate("coap://s.example.com/x");
        Assert.Null(Begin("COAP://s.example.com:5683/x").Fresh);
    }

    [Fact]
    public void Unsafe_and_conditional_requests_bypass_the_cache()
    {
        Assert.Null(_cache.Begin(new CoapMessage(CoapCode.Put), Uri));
        CoapMessage conditional = new(CoapCode.Get);
        conditional.Options.IfNoneMatch = true;
        Assert.Null(_cache.Begin(conditional, Uri));
    }

    [Fact]
    public void Each_source_has_its_share_of_the_cache()
    {
        CoapCache cache = new(20_000, timeProvider: _clock);
        CoapQuotaSource honest = SourceOf("192.0.2.1");
        cache.Begin(new CoapMessage(CoapCode.Get), Uri, honest)!.Complete(Answer("one", 60));
        for (int i = 0; i < 1000; i++)
        {
            cache.Begin(new CoapMessage(CoapCode.Get), $"{Uri}{i}", SourceOf("192.0.2.66"))!.Complete(Answer("junk", 60));
        }

        Assert.NotNull(cache.Begin(new CoapMessage(CoapCode.Get), Uri, honest)!.Fresh);
        Assert.InRange(cache.Bytes, 10_000, 20_000);
    }

    private static CoapMessage Answer(string text, uint maxAge, byte? tag = null)
    {
        CoapMessage answer =
            Message(CoapCode.Content, [new MaxAgeOption(maxAge), .. tag is { } value ? [new ETagOption([value])] : (CoapOption[])[]]);
        answer.Payload = Encoding.UTF8.GetBytes(text);
        return answer;
    }

    private static CoapMessage Message(CoapCode code, params CoapOption[] options)
    {
        CoapMessage message = new(code);
        message.Options.AddRange(options);
        return message;
    }

    private static CoapQuotaSource SourceOf(string address) =>
        CoapSourceGroupingRule.Default.Of(CoapAddress.FromIPEndPoint(new IPEndPoint(IPAddress.Parse(address), 5683)));

    private CoapCacheTransaction Begin(string uri = Uri, Action<CoapOptionCollection>? options = null)
    {
        CoapMessage request = new(CoapCode.Get);
        options?.Invoke(request.Options);
        return _cache.Begin(request, uri)!;
    }
}
