using System.Net;
using CoAP.NET.Caching;
using CoAP.NET.Options;
using CoAP.NET.Requests;
using CoAP.NET.Transports;

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
    public async Task The_URI_counts_in_its_normal_form(string uri, bool isSame)
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
    public async Task Two_names_of_one_address_are_two_hosts()
    {
        await AskAsync(Get("coap://one.example/x"), "45", "ff31");
        await AskAsync(Get("coap://other.example/x"), "45", "ff32");
        Assert.Equal("1", (await HitAsync(Get("coap://ONE.example/x"))).GetText());
        Assert.Equal("2", (await HitAsync(Get("coap://other.example/x"))).GetText());
    }

    [Fact]
    [Rfc("7252-5.6-1")]
    public async Task Options_count_but_those_that_are_no_cache_key()
    {
        await AskAsync(Get(), "45", "ff31");
        CoapRequest size = Get();
        size.Options.Add(new Size2(0));
        await HitAsync(size);
        CoapRequest accept = Get();
        accept.Accept = CoapContentFormat.Json;
        await AskAsync(accept, "45", "ff32");
        CoapRequest text = Get();
        text.Accept = CoapContentFormat.TextPlain;
        await AskAsync(text, "45", "ff33");
        Assert.Equal("2", (await HitAsync(accept)).GetText());
        Assert.Equal("3", (await HitAsync(text)).GetText());
        CoapRequest unknown = Get();
        unknown.Options.Add(65_000, [3]);
        await AskAsync(unknown, "45", "ff34");
        Assert.Equal("1", (await HitAsync(Get())).GetText());
    }

    [Fact]
    [Rfc("8768-3-5")]
    public async Task How_far_a_request_may_go_does_not_count_but_an_answer_that_says_it_went_too_far_is_not_kept()
    {
        CoapRequest near = Get();
        near.Options.Add(new HopLimit(3));
        await AskAsync(near, "a8", "ff30");
        await AskAsync(Get(), "45", "ff31");
        Assert.Equal("1", (await HitAsync(near)).GetText());
    }

    [Fact]
    [Rfc("7252-5.6-1")]
    public async Task The_order_of_query_arguments_counts()
    {
        await AskAsync(Get("coap://192.0.2.1/x?a&b"), "45", "ff31");
        await AskAsync(Get("coap://192.0.2.1/x?b&a"), "45", "ff32");
        await AskAsync(Get("coap://192.0.2.1/x?ab"), "45", "ff33");
        Assert.Equal("1", (await HitAsync(Get("coap://192.0.2.1/x?a&b"))).GetText());
    }

    [Fact]
    [Rfc("8132-2.1-1")]
    public async Task The_payload_of_a_FETCH_counts()
    {
        static CoapRequest Fetch(string query) => new(CoapMethod.Fetch, Uri) { Content = CoapContent.Text(query) };

        await AskAsync(Get(), "45", "ff30");
        await AskAsync(Fetch("a"), "45", "ff31");
        await AskAsync(Fetch("b"), "45", "ff32");
        Assert.Equal("1", (await HitAsync(Fetch("a"))).GetText());
        Assert.Equal("2", (await HitAsync(Fetch("b"))).GetText());
        Assert.Equal("0", (await HitAsync(Get())).GetText());
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
    public void Some_options_keep_a_request_away_from_the_cache(int number, string value)
    {
        CoapMessage request = CachedPeers.Request("x");
        request.Options.Add(number, Wire.Hex(value));
        Assert.Equal(CacheUse.None, CacheRules.UseOf(request, CoapOptionRegistry.Default));
    }

    [Theory]
    [Rfc("7641-2-2")]
    [InlineData(OptionNumber.Observe)]
    [InlineData(OptionNumber.ETag)]
    public void Some_options_are_for_the_server_but_no_part_of_the_key(int number)
    {
        CoapMessage request = CachedPeers.Request("x");
        request.Options.Add(number, [1]);
        Assert.Equal(CacheUse.StoreOnly, CacheRules.UseOf(request, CoapOptionRegistry.Default));
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
    public void Proxied_requests_count_by_the_URI_that_the_proxy_is_asked_for()
    {
        CoapMessage byUri = new(CoapCode.Get);
        byUri.Options.Add(new ProxyUri("COAP://far.example/x"));
        CoapMessage byScheme = CachedPeers.Request("x");
        byScheme.Options.Add(new UriHost("far.example"));
        byScheme.Options.Add(new ProxyScheme("coap"));
        CoapMessage direct = CachedPeers.Request("x");
        Assert.Equal("coap://far.example/x", CachedPeers.Key(byUri)!.Uri);
        Assert.Equal(CachedPeers.Key(byUri), CachedPeers.Key(byScheme));
        Assert.NotEqual(CachedPeers.Key(byUri), CachedPeers.Key(direct));
        CoapMessage elsewhere = new(CoapCode.Get);
        elsewhere.Options.Add(new ProxyUri("http://far.example/x"));
        Assert.Equal("http://far.example/x", CachedPeers.Key(elsewhere)!.Uri);
    }

    [Fact]
    public void What_names_no_URI_and_what_goes_to_a_group_has_no_key()
    {
        CoapMessage bad = CachedPeers.Request("x");
        bad.Options.Add(OptionNumber.UriHost, [0xff]);
        Assert.Null(CachedPeers.Key(bad));
        bad.Options.Add(new ProxyScheme("coap"));
        Assert.Null(CachedPeers.Key(bad));
        Assert.Null(CachedPeers.Key(CachedPeers.Request("x"), CachedPeers.Channel(CoapAddress.FromIPv4(0xe00001bb, 5683))));
    }

    [Fact]
    [Rfc("7252-11.2-1")]
    public void What_is_protected_stays_with_its_channel_and_its_endpoint()
    {
        object ours = new();
        object others = new();
        CoapMessage request = CachedPeers.Request("x");
        CoapChannel plain = CachedPeers.Channel(CachedPeers.Server);
        CoapChannel secure = CachedPeers.Channel(CachedPeers.Server, "coaps", "device 1");
        CacheKey protectedKey = CachedPeers.Key(request, secure, ours)!;
        Assert.NotEqual(CachedPeers.Key(request, plain, ours), protectedKey);
        Assert.Equal(protectedKey, CachedPeers.Key(request, CachedPeers.Channel(CachedPeers.Server, "coaps", "device 1"), ours));
        Assert.NotEqual(protectedKey, CachedPeers.Key(request, CachedPeers.Channel(CachedPeers.Server, "coaps", "device 2"), ours));
        Assert.NotEqual(protectedKey, CachedPeers.Key(request, CachedPeers.Channel(CachedPeers.Server, "coaps+tcp", "device 1"), ours));
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
    public void What_the_options_of_a_URI_compose_to_is_that_URI(string text)
    {
        CoapUri uri = CoapUri.Parse(text);
        CoapAddress remote = uri.Literal ?? CoapAddress.FromIPv4(0xc0000201, (ushort)uri.Port);
        CoapMessage request = new(CoapCode.Get);
        RequestComposer.AddTarget(request, uri, remote);
        CoapChannel channel = CachedPeers.Channel(remote);
        Assert.Equal(CachedPeers.Key(request, channel)!.Uri, CachedPeers.Key(request, channel, target: uri)!.Uri);
    }

    [Fact]
    public void Which_address_of_a_name_was_asked_does_not_count_unless_it_is_that_of_a_given_peer()
    {
        CoapMessage request = CachedPeers.Request("x");
        request.Options.Add(new UriHost("bank.example"));
        CoapUri target = CoapUri.Parse("coap://bank.example/x");
        CoapChannel other = CachedPeers.Channel(CoapAddress.FromIPv4(0xc0000209, 5683));
        CacheKey byName = CachedPeers.Key(request, target: target)!;
        Assert.Equal(byName, CachedPeers.Key(request, other, target: target));
        Assert.NotEqual(byName, CachedPeers.Key(request, other));
        Assert.NotEqual(byName, CachedPeers.Key(request));
    }

    [Fact]
    public async Task A_name_whose_addresses_come_in_another_order_is_the_same_host()
    {
        int asked = 0;
        Options.ResolveHost = (_, _) => Task.FromResult<IPAddress[]>(
            asked++ == 0
                ? [IPAddress.Parse("192.0.2.1"), IPAddress.Parse("192.0.2.2")]
                : [IPAddress.Parse("192.0.2.2"), IPAddress.Parse("192.0.2.1")]);
        await AskAsync(Get("coap://two.example/x"), "45", "ff31");
        Assert.Equal("1", (await HitAsync(Get("coap://two.example/x"))).GetText());

        // Options of one's own beside the URI name another resource than the URI alone.
        CoapRequest deeper = Get("coap://two.example/x");
        deeper.Options.Add(new UriPath("y"));
        Take(Client.SendAsync(deeper));
    }

    [Fact]
    public void Who_was_asked_counts_beside_the_URI()
    {
        CoapMessage request = CachedPeers.Request("x");
        request.Options.Add(new UriHost("bank.example"));
        CacheKey right = CachedPeers.Key(request)!;
        CacheKey stranger = CachedPeers.Key(request, CachedPeers.Channel(CoapAddress.FromIPv4(0xc0000209, 5683)))!;
        Assert.Equal(right.Uri, stranger.Uri);
        Assert.NotEqual(right, stranger);
    }
}
