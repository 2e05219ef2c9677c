using CoAP.NET.LinkFormat;

namespace CoAP.NET.Tests.Resources;

public class UriReferenceResolverTests
{
    [Theory]
    [InlineData("g:h", "g:h")]
    [InlineData("g", "http://a/b/c/g")]
    [InlineData("./g", "http://a/b/c/g")]
    [InlineData("g/", "http://a/b/c/g/")]
    [InlineData("/g", "http://a/g")]
    [InlineData("//g", "http://g")]
    [InlineData("?y", "http://a/b/c/d;p?y")]
    [InlineData("g?y", "http://a/b/c/g?y")]
    [InlineData("#s", "http://a/b/c/d;p?q#s")]
    [InlineData("g?y#s", "http://a/b/c/g?y#s")]
    [InlineData(";x", "http://a/b/c/;x")]
    [InlineData("", "http://a/b/c/d;p?q")]
    [InlineData(".", "http://a/b/c/")]
    [InlineData("./", "http://a/b/c/")]
    [InlineData("..", "http://a/b/")]
    [InlineData("../g", "http://a/b/g")]
    [InlineData("../..", "http://a/")]
    [InlineData("../../g", "http://a/g")]
    [InlineData("../../../g", "http://a/g")]
    [InlineData("/./g", "http://a/g")]
    [InlineData("/../g", "http://a/g")]
    [InlineData("g.", "http://a/b/c/g.")]
    [InlineData("..g", "http://a/b/c/..g")]
    [InlineData("./g/.", "http://a/b/c/g/")]
    [InlineData("g/./h", "http://a/b/c/g/h")]
    [InlineData("g/../h", "http://a/b/c/h")]
    [InlineData("g;x=1/../y", "http://a/b/c/y")]
    [InlineData("g?y/../x", "http://a/b/c/g?y/../x")]
    [InlineData("http:g", "http:g")]
    public void Examples_of_RFC_3986_section_5_4_resolve(string reference, string expected) =>
        Assert.Equal(expected, UriReferenceResolver.Resolve("http://a/b/c/d;p?q", reference));

    [Fact]
    public void Escapes_default_ports_and_empty_queries_are_preserved() =>
        Assert.Equal("coap://h:5683/%7ea?", UriReferenceResolver.Resolve("coap://h:5683/.well-known/core", "/%7ea?"));
}
