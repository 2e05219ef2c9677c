using CoAP.NET.AspNetCore.Proxying;

namespace CoAP.NET.AspNetCore.Tests.Proxying;

/// <summary>Where targets stand in the URIs of HTTP clients (RFC 8075 section 5).</summary>
public sealed class UriMappingTemplateTests
{
    [Theory]
    [Rfc("8075-5.3-1", "8075-5.4-1")]
    [InlineData("{+tu}", "coap://s.example.com/light", "coap://s.example.com/light")]
    [InlineData("{+tu}", "coap://%5B2001:db8::1%5D/light?on", "coap://[2001:db8::1]/light?on")]
    [InlineData("{+tu}", "coaps://s.example.com:7777/a%2Fb?x=%26&y", "coaps://s.example.com:7777/a%2Fb?x=%26&y")]
    [InlineData("{+tu}", "coap+tcp://s.example.com", "coap+tcp://s.example.com")]
    [InlineData("{+tu}", "coap:/s.example.com/light", "coap://s.example.com/light")]
    [InlineData("?target_uri={+tu}", "?target_uri=coap://s.example.com/light", "coap://s.example.com/light")]
    [InlineData("?target_uri={+tu}", "?target_uri=coap%3A%2F%2Fs.example.com%2Flight%3Fon", "coap://s.example.com/light?on")]
    [InlineData("?target_uri={tu}", "?target_uri=coap%3A%2F%2Fs.example.com%2Fa%2520b", "coap://s.example.com/a%20b")]
    [InlineData("forward/{+tu}", "forward/coap://s.example.com/light", "coap://s.example.com/light")]
    [InlineData("{+s}/{+hp}{+p}{+qq}", "coap/s.example.com/light", "coap://s.example.com/light")]
    [InlineData("{+s}/{+hp}{+p}{+qq}", "coap/s.example.com/light?on", "coap://s.example.com/light?on")]
    [InlineData("{+s}/{+hp}{+p}{+qq}", "coaps/s.example.com:7777", "coaps://s.example.com:7777")]
    [InlineData("{+s}/{+hp}{+p}{+qq}", "coap/%5B2001:db8::1%5D:5690/a/b", "coap://[2001:db8::1]:5690/a/b")]
    [InlineData("?s={+s}&hp={+hp}&p={+p}&q={+q}", "?s=coap&hp=s.example.com&p=/light&q=", "coap://s.example.com/light")]
    [InlineData("?s={+s}&hp={+hp}&p={+p}&q={+q}", "?s=coaps&hp=s.example.com&p=/light&q=on", "coaps://s.example.com/light?on")]
    [InlineData("?s={+s}&hp={+hp}&p={+p}&q={+q}", "?s=coap&hp=s.example.com&p=&q=a&b", "coap://s.example.com?a&b")]
    public void A_target_is_extracted_unchanged_from_the_path(string template, string rest, string target)
    {
        Assert.True(new UriMappingTemplate(template).TryMatch(rest, null, out string? found));
        Assert.Equal(target, found);
    }

    [Theory]
    [Rfc("8075-5.3.1-1")]
    [InlineData("{+tu}", "s.example.com/light")]
    [InlineData("{+tu}", "")]
    [InlineData("?hp={+hp}&p={+p}", "?hp=s.example.com&p=/light")]
    public void A_target_without_a_scheme_is_accepted_only_with_a_default_scheme(string template, string rest)
    {
        Assert.False(new UriMappingTemplate(template).TryMatch(rest, null, out _));
        Assert.Equal(rest.Length > 0, new UriMappingTemplate(template).TryMatch(rest, "coap", out string? found));
        Assert.Equal(rest.Length > 0 ? "coap://s.example.com/light" : null, found);
    }

    [Theory]
    [InlineData("{+tu}", "coap:s.example.com/light")]
    [InlineData("{+tu}", "1coap://s.example.com/light")]
    [InlineData("{+tu}", "co_ap://s.example.com/light")]
    [InlineData("{+tu}", "://s.example.com/light")]
    [InlineData("{+tu}", "coap://s.example.com/light\n")]
    [InlineData("forward/{+tu}", "backward/coap://s.example.com/light")]
    [InlineData("forward/{+tu}", "forward/")]
    [InlineData("{+tu}/end", "coap://s.example.com/light")]
    [InlineData("{+tu}/end", "/end")]
    public void An_invalid_target_is_not_matched(string template, string rest) =>
        Assert.False(new UriMappingTemplate(template).TryMatch(rest, null, out _));

    [Fact]
    public void A_parsed_target_is_reused_while_it_would_be_parsed_alike()
    {
        CoapHttpProxyOptions options = new() { DefaultScheme = "coap" };
        ProxyTargetParser targets = new(options);
        Assert.True(targets.TryFind("s.example.com/light", out CoapUri? first, out _));
        Assert.True(targets.TryFind("s.example.com/light", out CoapUri? again, out _));
        Assert.Same(first, again);
        Assert.Equal("coap://s.example.com/light", first.ToString());

        options.DefaultScheme = "coaps";
        Assert.True(targets.TryFind("s.example.com/light", out CoapUri? secured, out _));
        Assert.Equal("coaps", secured.Scheme);

        options.Template = "forward/{+tu}";
        Assert.False(targets.TryFind("s.example.com/light", out _, out string? error));
        Assert.Null(error);
        Assert.False(targets.TryFind("forward/coap://s.example.com:99999/", out _, out error));
        Assert.NotNull(error);
    }

    [Theory]
    [Rfc("8075-5.4-1")]
    [InlineData("{+tu}{+tu}")]
    [InlineData("{+s}/{+hp}{+p}{+s}")]
    [InlineData("{+s}/{+hp}{+q}{+qq}")]
    [InlineData("{+s}/{+p}")]
    [InlineData("{+tu}/{+hp}")]
    [InlineData("{+host}")]
    [InlineData("{+tu")]
    [InlineData("nothing")]
    public void A_template_without_a_target_or_with_two_targets_is_refused(string template) =>
        Assert.Throws<ArgumentException>(() => new UriMappingTemplate(template));

    [Theory]
    [InlineData("{+tu}", "coap://[2001:db8::1]/a?b", "coap://%5B2001:db8::1%5D/a?b")]
    [InlineData("?u={tu}", "coap://h/a?b", "?u=coap%3A%2F%2Fh%2Fa%3Fb")]
    [InlineData("{+s}/{+hp}{+p}{+qq}", "coap://h:1/a?b", "coap/h:1/a?b")]
    [InlineData("?s={+s}&hp={+hp}&p={+p}&q={+q}", "coap://h/a?b", "?s=coap&hp=h&p=/a&q=b")]
    public void A_target_is_formatted_as_clients_write_it(string template, string target, string rest)
    {
        UriMappingTemplate parsed = new(template);
        Assert.Equal(rest, parsed.Expand(CoapUri.Parse(target)));
        Assert.True(parsed.TryMatch(rest, null, out string? found));
        Assert.Equal(CoapUri.Parse(target), CoapUri.Parse(found));
    }
}
