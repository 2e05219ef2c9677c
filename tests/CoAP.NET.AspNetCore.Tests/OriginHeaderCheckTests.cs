namespace CoAP.NET.AspNetCore.Tests;

/// <summary>Which pages are those of the server itself.</summary>
public sealed class OriginHeaderCheckTests
{
    [Theory]
    [InlineData("http", "a.example", "http://a.example", true)]
    [InlineData("http", "a.example:80", "http://a.example", true)]
    [InlineData("https", "a.example:443", "https://a.example", true)]
    [InlineData("https", "A.example", "https://a.example", true)]
    [InlineData("http", "a.example:8080", "http://a.example:8080", true)]
    [InlineData("http", "[2001:db8::1]:8080", "http://[2001:db8::1]:8080", true)]
    [InlineData("http", "[2001:db8::1]:80", "http://[2001:db8::1]", true)]
    [InlineData("http", "a.example:443", "http://a.example", false)]
    [InlineData("http", "a.example", "https://a.example", false)]
    [InlineData("https", "a.example", "http://a.example", false)]
    [InlineData("http", "a.example", "ws://a.example", false)]
    [InlineData("http", "a.example", "chrome-extension://a.example", false)]
    [InlineData("http", "a.example", "http://b.a.example", false)]
    [InlineData("http", "a.example", "http://a.example:81", false)]
    [InlineData("http", "a.example", "http://a.example/", false)]
    [InlineData("http", "a.example", "http://x@a.example", false)]
    [InlineData("http", "a.example", "null", false)]
    [InlineData("http", "", "http://", false)]
    public void An_Origin_is_that_of_the_server_if_scheme_host_and_port_are_equal(string scheme, string host, string origin, bool isOwn)
    {
        DefaultHttpContext context = new();
        context.Request.Scheme = scheme;
        context.Request.Host = new HostString(host);

        Assert.Equal(isOwn, OriginHeaderCheck.IsOwn(context.Request, origin));
    }
}
