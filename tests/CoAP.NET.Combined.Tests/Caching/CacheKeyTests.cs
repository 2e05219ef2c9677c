using System.Net;
using CoAP.NET.Caching;
using CoAP.NET.RequestSteps;

namespace CoAP.NET.Tests.Caching;

/// <summary>Which requests one stored response answers (RFC 7252 section 5.6, RFC 8132 section 2.1).</summary>
public sealed class CacheKeyTests : CacheTest
{
    [Theory]
    [Rfc("7252-5.6-1")]
    [InlineData("coap://192.0.2.1/x?a=1", false)]
    [InlineData("coap://192.0.2.1/x?", false)]
    [InlineData("coap://192.0.2.1/x/", false)]
    [InlineData("coap://192.0.2.1/X", false)]
    [InlineData("coap://192.0.2.1:5684/x", false)]
    [InlineData("coap://name.example/x", false)]
    [InlineData("COAP://192.0.2.1:5683/%78", true)]
    [InlineData("coap://192.0.2.1/a/../x", true)]
    public async Task The_URI_is_part_of_the_cache_key_in_its_normal_form(string uri, bool isSame)
    {
        await AskAsync(Get(), "45", "ff31");
        if (isSame)
        {
            await HitAsync(Get(uri));
        }
        else
        {
            Take(Client.SendAsync(Get(uri)));
        }
    }

    [Fact]
    public async Task Two_host_names_of_the_same_address_are_cached_separately()
    {
        await AskAsync(Get("coap://one.example/x"), "45", "ff31");
        await AskAsync(Get("coap://other.example/x"), "45", "ff32");
        await HitAsync(Get("coap://ONE.example/x")).Says("1");
        await HitAsync(Get("coap://other.example/x")).Says("2");
    }

    [Fact]
    [Rfc("7252-5.6-1")]
    public async Task Options_are_part_of_the_cache_key_except_NoCacheKey_options()
    {
        await AskAsync(Get(), "45", "ff31");
        CoapRequest size = Get();
        size.Options.Add(new Size2Option(0));
        await HitAsync(size);
        CoapRequest accept = Get();
        accept.Accept = CoapContentFormat.Json;
        await AskAsync(accept, "45", "ff32");
        CoapRequest text = Get();
        text.Accept = CoapContentFormat.TextPlain;
        await AskAsync(text, "45", "ff33");
        await HitAsync(accept).Says("2");
        await HitAsync(text).Says("3");
        CoapRequest unknown = Get();
        unknown.Options.Add(65_000, [3]);
        await AskAsync(unknown, "45", "ff34");
        await HitAsync(Get()).Says("1");
    }

    [Fact]
    [Rfc("8768-3-5")]
    public async Task Hop_Limit_is_not_part_of_the_cache_key_and_a_5_08_response_is_not_stored()
    {
        CoapRequest near = Get();
        near.Options.Add(new HopLimitOption(3));
        await AskAsync(near, "a8", "ff30");
        await AskAsync(Get(), "45", "ff31");
        await HitAsync(near).Says("1");
    }

    [Fact]
    [Rfc("7252-5.6-1")]
    public async Task The_order_of_query_arguments_is_part_of_the_cache_key()
    {
        await AskAsync(Get("coap://192.0.2.1/x?a&b"), "45", "ff31");
        await AskAsync(Get("coap://192.0.2.1/x?b&a"), "45", "ff32");
        await AskAsync(Get("coap://192.0.2.1/x?ab"), "45", "ff33");
        await HitAsync(Get("coap://192.0.2.1/x?a&b")).Says("1");
    }

    [Fact]
    [Rfc("8132-2.1-1")]
    public async Task The_payload_and_Content_Format_of_a_FETCH_are_part_of_the_cache_key()
    {
        static CoapRequest Fetch(string query) => new(CoapMethod.Fetch, Uri) { Content = CoapContent.Text(query) };

        await AskAsync(Get(), "45", "ff30");
        await AskAsync(Fetch("a"), "45", "ff31");
        await AskAsync(Fetch("b"), "45", "ff32");
        await HitAsync(Fetch("a")).Says("1");
        await HitAsync(Fetch("b")).Says("2");
        await HitAsync(Get()).Says("0");
        CoapRequest otherFormat = new(CoapMethod.Fetch, Uri) { Content = CoapContent.Text("a", CoapContentFormat.Json) };
        await AskAsync(otherFormat, "45", "ff33");
        await AskAsync(Put(), "44");
        await AskAsync(Fetch("a"), "45", "ff34");
    }

    [Theory]
    [InlineData(OptionNumber.IfMatch, "01")]
    [InlineData(OptionNumber.IfNoneMatch, "")]
    [InlineData(OptionNumber.NoResponse, "")]
    [InlineData(OptionNumber.Block2, "12")]
    [InlineData(OptionNumber.Oscore, "09")]
    [InlineData(770, "")]
    [InlineData(771, "")]
    public void A_request_with_a_condition_or_an_unknown_unsafe_option_bypasses_the_cache(int number, string value)
    {
        CoapMessage request = CachedPeers.Request("x");
        request.Options.Add(number, Wire.Hex(value));
        Assert.Equal(CacheAccessLevel.None, CacheRules.UseOf(request, CoapOptionRegistry.Default));
    }

    [Theory]
    [Rfc("7641-2-2")]
    [InlineData(OptionNumber.Observe)]
    [InlineData(OptionNumber.ETag)]
    public void A_request_with_Observe_or_ETag_goes_to_the_server_and_has_the_same_cache_key(int number)
    {
        CoapMessage request = CachedPeers.Request("x");
        request.Options.Add(number, [1]);
        Assert.Equal(CacheAccessLevel.StoreOnly, CacheRules.UseOf(request, CoapOptionRegistry.Default));
        Assert.Equal(CachedPeers.Key(CachedPeers.Request("x")), CachedPeers.Key(request));
    }

    [Theory]
    [InlineData("08", false)] // 0/1/16
    [InlineData("18", false)] // 1/1/16
    [InlineData("10", false)] // 1/0/16
    [InlineData("02", true)] // 0/0/64
    [InlineData("", true)]
    public void A_part_of_a_body_is_not_stored(string block, bool isStored)
    {
        CoapResponse response = CachedPeers.Response(CoapCode.Content, "1");
        response.Options.Add(OptionNumber.Block2, Wire.Hex(block));
        Assert.Equal(isStored, CacheRules.CanStore(response.Message));
        response = CachedPeers.Response(CoapCode.Content, "1");
        response.Options.Add(OptionNumber.Block1, Wire.Hex(block));
        Assert.False(CacheRules.CanStore(response.Message));
    }

    [Fact]
    public void The_URI_requested_from_a_proxy_is_the_cache_key_of_a_proxied_request()
    {
        CoapMessage byUri = new(CoapCode.Get);
        byUri.Options.Add(new ProxyUriOption("COAP://far.example/x"));
        CoapMessage byScheme = CachedPeers.Request("x");
        byScheme.Options.Add(new UriHostOption("far.example"));
        byScheme.Options.Add(new ProxySchemeOption("coap"));
        CoapMessage direct = CachedPeers.Request("x");
        Assert.Equal("coap://far.example/x", CachedPeers.Key(byUri)!.Uri);
        Assert.Equal(CachedPeers.Key(byUri), CachedPeers.Key(byScheme));
        Assert.NotEqual(CachedPeers.Key(byUri), CachedPeers.Key(direct));
        CoapMessage elsewhere = new(CoapCode.Get);
        elsewhere.Options.Add(new ProxyUriOption("http://far.example/x"));
        Assert.Equal("http://far.example/x", CachedPeers.Key(elsewhere)!.Uri);
    }

    [Fact]
    public void A_request_without_a_valid_URI_or_to_a_group_has_no_cache_key()
    {
        CoapMessage bad = CachedPeers.Request("x");
        bad.Options.Add(OptionNumber.UriHost, [0xff]);
        Assert.Null(CachedPeers.Key(bad));
        bad.Options.Add(new ProxySchemeOption("coap"));
        Assert.Null(CachedPeers.Key(bad));
        Assert.Null(CachedPeers.Key(CachedPeers.Request("x"), CachedPeers.Channel(CoapAddress.FromIPv4(0xe00001bb, 5683))));
    }

    [Fact]
    [Rfc("7252-11.2-1")]
    public void The_cache_key_of_a_secured_request_is_bound_to_its_peer_and_endpoint()
    {
        object ours = new();
        object others = new();
        CoapMessage request = CachedPeers.Request("x");
        CoapChannel plain = CachedPeers.Channel(CachedPeers.Server);
        CoapChannel secure = Secured("coaps", "device 1");
        CacheKey protectedKey = CachedPeers.Key(request, secure, ours)!;
        Assert.NotEqual(CachedPeers.Key(request, plain, ours), protectedKey);
        Assert.Equal(protectedKey, CachedPeers.Key(request, Secured("coaps", "device 1"), ours));
        Assert.NotEqual(protectedKey, CachedPeers.Key(request, Secured("coaps", "device 2"), ours));
        Assert.NotEqual(protectedKey, CachedPeers.Key(request, Secured("coaps+tcp", "device 1"), ours));
        Assert.NotEqual(protectedKey, CachedPeers.Key(request, secure, others));
        Assert.NotEqual(CachedPeers.Key(request, CachedPeers.Channel(CachedPeers.Server, "coaps"), ours),
            CachedPeers.Key(request, CachedPeers.Channel(CachedPeers.Server, "coaps"), others));
        Assert.Equal(CachedPeers.Key(request, plain, ours), CachedPeers.Key(request, plain, others));
    }

    [Theory]
    [InlineData("coap://192.0.2.1/")]
    [InlineData("COAP://192.0.2.1:5683/a/./b/../%78?")]
    [InlineData("coap://192.0.2.1:61616/a%2Fb//?x=%26&y&&z")]
    [InlineData("coap://[2001:DB8:0::1]/a/")]
    [InlineData("coap://[2001:db8::1]:61616?only=query")]
    [InlineData("coap://[::ffff:192.0.2.1]/mapped")]
    [InlineData("coap://One.EXAMPLE/%E2%82%AC?%e2%82%ac")]
    [InlineData("coap://one.example:61616/a")]
    [InlineData("coap://b%C3%BCcher.example/")]
    public void The_cache_key_is_the_same_for_a_URI_and_for_the_options_it_decomposes_to(string text)
    {
        CoapUri uri = CoapUri.Parse(text);
        CoapAddress remote = uri.Literal ?? CoapAddress.FromIPv4(0xc0000201, (ushort)uri.Port);
        CoapMessage request = new(CoapCode.Get);
        RequestComposer.AddTarget(request, uri, remote);
        CoapChannel channel = CachedPeers.Channel(remote);
        Assert.Equal(CachedPeers.Key(request, channel)!.Uri, CachedPeers.Key(request, channel, target: uri)!.Uri);
    }

    [Fact]
    public void The_address_of_a_host_name_is_part_of_the_cache_key_only_for_an_explicit_peer()
    {
        CoapMessage request = CachedPeers.Request("x");
        request.Options.Add(new UriHostOption("bank.example"));
        CoapUri target = CoapUri.Parse("coap://bank.example/x");
        CoapChannel other = CachedPeers.Channel(CoapAddress.FromIPv4(0xc0000209, 5683));
        CacheKey byName = CachedPeers.Key(request, target: target)!;
        Assert.Equal(byName, CachedPeers.Key(request, other, target: target));
        Assert.NotEqual(byName, CachedPeers.Key(request, other));
        Assert.NotEqual(byName, CachedPeers.Key(request));
    }

    [Fact]
    public async Task A_host_name_whose_addresses_change_order_has_the_same_cache_key()
    {
        int asked = 0;
        Options.Transports.ResolveHost = (_, _) => Task.FromResult<IPAddress[]>(
            asked++ == 0
                ? [IPAddress.Parse("192.0.2.1"), IPAddress.Parse("192.0.2.2")]
                : [IPAddress.Parse("192.0.2.2"), IPAddress.Parse("192.0.2.1")]);
        await AskAsync(Get("coap://two.example/x"), "45", "ff31");
        await HitAsync(Get("coap://two.example/x")).Says("1");

        // Options of one's own beside the URI name another resource than the URI alone.
        CoapRequest deeper = Get("coap://two.example/x");
        deeper.Options.Add(new UriPathOption("y"));
        Take(Client.SendAsync(deeper));
    }

    [Fact]
    public void The_requested_peer_is_part_of_the_cache_key_beside_the_URI()
    {
        CoapMessage request = CachedPeers.Request("x");
        request.Options.Add(new UriHostOption("bank.example"));
        CacheKey right = CachedPeers.Key(request)!;
        CacheKey stranger = CachedPeers.Key(request, CachedPeers.Channel(CoapAddress.FromIPv4(0xc0000209, 5683)))!;
        Assert.Equal(right.Uri, stranger.Uri);
        Assert.NotEqual(right, stranger);
    }

    private static CoapChannel Secured(string scheme, string name) =>
        CachedPeers.Channel(CachedPeers.Server, scheme, new CoapNamedPeerIdentity(name));
}
