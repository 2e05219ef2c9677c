using System.Net;

namespace CoAP.NET.Tests.Uris;

/// <summary>From options to URI (RFC 7252 section 6.5 and appendix B).</summary>
[Rfc("7252-6.5-1")]
public sealed class OptionsToUriTests
{
    // Options are written H: Uri-Host, O: Uri-Port, P: Uri-Path, Q: Uri-Query, separated by bars.
    [Theory]
    [InlineData("UC-01", "coap", "[2001:db8::2:1]:5683", "", "coap://[2001:db8::2:1]/")]
    [InlineData("UC-02", "coap", "[2001:db8::2:1]:5683", "H:example.net", "coap://example.net/")]
    [InlineData("UC-03", "coap", "[2001:db8::2:1]:5683", "H:example.net|P:.well-known|P:core", "coap://example.net/.well-known/core")]
    [InlineData("UC-04", "coap", "[2001:db8::2:1]:5683", "H:xn--18j4d.example|P:こんにちは",
        "coap://xn--18j4d.example/%E3%81%93%E3%82%93%E3%81%AB%E3%81%A1%E3%81%AF")]
    [InlineData("UC-05", "coap", "198.51.100.1:61616", "P:|P:/|P:|P:|Q://|Q:?&", "coap://198.51.100.1:61616//%2F//?//&?%26")]
    [InlineData("UC-06", "coap", "[2001:db8:0:0:0:0:2:1]:5683", "", "coap://[2001:db8::2:1]/")]
    [InlineData("UC-07", "coap", "198.51.100.1:5683", "P:", "coap://198.51.100.1/")]
    [InlineData("UC-08", "coap", "198.51.100.1:5683", "P:|P:", "coap://198.51.100.1//")]
    [InlineData("UC-09", "coap", "198.51.100.1:5683", "P:a|P:", "coap://198.51.100.1/a/")]
    [InlineData("UC-10", "coap", "198.51.100.1:5683", "P:a/b|P:c%d", "coap://198.51.100.1/a%2Fb/c%25d")]
    [InlineData("UC-11", "coap", "198.51.100.1:5683", "P:ü €", "coap://198.51.100.1/%C3%BC%20%E2%82%AC")]
    [InlineData("UC-12", "coap", "198.51.100.1:5683", "P:-._~!$&'()*+,;=:@", "coap://198.51.100.1/-._~!$&'()*+,;=:@")]
    [InlineData("UC-14", "coap", "198.51.100.1:5683", "Q:a&b|Q:c=/?:@!$'()*+,;", "coap://198.51.100.1/?a%26b&c=/?:@!$'()*+,;")]
    [InlineData("UC-15", "coap", "198.51.100.1:5683", "Q:", "coap://198.51.100.1/?")]
    [InlineData("UC-16", "coap", "198.51.100.1:5683", "Q:|Q:", "coap://198.51.100.1/?&")]
    [InlineData("UC-17", "coap", "198.51.100.1:5683", "O:f0b0|P:x", "coap://198.51.100.1:61616/x")]
    [InlineData("UC-18", "coap", "198.51.100.1:61616", "O:1633|P:x", "coap://198.51.100.1/x")]
    [InlineData("UC-19", "coaps", "198.51.100.1:5684", "P:x", "coaps://198.51.100.1/x")]
    [InlineData("UC-20", "coap", "198.51.100.1:5684", "P:x", "coap://198.51.100.1:5684/x")]
    [InlineData("UC-21", "coap", "[2001:db8::1]:5683", "H:[2001:db8::9]|P:x", "coap://[2001:db8::9]/x")]
    [InlineData("UC-22", "coap", "198.51.100.1:5683", "H:bücher", "coap://b%C3%BCcher/")]
    [InlineData("UC-23", "coap+tcp", "198.51.100.1:5683", "P:x", "coap+tcp://198.51.100.1/x")]
    [InlineData("UC-24", "coaps+ws", "198.51.100.1:443", "H:example.org|P:x", "coaps+ws://example.org/x")]
    [InlineData("mapped", "coap", "[::ffff:198.51.100.1]:5683", "P:x", "coap://198.51.100.1/x")]
    [InlineData("no zone", "coap", "[fe80::1%7]:5683", "P:x", "coap://[fe80::1]/x")]
    [InlineData("upper case", "COAP", "198.51.100.1:5683", "H:EXAMPLE.net", "coap://example.net/")]
    [InlineData("Uri-Host IPv4", "coap", "198.51.100.1:5683", "H:192.0.2.1", "coap://192.0.2.1/")]
    public void Options_give_this_uri(string row, string scheme, string destination, string options, string uri)
    {
        CoapMessage request = Request(options);
        IPEndPoint endpoint = IPEndPoint.Parse(destination);

        Assert.Equal((row, uri), (row, CoapUri.Compose(scheme, request.Options, endpoint).ToString()));
        Assert.Equal((row, uri), (row, CoapUri.ComposeRequestUri(request, scheme, CoapAddress.FromIPEndPoint(endpoint))));
    }

    [Fact]
    public void UC_13_delimiters_and_the_rest_of_ascii_are_escaped()
    {
        CoapOptionCollection options = new();
        options.Add(OptionNumber.UriPath, Wire.Hex("5b5d7c223c3e233f5c5e607b7d"));

        Assert.Equal("coap://198.51.100.1/%5B%5D%7C%22%3C%3E%23%3F%5C%5E%60%7B%7D",
            CoapUri.Compose("coap", options, IPEndPoint.Parse("198.51.100.1:5683")).ToString());
    }

    [Fact]
    public void A_Uri_Host_with_an_IPv6_address_without_brackets_is_an_IPv6_address() => Assert.Equal(
        "coap://[2001:db8::9]/",
        CoapUri.Compose("coap", Request("H:2001:db8::9").Options, IPEndPoint.Parse("198.51.100.1:5683")).ToString());

    [Theory]
    [InlineData("H:fe80::1%eth0")]
    [InlineData("H:a b")]
    [InlineData("H:a/b")]
    [InlineData("H:[bad]")]
    [InlineData("H:host:80")]
    [InlineData("H:user@host")]
    [InlineData("H:host?x")]
    [InlineData("H:host#x")]
    [InlineData("H:[::1]:80")]
    [InlineData("H:[fe80::1%25eth0]")]
    [InlineData("H:%zz")]
    [InlineData("P:a|P:..")]
    [InlineData("P:.")]
    public void Options_that_do_not_form_a_URI_are_refused(string options)
    {
        CoapOptionCollection collection = Request(options).Options;
        IPEndPoint endpoint = IPEndPoint.Parse("198.51.100.1:5683");

        Assert.Throws<CoapFormatException>(() => CoapUri.Compose("coap", collection, endpoint));
        Assert.False(CoapUri.TryCompose("coap", collection, endpoint, out CoapUri? uri, out string? error));
        Assert.Null(uri);
        error.Begins("The options of the request do not form a URI");
    }

    [Theory]
    [InlineData(3, "ff")]
    [InlineData(3, "")]
    [InlineData(11, "ff")]
    [InlineData(15, "c0ae")]
    public void Bytes_that_no_uri_can_express_are_refused(int number, string value)
    {
        CoapOptionCollection options = new();
        options.Add(number, Wire.Hex(value));

        Assert.False(CoapUri.TryCompose("coap", options, IPEndPoint.Parse("198.51.100.1:5683"), out _, out _));
    }

    [Fact]
    public void Composing_a_URI_refuses_a_scheme_that_is_not_CoAP() =>
        Assert.Throws<CoapFormatException>(() => CoapUri.Compose("http", new CoapOptionCollection(), IPEndPoint.Parse("198.51.100.1:80")));

    [Fact]
    [Rfc("7252-5.10.2-3")]
    public void Proxy_Scheme_replaces_the_scheme()
    {
        CoapMessage request = Request("H:h|P:x");
        request.Options.Add(new ProxySchemeOption("http"));

        Assert.Equal("http://h/x", CoapUri.ComposeRequestUri(request, "coap", IPEndPoint.Parse("198.51.100.1:5683")));
    }

    [Theory]
    [InlineData("coaps", 5699, 5684, "coap", "coap://h:5684/x")]
    [InlineData("coap", 5690, 5683, "http", "http://h:5683/x")]
    [InlineData("coap", 5690, 5683, "coap+tcp", "coap+tcp://h/x")]
    [InlineData("coap", 5683, null, "coaps", "coaps://h/x")]
    [InlineData("coap", 5683, 80, "http", "http://h:80/x")]
    public void An_explicit_or_non_default_port_is_handled_when_Proxy_Scheme_replaces_the_scheme(
        string scheme, int port, int? named, string proxyScheme, string expected)
    {
        CoapMessage request = Request("H:h|P:x");
        request.Options.Add(new ProxySchemeOption(proxyScheme));
        if (named is { } value)
        {
            request.Options.Add(new UriPortOption(value));
        }

        Assert.Equal(expected, CoapUri.ComposeRequestUri(request, scheme, new IPEndPoint(IPAddress.Loopback, port)));
    }

    [Fact]
    [Rfc("7252-5.10.2-2")]
    public void Proxy_Uri_takes_precedence_over_the_other_options()
    {
        CoapMessage request = Request("H:h|P:x");
        request.Options.Add(new ProxyUriOption("http://other/")).Add(new ProxySchemeOption("coap"));

        Assert.Equal("http://other/", CoapUri.ComposeRequestUri(request, "coap", IPEndPoint.Parse("198.51.100.1:5683")));
    }

    private static CoapMessage Request(string options)
    {
        CoapMessage request = new(CoapCode.Get);
        foreach (string option in options.Split('|', StringSplitOptions.RemoveEmptyEntries))
        {
            string text = option[2..];
            byte[] value = option[0] == 'O' ? Wire.Hex(text) : Encoding.UTF8.GetBytes(text);
            request.Options.Add(option[0] switch { 'H' => 3, 'O' => 7, 'P' => 11, _ => 15 }, value);
        }

        return request;
    }
}
