namespace CoAP.NET.Tests.Uris;

/// <summary>Texts that convert to URIs: absolute ones of CoAP, references, and those of other schemes.</summary>
public sealed class UriReferenceTests
{
    [Theory]
    [InlineData("coap://Host.example:5683/a/../b", "coap://host.example/b", true, true)]
    [InlineData("/temperature?unit=C", "/temperature?unit=C", false, false)]
    [InlineData("../state", "../state", false, false)]
    [InlineData("", "", false, false)]
    [InlineData("http://host.example/a#b", "http://host.example/a#b", true, false)]
    public void A_text_converts_to_one_of_three_kinds(string text, string shown, bool isAbsolute, bool isCoap)
    {
        CoapUri uri = text;
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
        CoapFormatException error = Assert.Throws<CoapFormatException>(() => CoapUri.FromString(text));
        Assert.Equal(position, error.Position);
        error.Mentions(text);
    }

    [Fact]
    public void A_text_is_parsed_only_once_and_null_converts_to_null()
    {
        CoapUri first = string.Concat("coap://parsed.example/", "once");
        CoapUri second = new Uri("coap://parsed.example/once");
        Assert.Same(first, second);
        Assert.Null((CoapUri?)(string?)null);
        Assert.Null((CoapUri?)(Uri?)null);
    }

    [Theory]
    [InlineData("/a", "is relative")]
    [InlineData("http://host.example/a", "is not a CoAP URI")]
    public void The_parts_of_a_relative_or_non_CoAP_URI_are_refused(string text, string why)
    {
        CoapUri uri = text;
        Func<object>[] parts =
        [
            () => uri.Host, () => uri.Port, () => uri.IsDefaultPort, () => uri.PathSegments, () => uri.QueryArguments, () => uri.Authority,
        ];
        Assert.All(parts, part => Assert.Throws<InvalidOperationException>(part).Mentions(why));
        Assert.Throws<InvalidOperationException>(() => uri.AddTo([]));
    }
}
