namespace CoAP.NET.Tests.Uris;

/// <summary>
/// Where <see cref="Uri"/> and RFC 7252 section 6 disagree. Each row is a reason why CoAP URIs have a parser of their own; a row that fails
/// after an update of .NET is a reason less.
/// </summary>
public sealed class SystemUriTests
{
    // What Uri makes of a text for options: its authority, the decoded segments of its path, and its query. Null when it refuses the text.
    [Theory]
    [InlineData("an empty port after one letter (RFC 3986 section 3.2.3)", "coap://h:/a", "coap://h/a", "||h:/a|")]
    [InlineData("a host with sub-delimiters (RFC 3986 section 3.2.2)", "coap://a!$b/", "coap://a!$b/", null)]
    [InlineData("an escaped letter in a host", "coap://a%41b/", "coap://a%41b/", null)]
    [InlineData("an escaped digit of an address (RFC 3986 section 6.2.2.2)", "coap://%31.2.3.4/", "coap://1.2.3.4/", null)]
    [InlineData("the default port (RFC 7252 section 6.1)", "coap://host:5683/", "coap://host/", "host:5683||/|")]
    [InlineData("a zone (RFC 6874)", "coap://[fe80::1%251]/", "coap://[fe80::1%251]/", "[fe80::1]||/|")]
    [InlineData("a zone without %25", "coap://[fe80::1%1]/", null, "[fe80::1]||/|")]
    [InlineData("a backslash in a path (RFC 3987 section 3.1)", "coap://host/a\\b", "coap://host/a%5Cb", "host||/a/b|")]
    [InlineData("a percent sign without digits (RFC 3986 section 2.1)", "coap://host/%zz", null, "host||/%25zz|")]
    [InlineData("bytes that are not UTF-8 (RFC 7252 section 5.10.1)", "coap://host/%ff", null, "host||/%ff|")]
    [InlineData("a segment that is longer than its option (RFC 7252 section 5.10)", "coap://host/+256", null, "host||/+256|")]
    [InlineData("user information (RFC 7252 section 6.1)", "coap://user@host/", null, "host|user|/|")]
    [InlineData("no host (RFC 7252 section 6.1)", "coap:///a", null, "||/a|")]
    [InlineData("a fragment (RFC 7252 section 6.4)", "coap://host/#f", null, "host||/|")]
    [InlineData("spaces around it", " coap://host/ ", null, "host||/|")]
    [InlineData("a bracket in a path (RFC 3986 section 3.3)", "coap://host/[", null, "host||/[|")]
    public void Uri_reads_this_otherwise(string difference, string text, string? coap, string? other)
    {
        text = text.Replace("+256", new string('a', 256), StringComparison.Ordinal);
        other = other?.Replace("+256", new string('a', 256), StringComparison.Ordinal);

        Assert.Equal((difference, coap), (difference, CoapUri.TryParse(text, out CoapUri? uri) ? uri.ToString() : null));
        Assert.Equal((difference, other), (difference, Uri.TryCreate(text, UriKind.Absolute, out Uri? system)
            ? $"{system.Authority}|{system.UserInfo}|{system.AbsolutePath}|{system.Query}"
            : null));
        Assert.NotEqual(coap, system?.AbsoluteUri);
    }

    // RFC 7252 section 6.4, step 8; a dot segment may be written with escapes, and a slash in a segment may not separate.
    [Theory]
    [InlineData("coap://host/a/../b")]
    [InlineData("coap://host/a/%2E%2E/b")]
    [InlineData("coap://host/a%2Fb")]
    [InlineData("coap://host//a")]
    [InlineData("coap://host/a/")]
    [InlineData("coap://host/%C3%BC")]
    [InlineData("coap://host/?")]
    [InlineData("coap://host/?a&b=%26")]
    [InlineData("coap://[2001:db8::1]:61616/")]
    [InlineData("coap://HOST/a%41")]
    public void Uri_reads_this_alike(string text) =>
        Assert.Equal(CoapUri.Parse(text).ToString(), new Uri(text).AbsoluteUri);

    // Both are one mechanism: names are mapped and percent-encoding is removed by .NET.
    [Fact]
    public void A_host_name_is_that_which_an_HTTP_client_of_this_program_asks_for()
    {
        const string Host = "grüße.example";
        string? name = CoapUri.TryParse($"coap://{Host}/", out CoapUri? uri) ? uri.Host : null;

        Assert.Equal("u\u0308".Normalize().Length == 1 ? new Uri($"http://{Host}/").IdnHost : null, name);
    }
}
