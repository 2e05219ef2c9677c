using System.Net;
using CoAP.NET.Tests.Options;
using FsCheck;
using FsCheck.Fluent;

namespace CoAP.NET.Tests.Uris;

/// <summary>Parts, normal form, references and round trips of URIs (RFC 7252 section 6, RFC 3986 section 5).</summary>
public sealed class CoapUriTests
{
    [Theory]
    [InlineData("coap", 5683)]
    [InlineData("coaps", 5684)]
    [InlineData("coap+tcp", 5683)]
    [InlineData("coaps+tcp", 5684)]
    [InlineData("coap+ws", 80)]
    [InlineData("coaps+ws", 443)]
    [Rfc("7252-6.1-1", "8323-8.1-1", "8323-8.3-1", "8323-8.4-1")]
    public void Each_scheme_has_its_default_port(string scheme, int port)
    {
        CoapUri uri = CoapUri.Parse($"{scheme.ToUpperInvariant()}://Host");

        Assert.Equal((scheme, "host", port, true), (uri.Scheme, uri.Host, uri.Port, uri.IsDefaultPort));
        Assert.Equal($"{scheme}://host/", uri.ToString());
        Assert.Equal(uri, CoapUri.Parse($"{scheme}://host:{port}/"));
        Assert.False(CoapUri.Parse($"{scheme}://host:1/").IsDefaultPort);
        Assert.Equal($"{scheme}://host:1/", CoapUri.Parse($"{scheme}://host:1").ToString());
    }

    [Fact]
    public void The_parts_of_a_URI_are_decoded()
    {
        CoapUri uri = CoapUri.Parse("coaps://[2001:DB8::1]:61616/a%2Fb/?x=%20&y");

        Assert.Equal("coaps", uri.Scheme);
        Assert.Equal("[2001:db8::1]", uri.Host);
        Assert.Equal(IPAddress.Parse("2001:db8::1"), uri.HostAddress);
        Assert.Equal("[2001:db8::1]:61616", uri.Authority);
        Assert.Equal(["a/b", ""], uri.PathSegments);
        Assert.Equal(["x= ", "y"], uri.QueryArguments);
        Assert.Null(uri.ZoneId);
        Assert.Null(CoapUri.Parse("coap://host").HostAddress);
        Assert.Equal(IPAddress.Parse("192.0.2.1"), CoapUri.Parse("coap://192.0.2.1").HostAddress);
        Assert.Null(CoapUri.Parse("coap://192.0.2").HostAddress);
        Assert.Null(CoapUri.Parse("coap://192.0.2.256").HostAddress);
        Assert.Null(CoapUri.Parse("coap://0x7f.0.0.1").HostAddress);
        Assert.Equal("*", CoapUri.Parse("coap://*:5683").Host);
    }

    [Fact]
    public void Zone_chooses_the_interface()
    {
        CoapUri number = CoapUri.Parse("coap://[fe80::1%257]/x");
        CoapUri name = CoapUri.Parse("coap://[FE80::1%25no-such_interface%2F0]:99/x");

        Assert.Equal(("7", 7L, "[fe80::1]"), (number.ZoneId, number.HostAddress!.ScopeId, number.Host));
        Assert.Equal("coap://[fe80::1%257]/x", number.ToString());
        Assert.Equal(("no-such_interface/0", 0L, "[fe80::1]"), (name.ZoneId, name.HostAddress!.ScopeId, name.Host));
        Assert.Equal("coap://[fe80::1%25no-such_interface%2F0]:99/x", name.ToString());
        Assert.Equal(name, CoapUri.Parse(name.ToString()));
        Assert.NotEqual(number, CoapUri.Parse("coap://[fe80::1]/x"));
    }

    [Fact]
    [Rfc("7252-6.3-1")]
    public void URIs_with_the_same_normal_form_are_equal()
    {
        CoapUri uri = CoapUri.Parse("coap://example.com/~sensors/temp.xml");
        string[] same = ["coap://EXAMPLE.com:5683/%7Esensors/temp.xml", "COAP://example.com:/%7esensors/./temp.xml",
            "coap://example.com/x/../~sensors/temp.xml"];
        string[] other =
        [
            "coaps://example.com:5683/~sensors/temp.xml", "coap://example.org/~sensors/temp.xml", "coap://example.com:1/~sensors/temp.xml",
            "coap://example.com/~Sensors/temp.xml", "coap://example.com/~sensors/temp.xml/", "coap://example.com/~sensors/temp.xml?",
            "coap://example.com/~sensors%2Ftemp.xml",
        ];

        Assert.All(same, text =>
        {
            CoapUri parsed = CoapUri.Parse(text);
            Assert.Equal(uri, parsed);
            Assert.True(uri == parsed);
            Assert.Equal(uri.GetHashCode(), parsed.GetHashCode());
            Assert.Equal("coap://example.com/~sensors/temp.xml", parsed.ToString());
        });
        Assert.All(other, text => Assert.True(uri != CoapUri.Parse(text)));
        Assert.False(uri.Equals(null));
        Assert.False(uri == null);
        Assert.Equal(CoapUri.Parse("coap://host"), CoapUri.Parse("coap://host/"));
        Assert.NotEqual(CoapUri.Parse("coap://host/"), CoapUri.Parse("coap://host/?"));
    }

    // RFC 3986 section 5.4 with a CoAP base; references with fragments are left out, as they name no CoAP resource.
    [Theory]
    [InlineData("coap:g", null)]
    [InlineData("g:h", null)]
    [InlineData("g", "coap://a/b/c/g")]
    [InlineData("./g", "coap://a/b/c/g")]
    [InlineData("g/", "coap://a/b/c/g/")]
    [InlineData("/g", "coap://a/g")]
    [InlineData("//g", "coap://g/")]
    [InlineData("//g:99/x?y", "coap://g:99/x?y")]
    [InlineData("?y", "coap://a/b/c/d;p?y")]
    [InlineData("g?y", "coap://a/b/c/g?y")]
    [InlineData(";x", "coap://a/b/c/;x")]
    [InlineData("g;x=1/./y", "coap://a/b/c/g;x=1/y")]
    [InlineData("g;x=1/../y", "coap://a/b/c/y")]
    [InlineData("", "coap://a/b/c/d;p?q")]
    [InlineData(".", "coap://a/b/c/")]
    [InlineData("./", "coap://a/b/c/")]
    [InlineData("..", "coap://a/b/")]
    [InlineData("../", "coap://a/b/")]
    [InlineData("../g", "coap://a/b/g")]
    [InlineData("../..", "coap://a/")]
    [InlineData("../../", "coap://a/")]
    [InlineData("../../g", "coap://a/g")]
    [InlineData("../../../g", "coap://a/g")]
    [InlineData("/./g", "coap://a/g")]
    [InlineData("/../g", "coap://a/g")]
    [InlineData("g.", "coap://a/b/c/g.")]
    [InlineData("..g", "coap://a/b/c/..g")]
    [InlineData("./../g", "coap://a/b/g")]
    [InlineData("./g/.", "coap://a/b/c/g/")]
    [InlineData("g?y/../x", "coap://a/b/c/g?y/../x")]
    [InlineData("coaps://other/x", "coaps://other/x")]
    [InlineData("#s", null)]
    [InlineData("g#s", null)]
    [InlineData("a b/ü", "coap://a/b/c/a%20b/%C3%BC")]
    [InlineData("a[b", null)]
    [InlineData("//", null)]
    public void Reference_resolves_as_in_rfc_3986(string reference, string? expected)
    {
        CoapUri uri = CoapUri.Parse("coap://a/b/c/d;p?q");

        if (expected is null)
        {
            Assert.Throws<CoapFormatException>(() => uri.Resolve(reference));
            Assert.False(uri.TryResolve(reference, out _, out string? error));
            Assert.NotNull(error);
            return;
        }

        Assert.Equal(expected, uri.Resolve(reference).ToString());
        Assert.True(uri.TryResolve(reference, out CoapUri? resolved, out _));
        Assert.Equal(expected, resolved.ToString());
    }

    [Fact]
    public void Reference_keeps_port_and_zone_of_its_base()
    {
        CoapUri uri = CoapUri.Parse("coap://[fe80::1%257]:99/a//b");

        Assert.Equal("coap://[fe80::1%257]:99/a//c", uri.Resolve("c").ToString());
        Assert.Equal(7L, uri.Resolve("/c").HostAddress!.ScopeId);
        Assert.Equal("coap://host/x", CoapUri.Parse("coap://host").Resolve("x").ToString());
        Assert.False(uri.TryResolve(null, out _, out _));
    }

    [Fact]
    public void Random_options_survive_conversion_to_a_URI_and_back()
    {
        Prop.ForAll(Parts.ToArbitrary(), parts =>
        {
            CoapOptionCollection options = new();
            options.AddUInt(OptionNumber.UriPort, (uint)parts.Port).Add(OptionNumber.UriHost, "host"u8);
            foreach (string segment in parts.Path)
            {
                options.Add(OptionNumber.UriPath, Encoding.UTF8.GetBytes(segment));
            }

            foreach (string argument in parts.Query)
            {
                options.Add(OptionNumber.UriQuery, Encoding.UTF8.GetBytes(argument));
            }

            CoapUri uri = CoapUri.Compose("coap", options, new IPEndPoint(IPAddress.Loopback, 5683));
            CoapUri parsed = CoapUri.Parse(uri.ToString());
            CoapOptionCollection back = new();
            parsed.AddTo(back, IPAddress.Loopback, -1);

            // One empty segment is the one thing that a URI cannot tell from none.
            if (parts.Path is [""])
            {
                options.Remove(OptionNumber.UriPath);
            }

            return parsed == uri && parsed.ToString().All(char.IsAscii) && back.SequenceEqual(options);
        }).Check(OptionCampaign.Config);
    }

    [Fact]
    public void Random_text_is_refused_or_parsed_to_a_stable_URI()
    {
        Gen<string> piece = Gen.Elements("/", "//", ".", "..", "%2e", "%2F", "%", "%41", "a", "B", "?", "&", "#", "@", ":", "[", "]", "::1",
            "%25", "ü", " ", "0", "99", "\u212a", "%C3%BC");
        Prop.ForAll(piece.ListOf().ToArbitrary(), pieces =>
        {
            if (!CoapUri.TryParse("coap://" + string.Concat(pieces), out CoapUri? uri, out string? error))
            {
                return error.Length > 0;
            }

            CoapUri again = CoapUri.Parse(uri.ToString());
            return again == uri && again.ToString() == uri.ToString() && again.Host == uri.Host
                && again.PathSegments.SequenceEqual(uri.PathSegments)
                && again.QueryArguments.SequenceEqual(uri.QueryArguments) && !uri.PathSegments.Any(segment => segment is "." or "..");
        }).Check(OptionCampaign.Config);
    }

    [Fact]
    public void Random_references_resolve_as_System_Uri_resolves_them()
    {
        // A judge of its own for dot segments and merging: System.Uri, on text that it does not change otherwise.
        Gen<string> piece = Gen.Elements("/", ".", "..", "a", "b", "/../", "./", "c/");
        Gen<(string Base, string Reference)> pair = piece.ListOf()
            .Zip(piece.ListOf(), (first, second) => (string.Concat(first), string.Concat(second)));
        Prop.ForAll(pair.ToArbitrary(), texts =>
        {
            if (texts.Reference.StartsWith("//", Ordinal))
            {
                return true;
            }

            CoapUri resolved = CoapUri.Parse("coap://host/" + texts.Base).Resolve(texts.Reference);
            Uri judge = new(new Uri("http://host/" + texts.Base), texts.Reference);
            return resolved.ToString() == "coap" + judge.AbsoluteUri[4..];
        }).Check(OptionCampaign.Config);
    }

    private static Gen<(int Port, string[] Path, string[] Query)> Parts
    {
        get
        {
            Gen<Rune> rune = Gen.OneOf(
                Gen.Choose(0, 0x7f), Gen.Elements((int)'/', '%', '?', '&', '.', '#', ' '), Gen.Choose(0x80, 0xd7ff),
                Gen.Choose(0xe000, 0x10ffff)).Select(value => new Rune(value));
            Gen<string> text = rune.ListOf().Select(runes => string.Concat(runes.Take(60)));
            Gen<string[]> list = text.ListOf().Select(texts => texts.Take(6).ToArray());
            return Gen.Choose(0, 65535)
                .Zip(list.Select(path => path.Where(segment => segment is not ("." or "..")).ToArray()), (port, path) => (port, path))
                .Zip(list, (left, query) => (left.port, left.path, query));
        }
    }

    [Theory]
    [InlineData("coap://example.net:61616/a/b?c", "coap://example.net:61616")]
    [InlineData("coaps+tcp://[2001:db8::1]?c", "coaps+tcp://[2001:db8::1]")]
    [InlineData("coap://example.net#f", "coap://example.net")]
    [InlineData("coap://example.net", "coap://example.net")]
    [InlineData("/a", "")]
    public void The_origin_of_a_URI_ends_before_path_query_and_fragment(string uri, string origin) =>
        Assert.Equal(origin, CoapUri.OriginOf(uri));
}
