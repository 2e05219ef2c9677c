namespace CoAP.NET.Proxy.Tests;

/// <summary>Links of servers behind a reverse proxy.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class LinkRewriterTests
{
    [Theory]
    [InlineData("</temp>;rt=t", "coap://o/.well-known/core", "coap://o", "/f1", "</f1/temp>;rt=\"t\"")]
    [InlineData("</>", "coap://o/.well-known/core", "coap://o", "/f1", "</f1/>")]
    [InlineData("</base/x?y=1>", "coap://o/.well-known/core", "coap://o/base", "/f1", "</f1/x?y=1>")]
    [InlineData("</base>", "coap://o/.well-known/core", "coap://o/base", "/f1", "</f1>")]
    [InlineData("</basement/x>", "coap://o/.well-known/core", "coap://o/base", "/f1", "")]
    [InlineData("</other>,</base/a>", "coap://o/.well-known/core", "coap://o/base", "/f1", "</f1/a>")]
    [InlineData("<coap://o/a>", "coap://o/.well-known/core", "coap://o", "/f1", "</f1/a>")]
    [InlineData("<coap://o:5683/a>", "coap://O/.well-known/core", "coap://o", "/f1", "</f1/a>")]
    [InlineData("<coap://o:5684/a>", "coap://o/.well-known/core", "coap://o", "/f1", "<coap://o:5684/a>")]
    [InlineData("<coap://p/a>", "coap://o/.well-known/core", "coap://o", "/f1", "<coap://p/a>")]
    [InlineData("<http://p/a>", "coap://o/.well-known/core", "coap://o", "/f1", "<http://p/a>")]
    [InlineData("<b>", "coap://o/things/a", "coap://o", "/f1", "</f1/things/b>")]
    [InlineData("</a>;anchor=\"/b\"", "coap://o/x", "coap://o", "/f1", "</f1/a>;anchor=\"/f1/b\"")]
    [InlineData("</a>;anchor=\"coap://p/b\"", "coap://o/x", "coap://o", "/f1", "</f1/a>;anchor=\"coap://p/b\"")]
    [InlineData("</3/0>;obs", "/.well-known/core", "", "/devices/7", "</devices/7/3/0>;obs")]
    [InlineData("</a>", "coap://o/.well-known/core", "coap://o", "", "</a>")]
    public void A_link_is_rewritten_to_the_URI_that_a_client_of_the_proxy_requests(
        string links, string document, string target, string prefix, string expected)
    {
        CoapResult result = LinkRewriter.Rewrite(Links(links), document, target, prefix);

        Assert.Equal(expected, Encoding.UTF8.GetString(result.Payload.Span));
        Assert.Equal((CoapCode.Content, CoapContentFormat.LinkFormat), (result.Code, result.Options.ContentFormat));
    }

    [Fact]
    public void A_link_document_that_is_malformed_or_exceeds_the_limits_becomes_5_02()
    {
        string many = string.Join(',', Enumerable.Range(0, LinkRewriter.MaxLinks + 1).Select(i => $"</{i}>"));
        Assert.Equal(CoapCode.BadGateway, Rewrite(many).Code);
        Assert.Equal(CoapCode.BadGateway, Rewrite($"</{new string('x', LinkRewriter.MaxLength)}>").Code);
        Assert.Equal(CoapCode.BadGateway, Rewrite("</a").Code);
        Assert.Equal(CoapCode.Content, Rewrite(many[..many.LastIndexOf(',')]).Code);

        static CoapResult Rewrite(string links) => LinkRewriter.Rewrite(Links(links), "coap://o/x", "coap://o", "/f1");
    }

    [Fact]
    public void Other_responses_are_not_rewritten()
    {
        CoapResult text = CoapResults.Text("</a>");
        CoapResult error = new(CoapCode.NotFound, "</a>"u8.ToArray(), CoapContentFormat.LinkFormat);

        Assert.Same(text, LinkRewriter.Rewrite(text, "coap://o/x", "coap://o", "/f1"));
        Assert.Same(error, LinkRewriter.Rewrite(error, "coap://o/x", "coap://o", "/f1"));
    }

    [Theory]
    [InlineData(true, "</floor1/temp>;rt=\"t\"")]
    [InlineData(false, "</temp>;rt=\"t\"")]
    public async Task Links_of_a_server_point_to_the_proxy_when_rewriting_is_enabled(bool rewrites, string expected)
    {
        await using ProxyWorld world = new(options =>
        {
            options.RequireVerified = false;
            options.RewritesLinks = rewrites;
        });
        world.ProxyServer.MapReverseProxy("/floor1/{*path}", ProxyWorld.OriginUri, world.Proxy);
        world.Answer(_ => Links("</temp>;rt=\"t\""));
        await world.StartAsync();

        CoapResponse response = await world.SendAsync(new CoapRequest(CoapMethod.Get, $"{ProxyWorld.ProxyUri}/floor1/links"));

        Assert.Equal(expected, response.EnsureSuccess().GetText());
        Assert.Equal("/links", Assert.Single(world.Asked).Path);
    }

    [Fact]
    public async Task A_link_document_that_is_too_large_to_be_held_is_refused()
    {
        await using ProxyWorld world = new(options =>
        {
            options.RequireVerified = false;
            options.RewritesLinks = true;
        });
        world.ProxyServer.MapReverseProxy("/floor1/{*path}", ProxyWorld.OriginUri, world.Proxy);
        world.Answer(_ => Links($"</{new string('x', 100_000)}>"));
        await world.StartAsync();

        CoapResponse response = await world.SendAsync(new CoapRequest(CoapMethod.Get, $"{ProxyWorld.ProxyUri}/floor1/links"));

        response.Gives(CoapCode.BadGateway);
    }

    private static CoapResult Links(string links) =>
        new(CoapCode.Content, Encoding.UTF8.GetBytes(links), CoapContentFormat.LinkFormat);
}
