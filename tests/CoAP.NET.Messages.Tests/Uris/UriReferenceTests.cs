namespace CoAP.NET.Tests.Uris;

/// <summary>Texts of URIs: absolute ones of CoAP, references, and those of other schemes.</summary>
public sealed class UriReferenceTests
{
    [Theory]
    [InlineData("coap://Host.example:5683/a/../b", "coap://host.example/b", true, true)]
    [InlineData("/temperature?unit=C", "/temperature?unit=C", false, false)]
    [InlineData("../state", "../state", false, false)]
    [InlineData("", "", false, false)]
    [InlineData("http://host.example/a#b", "http://host.example/a#b", true, false)]
    public void A_text_is_one_of_three_kinds(string text, string shown, bool isAbsolute, bool isCoap)
    {
        CoapUri uri = new(text);
        Assert.Equal((shown, isAbsolute, isCoap), (uri.ToString(), uri.IsAbsolute, uri.IsCoap));
        Assert.Equal(uri, CoapUri.FromString(text));
    }

    [Theory]
    [InlineData("coap://", 7)]
    [InlineData("coap:host", 5)]
    [InlineData("lamp:5683", 0)]
    [InlineData("/a#b", 2)]
    public void A_text_that_is_no_URI_is_refused_with_its_position(string text, int position)
    {
        CoapFormatException error = Assert.Throws<CoapFormatException>(() => new CoapUri(text));
        Assert.Equal(position, error.Position);
        error.Mentions(text);
    }

    [Fact]
    public void Overloads_with_a_text_parse_it_only_once()
    {
        CoapUri first = CoapUri.FromString(string.Concat("coap://parsed.example/", "once"));
        CoapUri second = CoapUri.FromString("coap://parsed.example/once");
        Assert.Same(first, second);
    }

    [Fact]
    public void A_System_Uri_becomes_a_URI_by_its_original_text()
    {
        CoapUri uri = new(new Uri("coap://host.example/a%2Fb?"));
        Assert.Equal(("coap://host.example/a%2Fb?", 1), (uri.ToString(), uri.QueryArguments.Count));
        Assert.Equal(["a/b"], uri.PathSegments);
    }

    [Fact]
    public void Null_is_not_a_URI()
    {
        Assert.Equal("text", Assert.Throws<ArgumentNullException>(() => new CoapUri((string)null!)).ParamName);
        Assert.Equal("uri", Assert.Throws<ArgumentNullException>(() => new CoapUri((Uri)null!)).ParamName);
        string? uri = null;
        Assert.Equal("uri", Assert.Throws<ArgumentNullException>(() => CoapUri.FromString(uri!)).ParamName);
    }

    [Theory]
    [InlineData("/a", "is relative")]
    [InlineData("http://host.example/a", "is not a CoAP URI")]
    public void The_parts_of_a_relative_or_non_CoAP_URI_are_empty(string text, string why)
    {
        CoapUri uri = new(text);
        Assert.Equal(("", -1, "", false), (uri.Host, uri.Port, uri.Authority, uri.IsDefaultPort));
        Assert.Empty(uri.PathSegments);
        Assert.Empty(uri.QueryArguments);
        Assert.Null(uri.HostAddress);
        Assert.Throws<InvalidOperationException>(() => uri.AddTo([])).Mentions(why);
    }
}
