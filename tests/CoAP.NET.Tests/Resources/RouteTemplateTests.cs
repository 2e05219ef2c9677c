using CoAP.NET.Resources;

namespace CoAP.NET.Tests.Resources;

public class RouteTemplateTests
{
    [Theory]
    [InlineData("", "/")]
    [InlineData("/", "/")]
    [InlineData("a/b", "/a/b")]
    [InlineData("/a/", "/a/")]
    [InlineData("//", "//")]
    [InlineData("/a%2Fb/%c3%b6", "/a%2Fb/%C3%B6")]
    [InlineData("/devices/{id}/{*rest}", "/devices/{id}/{*rest}")]
    [InlineData("/%7Bid%7D", "/%7Bid%7D")]
    public void A_route_template_is_normalized(string text, string expected) => Assert.Equal(expected, RouteTemplate.Parse(text).Text);

    [Theory]
    [InlineData("/a{id}", "whole segment")]
    [InlineData("/{}", "not a parameter")]
    [InlineData("/{a:int}", "has a constraint, which CoAP routes do not support. Write {a}, and check")]
    [InlineData("/{a?}", "is optional, which parameters of a route cannot be. Write {a} and map the shorter path")]
    [InlineData("/{*}", "not a parameter")]
    [InlineData("/{*rest}/x", "Move it to the end")]
    [InlineData("/{a}/{a}", "its own name")]
    [InlineData("/a/../b", "5.10.1")]
    [InlineData("/%2e", "5.10.1")]
    [InlineData("/a?b=c", "query")]
    [InlineData("/a#b", "query")]
    [InlineData("coap://x/y", "only a path")]
    [InlineData("coaps+tcp://x/y", "only a path")]
    [InlineData("/%zz", "%25")]
    [InlineData("/%ff", "UTF-8")]
    public void An_invalid_template_is_refused_and_the_error_says_what_to_do(string text, string hint)
    {
        ArgumentException exception = Assert.Throws<ArgumentException>(() => RouteTemplate.Parse(text));
        exception.Mentions(hint);
        exception.Mentions(text);
    }

    [Fact]
    public void A_template_segment_of_more_than_255_bytes_is_refused()
    {
        RouteTemplate.Parse("/" + new string('a', 255));
        Assert.Throws<ArgumentException>(() => RouteTemplate.Parse("/" + new string('a', 256)));
    }
}
