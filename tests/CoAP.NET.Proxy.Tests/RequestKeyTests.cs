using CoAP.NET.Options;
using CoAP.NET.Proxy.Admission;
using CoAP.NET.Proxy.Forwarding;

namespace CoAP.NET.Proxy.Tests;

/// <summary>What is kept of requests to find equal ones, and of targets to know them again.</summary>
public sealed class RequestKeyTests
{
    private const string Target = "coap://s.example.com/a";

    [Fact]
    public void Requests_that_differ_in_anything_that_counts_have_different_keys()
    {
        string longer = new('x', 300);
        string[] keys =
        [
            KeyOf(Target),
            KeyOf(Target + "b"),
            KeyOf(Target, options: [new Accept(CoapContentFormat.Json)]),
            KeyOf(Target, options: [new Accept(CoapContentFormat.Cbor)]),
            KeyOf(Target, options: [new HopLimit(3)]),
            KeyOf(Target, options: [new HopLimit(4)]),
            KeyOf(Target, payload: "1"),
            KeyOf(Target, CoapMethod.Fetch, payload: "1"),
            KeyOf(Target, CoapMethod.Fetch, payload: "12"),
            KeyOf(Target, CoapMethod.Fetch, payload: longer),
            KeyOf(Target, CoapMethod.Fetch, payload: longer + "1"),
            KeyOf(Target + longer),
            KeyOf(Target + longer, CoapMethod.Fetch),
        ];

        Assert.Equal(keys.Length, keys.Distinct(StringComparer.Ordinal).Count());
        Assert.All(keys, static key => Assert.InRange(key.Length, 1, 256));
        Assert.Equal(keys[0], KeyOf(Target));
        Assert.Equal(keys[^1], KeyOf(Target + longer, CoapMethod.Fetch));
        Assert.Equal(keys[0], KeyOf(Target, options: [new ETag([1])]));
        Assert.NotEqual(keys[0], KeyOf(Target, withTags: true, options: [new ETag([1])]));
    }

    [Fact]
    public void A_target_that_was_refused_is_judged_anew_when_the_targets_change()
    {
        CoapProxyTargets targets = new();
        KnownTargets known = new(targets);
        KnownTarget denied = known.Find("COAP://S.example.com:5683/a");
        Assert.True(denied.IsDenied);
        Assert.Same(denied, known.Find("COAP://S.example.com:5683/a"));

        Assert.Same(denied, known.TryFind("COAP://S.example.com:5683/a"u8));
        Assert.Null(known.TryFind("coap://s.example.com/a"u8));

        targets.AllowHost("s.example.com");
        Assert.Null(known.TryFind("COAP://S.example.com:5683/a"u8));
        KnownTarget allowed = known.Find("COAP://S.example.com:5683/a");
        Assert.False(allowed.IsDenied);
        Assert.Null(allowed.Refused);
        Assert.Equal(Target, allowed.Normal);
        Assert.Equal("coap", allowed.Scheme);
        Assert.True(known.Find("coap://other.example.com/").IsDenied);
        Assert.Equal(CoapCode.NotImplemented, known.Find("coap://[ff02::1]/").Refused);
        Assert.Equal(CoapCode.BadRequest, known.Find("coap://s.example.com:0/").Refused);
        Assert.Equal(CoapCode.BadRequest, known.Find("coap:s").Refused);
    }

    private static string KeyOf(
        string target, CoapMethod method = CoapMethod.Get, bool withTags = false, string payload = "", params CoapOption[] options)
    {
        CoapRequest received = new(method, "coap://proxy.example.com");
        received.Message.Payload = System.Text.Encoding.UTF8.GetBytes(payload);
        CoapOptionCollection forwarded = new();
        foreach (CoapOption option in options)
        {
            forwarded.Add(option);
        }

        return Sharing.KeyOf(new CoapProxyRequest(received, target, forwarded, TimeSpan.FromSeconds(1), null, mayBeShared: true), withTags);
    }
}
