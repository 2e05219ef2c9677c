using System.Net;

namespace CoAP.NET.Tests.Uris;

/// <summary>From URI to options (RFC 7252 section 6.4, RFC 8323 section 8.6).</summary>
[Rfc("7252-6.4-1")]
public sealed class UriToOptionsTests
{
    // Options are written H: Uri-Host, O: Uri-Port, P: Uri-Path, Q: Uri-Query, one on each line.
    [Theory]
    [InlineData("UD-01", "coap://example.com:5683/~sensors/temp.xml", "H:example.com|P:~sensors|P:temp.xml")]
    [InlineData("UD-02", "coap://EXAMPLE.com/%7Esensors/temp.xml", "H:example.com|P:~sensors|P:temp.xml")]
    [InlineData("UD-03", "coap://EXAMPLE.com:/%7esensors/temp.xml", "H:example.com|P:~sensors|P:temp.xml")]
    [InlineData("UD-04", "COAP://example.com/~sensors/temp.xml", "H:example.com|P:~sensors|P:temp.xml")]
    [InlineData("UD-05", "coap://[2001:db8::2:1]/", "")]
    [InlineData("UD-06", "coap://[2001:DB8:0:0:0:0:2:1]", "")]
    [InlineData("UD-07", "coap://198.51.100.1:61616//%2F//?%2F%2F&?%26", "P:|P:/|P:|P:|Q://|Q:?&")]
    [InlineData("UD-08", "coap://198.51.100.1:61616//%2F//?//&?%26", "P:|P:/|P:|P:|Q://|Q:?&")]
    [InlineData("UD-09", "coap://host", "H:host")]
    [InlineData("UD-10", "coap://host/", "H:host")]
    [InlineData("UD-11", "coap://host/?", "H:host|Q:")]
    [InlineData("UD-12", "coap://host?", "H:host|Q:")]
    [InlineData("UD-13", "coap://host/a/", "H:host|P:a|P:")]
    [InlineData("UD-14", "coap://host//", "H:host|P:|P:")]
    [InlineData("UD-15", "coap://host///", "H:host|P:|P:|P:")]
    [InlineData("UD-16", "coap://host//a", "H:host|P:|P:a")]
    [InlineData("UD-17", "coap://host/a%2Fb/c", "H:host|P:a/b|P:c")]
    [InlineData("UD-18", "coap://host/%2F", "H:host|P:/")]
    [InlineData("UD-19", "coap://host/a%25b", "H:host|P:a%b")]
    [InlineData("UD-20", "coap://host/a%2525b", "H:host|P:a%25b")]
    [InlineData("UD-21", "coap://host/%C3%BC%e2%82%ac", "H:host|P:ü€")]
    [InlineData("UD-22", "coap://host/a+b?c+d", "H:host|P:a+b|Q:c+d")]
    [InlineData("UD-23", "coap://host/a%20b?c%20d=e%26f", "H:host|P:a b|Q:c d=e&f")]
    [InlineData("UD-24", "coap://host/a:b@c!$&'()*+,;=", "H:host|P:a:b@c!$&'()*+,;=")]
    [InlineData("UD-25", "coap://host/a;v=1,2", "H:host|P:a;v=1,2")]
    [InlineData("UD-26", "coap://host/a?b=1&&c", "H:host|P:a|Q:b=1|Q:|Q:c")]
    [InlineData("UD-27", "coap://host/?&", "H:host|Q:|Q:")]
    [InlineData("UD-28", "coap://host/?a/b?c", "H:host|Q:a/b?c")]
    [InlineData("UD-29", "coap://host/?a=b=c", "H:host|Q:a=b=c")]
    [InlineData("UD-30", "coap://host/a/../b", "H:host|P:b")]
    [InlineData("UD-31", "coap://host/a/./b/.", "H:host|P:a|P:b|P:")]
    [InlineData("UD-32", "coap://host/../../x", "H:host|P:x")]
    [InlineData("UD-33", "coap://host/...", "H:host|P:...")]
    [InlineData("UD-34", "coap://host:05683/", "H:host")]
    [InlineData("UD-35", "coap://h%6Fst/", "H:host")]
    [InlineData("UD-36", "coaps://host/x", "H:host|P:x")]
    [InlineData("UD-37", "coap+tcp://host/x", "H:host|P:x")]
    [InlineData("UD-38", "coaps+tcp://host/x", "H:host|P:x")]
    [InlineData("UD-39", "coap+ws://example.org/sensors/temperature?u=Cel", "H:example.org|P:sensors|P:temperature|Q:u=Cel")]
    [InlineData("UD-40", "coaps+ws://example.org/sensors/temperature?u=Cel", "H:example.org|P:sensors|P:temperature|Q:u=Cel")]
    [InlineData("UD-41", "coap://host/.well-known/core?rt=light-lux", "H:host|P:.well-known|P:core|Q:rt=light-lux")]
    [InlineData("UD-42", "coap://host:61616/x", "H:host|P:x")]
    [InlineData("UF-14", "coap://host/%2e%2e/x", "H:host|P:x")]
    [InlineData("dots at the end", "coap://host/a/b/..", "H:host|P:a|P:")]
    [InlineData("dots to the root", "coap://host/a/..", "H:host")]
    [InlineData("dots and empty segments", "coap://host/a//../b", "H:host|P:a|P:b")]
    [InlineData("a single dot", "coap://host/.", "H:host")]
    [InlineData("dots half escaped", "coap://host/a/%2E./b", "H:host|P:b")]
    [InlineData("dots escaped twice", "coap://host/%252e%252e/x", "H:host|P:%2e%2e|P:x")]
    [InlineData("port 0", "coap://host:0/", "H:host")]
    [InlineData("a name like an address", "coap://198.051.100.1/", "H:198.051.100.1")]
    [InlineData("lower case comes before decoding", "coap://h%4Fst/", "H:hOst")]
    public void A_URI_decomposes_into_the_expected_options(string row, string uri, string options)
    {
        CoapUri parsed = CoapUri.Parse(uri);
        IPAddress destination = parsed.HostAddress ?? IPAddress.Parse("192.0.2.7");

        Assert.Equal((row, options), (row, OptionsOf(parsed, destination, parsed.Port)));
        Assert.Equal((row, options), (row, OptionsOf(parsed, null, null)));
    }

    [Theory]
    [InlineData("UD-43", "coap://host:61616/x", 5683, "H:host|O:f0b0|P:x")]
    [InlineData("UD-44", "coap://host/x", 61616, "H:host|O:1633|P:x")]
    [InlineData("default", "coaps://host/x", 5683, "H:host|O:1634|P:x")]
    public void Uri_Port_is_sent_when_the_port_differs_from_the_destination_port(
        string row, string uri, int destinationPort, string options) =>
        Assert.Equal((row, options), (row, OptionsOf(CoapUri.Parse(uri), IPAddress.Loopback, destinationPort)));

    [Theory]
    [InlineData("coap://192.0.2.1/", "192.0.2.1", "")]
    [InlineData("coap://192.0.2.1/", "::ffff:192.0.2.1", "")]
    [InlineData("coap://192.0.2.1/", "192.0.2.2", "H:192.0.2.1")]
    [InlineData("coap://[2001:db8:0::1]/", "2001:db8::1", "")]
    [InlineData("coap://[2001:DB8:0::1]/", "2001:db8::2", "H:[2001:db8::1]")]
    [InlineData("coap://[fe80::1%25eth0]/", "fe80::1%7", "")]
    [InlineData("coap://[fe80::1%25eth0]/", "fe80::2", "H:[fe80::1]")]
    [InlineData("coap://[::ffff:192.0.2.1]/", "192.0.2.1", "")]
    [Rfc("7252-5.4.4-1", "7252-5.10.1-2")]
    public void An_IP_literal_is_sent_as_Uri_Host_only_to_another_address_and_without_its_zone(
        string uri, string destination, string options) =>
        Assert.Equal(options, OptionsOf(CoapUri.Parse(uri), IPAddress.Parse(destination), 5683));

    [Theory]
    [InlineData("%3F")]
    [InlineData("a%2Fb")]
    [InlineData("a%40b")]
    [InlineData("a%25b")]
    [InlineData("a%3A1")]
    [InlineData("%5B%3A%3A1%5D")]
    [InlineData("a%00")]
    [Rfc("7252-6.5-1")]
    public void A_host_that_Uri_Host_cannot_carry_is_refused(string host)
    {
        // The options would name no URI any more (RFC 7252 section 6.5, step 2).
        Assert.False(CoapUri.TryParse($"coap://{host}/", out _, out string? error));
        error.Mentions("Uri-Host");
    }

    [Fact]
    public void An_unpaired_surrogate_is_refused_with_its_position()
    {
        Assert.Equal(13, Assert.Throws<CoapFormatException>(() => CoapUri.Parse("coap://host/a" + (char)0xd83d)).Position);
        Assert.Equal(12, Assert.Throws<CoapFormatException>(() => CoapUri.Parse("coap://host/" + (char)0xde00 + "b")).Position);
    }

    [Fact]
    public void A_segment_has_255_bytes_of_UTF_8_at_most()
    {
        Assert.Single(CoapUri.Parse("coap://host/" + new string('ü', 127)).PathSegments);
        CoapFormatException error = Assert.Throws<CoapFormatException>(() => CoapUri.Parse("coap://host/" + new string('ü', 128)));
        error.Mentions("too long");
    }

    // RFC 3987 section 3.1. The URI is what a browser would make of it.
    [Theory]
    [InlineData("coap://host/grün/x y", "H:host|P:grün|P:x y", "coap://host/gr%C3%BCn/x%20y")]
    [InlineData("coap://host/gr%C3%BCn/x%20y", "H:host|P:grün|P:x y", "coap://host/gr%C3%BCn/x%20y")]
    [InlineData("coap://host/%25ü%2F€?q=ü & b", "H:host|P:%ü/€|Q:q=ü |Q: b", "coap://host/%25%C3%BC%2F%E2%82%AC?q=%C3%BC%20&%20b")]
    [InlineData("coap://host/こんにちは/\ud83d\ude00", "H:host|P:こんにちは|P:\ud83d\ude00",
        "coap://host/%E3%81%93%E3%82%93%E3%81%AB%E3%81%A1%E3%81%AF/%F0%9F%98%80")]
    [InlineData("coap://host/{a}\"<b>|\\^`", "H:host|P:{a}\"<b>|\\^`", "coap://host/%7Ba%7D%22%3Cb%3E%7C%5C%5E%60")]
    public void An_iri_is_mapped_to_its_uri(string iri, string options, string uri)
    {
        CoapUri parsed = CoapUri.Parse(iri);

        Assert.Equal(options, OptionsOf(parsed, null, null));
        Assert.Equal(uri, parsed.ToString());
        Assert.Equal(parsed, CoapUri.Parse(uri));
    }

    // CI runs this class without ICU too. There .NET neither maps nor composes letters: the name would be that of another host.
    [Theory]
    [InlineData("bücher.example", "xn--bcher-kva.example")]
    [InlineData("BÜCHER.Example", "xn--bcher-kva.example")]
    [InlineData("b\u00fc\u00adch\u200ber.example", "xn--bcher-kva.example")]
    [InlineData("bücher\u3002example", "xn--bcher-kva.example")]
    [InlineData("bu\u0308cher.example", "xn--bcher-kva.example")]
    [InlineData("\uff42\u00fccher.example", "xn--bcher-kva.example")]
    [InlineData("straße.example", "xn--strae-oqa.example")]
    [InlineData("ΒΌΛΟς.example", "xn--nxasmm1c.example")]
    [InlineData("Почта.example", "xn--80a1acny.example")]
    [InlineData("☃.example", "xn--n3h.example")]
    [InlineData("例え.example", "xn--r8jz45g.example")]
    public void An_internationalized_host_name_is_converted_to_its_DNS_name_or_refused_without_ICU(string name, string ascii)
    {
        bool isParsed = CoapUri.TryParse($"coap://{name}/", out CoapUri? uri, out string? error);

        Assert.Equal(HasIcu, isParsed);
        Assert.Equal(isParsed ? ascii : null, uri?.Host);
        (error ?? "").Mentions(isParsed ? "" : "xn--");
    }

    [Theory]
    [InlineData("\u202e")]
    [InlineData("\ue000")]
    [InlineData("\u0378")]
    [InlineData("\u2028")]
    [InlineData("\ud800")]
    [InlineData("\u0085")]
    public void A_name_with_a_character_that_no_name_has_is_refused(string character) =>
        Assert.False(CoapUri.TryParse($"coap://ü{character}.example/", out _));

    [Fact]
    public void A_host_with_escaped_digits_is_an_IP_address() =>
        Assert.Equal(IPAddress.Parse("192.0.2.1"), CoapUri.Parse("coap://%3192.0.2.%31/").HostAddress);

    [Theory]
    [InlineData("UF-01", "/relative", 0, "no scheme")]
    [InlineData("UF-02", "http://host/", 0, "'http' is not a CoAP scheme")]
    [InlineData("UF-03", "coap:///x", 7, "host is missing")]
    [InlineData("UF-04", "coap://:5683/x", 7, "host is missing")]
    [InlineData("UF-05", "coap:host/x", 5, "host is missing")]
    [InlineData("UF-06", "coap://host/#frag", 12, "fragment")]
    [InlineData("UF-07", "coap://user@host/", 7, "user information")]
    [InlineData("UF-08", "coap://host:65536/", 12, "0 to 65535")]
    [InlineData("UF-09", "coap://host/%zz", 12, "%25")]
    [InlineData("UF-10", "coap://host/%4", 12, "%25")]
    [InlineData("empty", "", 0, "no scheme")]
    [InlineData("only a scheme", "coap:", 5, "host is missing")]
    [InlineData("only slashes", "coap://", 7, "host is missing")]
    [InlineData("fragment at the host", "coap://host#x", 11, "fragment")]
    [InlineData("huge port", "coap://host:99999999999999999999/", 12, "0 to 65535")]
    [InlineData("port with a sign", "coap://host:+1/", 11, "decimal")]
    [InlineData("address without brackets", "coap://2001:db8::1/", 11, "brackets")]
    [InlineData("bracket not closed", "coap://[2001:db8::1/", 7, "closing bracket")]
    [InlineData("text behind the bracket", "coap://[::1]x/", 12, "decimal")]
    [InlineData("no address in brackets", "coap://[bad]/", 7, "not an IPv6 address")]
    [InlineData("future literal", "coap://[v1.x]/", 7, "not an IPv6 address")]
    [InlineData("IPv4 in brackets", "coap://[192.0.2.1]/", 7, "not an IPv6 address")]
    [InlineData("prefix", "coap://[2001:db8::/32]/", 7, "closing bracket")]
    [InlineData("octal in IPv6", "coap://[::ffff:192.0.2.010]/", 7, "not an IPv6 address")]
    [InlineData("bare zone", "coap://[fe80::1%eth0]/", 15, "%25")]
    [InlineData("empty zone", "coap://[fe80::1%25]/", 15, "%25")]
    [InlineData("space in host", "coap://a b/", 8, "%20")]
    [InlineData("no name of the DNS", "coap://ü..example/", 7, "xn--")]
    [InlineData("nothing but a soft hyphen", "coap://\u00ad/", 7, "xn--")]
    [InlineData("control character beyond ASCII", "coap://host/\u0085", 12, "control")]
    [InlineData("escape in an IRI", "coap://host/ü%zz", 13, "%25")]
    [InlineData("backslash", "coap://host\\x", 11, "%5C")]
    [InlineData("bracket in path", "coap://host/[x]", 12, "%5B")]
    [InlineData("bracket in query", "coap://host/?[x]", 13, "%5B")]
    [InlineData("not UTF-8", "coap://host/%ff", 12, "UTF-8")]
    [InlineData("overlong UTF-8", "coap://host/%c0%ae%c0%ae/x", 12, "UTF-8")]
    [InlineData("null character", "coap://host/\0", 12, "U+0000")]
    public void Text_that_is_no_coap_uri_is_refused_with_place_and_advice(string row, string uri, int position, string advice)
    {
        CoapFormatException exception = Assert.Throws<CoapFormatException>(() => CoapUri.Parse(uri));

        Assert.Equal((row, position), (row, exception.Position));
        exception.Mentions(advice);
        Assert.False(CoapUri.TryParse(uri, out CoapUri? parsed, out string? error));
        Assert.Null(parsed);
        Assert.Equal(exception.Message, error);
    }

    [Fact]
    public void UF_13_parts_longer_than_their_options_are_refused()
    {
        string longest = new('a', 255);
        Assert.Equal(longest, CoapUri.Parse($"coap://{longest}/{longest}?{longest}").PathSegments[0]);

        foreach (string uri in (string[])[$"coap://host/{longest}a", $"coap://host/?{longest}a", $"coap://{longest}a/",
            "coap://host/" + string.Concat(Enumerable.Repeat("%C3%BC", 128))])
        {
            Assert.Throws<CoapFormatException>(() => CoapUri.Parse(uri)).Mentions("at most 255");
        }
    }

    [Fact]
    public void Null_is_no_uri()
    {
        Assert.Throws<ArgumentNullException>(() => CoapUri.Parse(null!));
        Assert.False(CoapUri.TryParse(null, out _));
        Assert.False(CoapUri.TryParse(null, out _, out string? error));
        Assert.NotNull(error);
    }

    private static bool HasIcu => "u\u0308".Normalize().Length == 1;

    private static string OptionsOf(CoapUri uri, IPAddress? destination, int? port)
    {
        CoapOptionCollection options = new();
        uri.AddTo(options, destination, port);
        return string.Join('|', options.Select(option => option switch
        {
            UriHostOption host => $"H:{host.Value}",
            UriPortOption other => $"O:{Wire.Hex(other.ToValueArray())}",
            UriPathOption segment => $"P:{segment.Value}",
            UriQueryOption argument => $"Q:{argument.Value}",
            _ => option.ToString(),
        }));
    }
}
