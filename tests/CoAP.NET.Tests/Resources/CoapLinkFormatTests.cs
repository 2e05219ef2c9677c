namespace CoAP.NET.Tests.Resources;

public class CoapLinkFormatTests
{
    [Theory]
    [Rfc("6690-4-1")]
    [InlineData("", "")] // LF-01
    // LF-02
    [InlineData("</sensors/temp>;if=\"sensor\",</sensors/light>;if=\"sensor\"", "/sensors/temp|if=sensor & /sensors/light|if=sensor")]
    [InlineData("</sensors>;ct=40", "/sensors|ct=40")] // LF-03
    // LF-04
    [InlineData("</sensors/temp>;rt=\"temperature-c\";if=\"sensor\",</sensors/light>;rt=\"light-lux\";if=\"sensor\"",
        "/sensors/temp|rt=temperature-c|if=sensor & /sensors/light|rt=light-lux|if=sensor")]
    [InlineData("</firmware/v2.1>;rt=\"firmware\";sz=262144", "/firmware/v2.1|rt=firmware|sz=262144")] // LF-07
    [InlineData("</a>;title=\"x,y;z\",</b>", "/a|title=x,y;z & /b")] // LF-08
    [InlineData("</a>;title=\"say \\\"hi\\\" \\\\ end\"", "/a|title=say \"hi\" \\ end")] // LF-09
    [InlineData("</a;v=1,2>;ct=0,</b>", "/a;v=1,2|ct=0 & /b")] // LF-10
    [InlineData("</a>;rt=temperature-c;if=sensor", "/a|rt=temperature-c|if=sensor")] // LF-11
    [InlineData("</a>;obs;rt=\"x\"", "/a|obs|rt=x")] // LF-12
    [InlineData("</a>;obs=1;obs", "/a|obs=1")] // LF-13
    [InlineData("</a>;ct=0;ct=40", "/a|ct=0")] // LF-15
    [InlineData("</a>;rt=\"x\";rt=\"y\"", "/a|rt=x")] // LF-16
    [InlineData("<>;rel=\"self\"", "|rel=self")] // LF-19
    [InlineData("</a>;foo=a/b:c?d@e[f]<g>h=i", "/a|foo=a/b:c?d@e[f]<g>h=i")] // LF-21
    [InlineData("<coap://[2001:db8::1]/x>;rt=y", "coap://[2001:db8::1]/x|rt=y")] // LF-22
    [InlineData("</a>;type=text/plain;media=all;hreflang=en", "/a|type=text/plain|media=all|hreflang=en")] // LF-24
    [InlineData("</a>;ep=\"node1\";d=\"\";base=\"coap://h\"", "/a|ep=node1|d=|base=coap://h")] // LF-25
    [InlineData("</a>,\n </b>", "/a & /b")] // LF-26
    [InlineData("</a>;rt=\"x\"\r\n", "/a|rt=x")]
    [InlineData("</a>;href=/b;rt=x", "/a|rt=x")]
    public void A_link_format_document_is_parsed(string document, string expected)
    {
        Assert.Equal(expected, Show(CoapLinkFormat.Parse(document)));
        Assert.Equal(expected, Show(CoapLinkFormat.Parse(Encoding.UTF8.GetBytes(document))));
    }

    [Fact]
    [Rfc("6690-2-1")]
    public void Commas_and_semicolons_inside_targets_and_quoted_strings_do_not_separate() // LF-08, LF-10
    {
        IReadOnlyList<CoapLink> links = CoapLinkFormat.Parse("</a;v=1,2>;title=\"x,y;z\",</b>");
        Assert.Equal(["/a;v=1,2", "/b"], links.Select(link => link.Target));
        Assert.Equal("x,y;z", links[0].Title);
    }

    [Fact]
    [Rfc("6690-2.2-1", "6690-3-1")]
    public void Typed_attributes_are_split_at_spaces() // LF-02, LF-05, LF-14, LF-23
    {
        CoapLink light =
            CoapLinkFormat.Parse("</sensors/light>;rt=\"light-lux core.sen-light\";if=\"sensor\";ct=\"0 40 60 nonsense 70000\"").Single();
        Assert.Equal(["light-lux", "core.sen-light"], light.ResourceTypes);
        Assert.Equal(["sensor"], light.Interfaces);
        Assert.Equal([CoapContentFormat.TextPlain, CoapContentFormat.LinkFormat, CoapContentFormat.Cbor], light.ContentFormats);
        Assert.Equal(["hosts"], light.Relations);
        Assert.Equal(["x", "y"], CoapLinkFormat.Parse("</a>;anchor=\"coap://h/b\";rel=\"x y\"").Single().Relations);
        Assert.False(light.IsObservable);
        Assert.True(CoapLinkFormat.Parse("</a>;obs=1;obs").Single().IsObservable);
    }

    [Fact]
    [Rfc("6690-2.1-1", "6690-2.3-1")]
    public void The_example_of_RFC_6690_gives_five_links_with_their_contexts() // LF-06, LF-22
    {
        IReadOnlyList<CoapLink> links = CoapLinkFormat.Parse(
            "</sensors>;ct=40;title=\"Sensor "
                + "Index\",</sensors/temp>;rt=\"temperature-c\";if=\"sensor\",</sensors/light>;rt=\"light-lux\";if=\"sensor\","
            + "<http://www.example.com/sensors/t123>;anchor=\"/sensors/temp\";rel=\"describedby\",</t>;anchor=\"/sensors/temp\";rel=\"alternate\"");
        const string Base = "coap://[2001:db8::1]/.well-known/core";
        Assert.Equal(5, links.Count);
        Assert.Equal("Sensor Index", links[0].Title);
        Assert.Equal("coap://[2001:db8::1]", links[0].ResolveContext(Base));
        Assert.Equal("coap://[2001:db8::1]/sensors", links[0].ResolveTarget(Base));
        Assert.Null(links[2].Anchor);
        Assert.Equal("/sensors/temp", links[3].Anchor);
        Assert.Equal("coap://[2001:db8::1]/sensors/temp", links[3].ResolveContext(Base));
        Assert.Equal("http://www.example.com/sensors/t123", links[3].ResolveTarget(Base));
        Assert.Equal(["describedby"], links[3].Relations);
        Assert.Equal("coap://[2001:db8::1]",
            CoapLinkFormat.Parse("<coap://[2001:db8::1]/x>;rt=y").Single().ResolveContext("coap://other/"));
    }

    [Fact]
    [Rfc("6690-2-3")]
    public void A_link_format_document_is_read_as_UTF_8_and_percent_escapes_are_kept() // LF-17
    {
        byte[] raw = Wire.Hex("3c 2f 4d 61 6c 6d c3 b6 2f 25 34 31 3e 3b 74 69 74 6c 65 3d 22 c3 b6 22");
        CoapLink link = CoapLinkFormat.Parse(raw).Single();
        Assert.Equal("/Malm\u00f6/%41", link.Target);
        Assert.Equal("\u00f6", link.Title);
        Assert.Equal(raw, CoapLinkFormat.ToContent([link]).Bytes.ToArray());
    }

    [Theory]
    [InlineData("</a>;title*=UTF-8'en'%e2%82%ac", "\u20ac")] // LF-18
    [InlineData("</a>;title=plain;title*=utf-8''%e2%82%ac", "\u20ac")]
    [InlineData("</a>;title*=ISO-8859-1''%A3", "\u00a3")]
    [InlineData("</a>;title=plain;title*=UTF-8'en'%zz", "plain")]
    [InlineData("</a>;title=plain;title*=KOI8-R''%A3", "plain")]
    [InlineData("</a>;title=plain;title*=nothing", "plain")]
    public void An_extended_title_is_decoded_and_preferred_unless_it_cannot_be_decoded(string document, string title) =>
        Assert.Equal(title, CoapLinkFormat.Parse(document).Single().Title);

    [Theory]
    [Rfc("6690-3.3-2")]
    [InlineData("</a>;sz=0", 0L)]
    [InlineData("</a>;sz=262144", 262144L)]
    [InlineData("</a>;sz=99999999999999999999999", long.MaxValue)] // LF-20
    [InlineData("</a>;sz=big", null)]
    [InlineData("</a>;sz=\"\"", null)]
    [InlineData("</a>", null)]
    public void A_size_attribute_that_is_not_a_number_is_null_and_a_too_large_size_is_the_maximum(string document, long? size) =>
        Assert.Equal(size, CoapLinkFormat.Parse(document).Single().Size);

    [Theory]
    [Rfc("6690-2-1")]
    [InlineData("</a", 3)] // LF-E1
    [InlineData("</a>;", 5)] // LF-E2
    [InlineData("</a>,", 5)] // LF-E3
    [InlineData("/a;rt=x", 0)] // LF-E4
    [InlineData("</a>;rt=\"x", 8)] // LF-E5
    [InlineData("</a>;=x", 5)] // LF-E6
    [InlineData("</a>;rt=", 8)] // LF-E7
    [InlineData("</a>;title*", 11)]
    [InlineData("</a>;title*=\"x\"", 12)]
    [InlineData("</a>;rt=\"x\\", 8)]
    [InlineData("</a>;rt=\"x\"y", 11)]
    [InlineData("</a></b>", 4)]
    [InlineData("</a;rt=x,</b>", 9)]
    [InlineData("</a>;rt=\"\u0001\"", 9)]
    [InlineData("</a b>", 3)]
    [InlineData("</a ;rt=x", 3)]
    [InlineData("</a\",</b>", 3)]
    [InlineData("</a<", 3)]
    public void A_malformed_link_format_document_is_refused_with_the_offset_of_the_error(string document, int offset)
    {
        Assert.False(CoapLinkFormat.TryParse(document, out IReadOnlyList<CoapLink> links, out CoapContentSyntaxError error));
        Assert.Empty(links);
        Assert.Equal(offset, error.Offset);
        Assert.Equal(offset, Assert.Throws<CoapFormatException>(() => CoapLinkFormat.Parse(document)).Position);
    }

    [Fact]
    public void The_error_offset_of_a_UTF_8_document_is_counted_in_bytes()
    {
        Assert.False(CoapLinkFormat.TryParse("</\u00f6>;"u8, out _, out CoapContentSyntaxError error));
        Assert.Equal(6, error.Offset);
        Assert.False(CoapLinkFormat.TryParse(Wire.Hex("3c 2f 61 ff 3e"), out _, out error));
        Assert.Equal(3, error.Offset);
    }

    [Fact]
    public void A_document_with_more_links_than_maxLinks_is_refused()
    {
        string document = string.Join(',', Enumerable.Range(0, 11).Select(i => $"</{i}>"));
        Assert.Equal(11, CoapLinkFormat.Parse(document, maxLinks: 11).Count);
        Assert.False(CoapLinkFormat.TryParse(document, out _, out CoapContentSyntaxError error, maxLinks: 10));
        error.Message.Mentions("10");
    }

    [Fact]
    public void A_link_with_many_repeated_attributes_is_read_in_linear_time()
    {
        // With a search for each repetition this would take minutes.
        string document = "</a>" + string.Concat(Enumerable.Repeat(";a", 100_000)) + string.Concat(Enumerable.Repeat(";rt=x", 200_000));
        Assert.Equal(100_001, CoapLinkFormat.Parse(document).Single().Attributes.Count);
    }

    [Theory]
    [InlineData("</a>;ct=40;sz=7;rt=\"x\";if=\"s\";obs;title=\"say \\\"hi\\\" \\\\ end\",</b>")]
    [InlineData("</a>;ct=\"0 40\";hreflang=en;title*=UTF-8'en'%e2%82%ac;d=\"\"")]
    [InlineData("<>;rel=\"self\"")]
    [InlineData("")]
    public void A_document_that_was_read_is_written_unchanged(string document) =>
        Assert.Equal(document, CoapLinkFormat.Format(CoapLinkFormat.Parse(document)));

    [Fact]
    [Rfc("6690-2-2", "6690-3.1-1", "7252-7.2.1-1")]
    public void An_invalid_link_or_link_attribute_is_refused()
    {
        Assert.Throws<ArgumentException>(() => new CoapLinkAttribute("href", "/x"));
        Assert.Throws<ArgumentException>(() => new CoapLinkAttribute("a b"));
        Assert.Throws<ArgumentException>(() => new CoapLinkAttribute(""));
        Assert.Throws<ArgumentException>(() => new CoapLinkAttribute("title*", "no token"));
        Assert.Throws<ArgumentException>(() => new CoapLinkAttribute("title", "\0"));
        Assert.Throws<ArgumentException>(() => new CoapLink("/a b"));
        foreach (string name in new[] { "rt", "if", "sz", "ct" })
        {
            Assert.Throws<ArgumentException>(() => new CoapLink("/a", new CoapLinkAttribute(name, "1"), new CoapLinkAttribute(name, "2")));
        }

        CoapLink link = new CoapLink("/a", new CoapLinkAttribute("rt", "x")).With("RT", "y").With("obs");
        Assert.Equal("</a>;RT=\"y\";obs", link.ToString());
    }

    [Fact]
    public void Random_bytes_never_make_the_reader_throw()
    {
        CoAP.NET.Testing.VirtualRandom random = new(42);
        byte[] alphabet = "<>/ab;=,\"\\ *'%\n\u00f6"u8.ToArray();
        for (int i = 0; i < 20_000; i++)
        {
            byte[] document = new byte[(int)(random.NextUInt64() % 24)];
            for (int j = 0; j < document.Length; j++)
            {
                document[j] = alphabet[(int)(random.NextUInt64() % (ulong)alphabet.Length)];
            }

            if (CoapLinkFormat.TryParse(document, out IReadOnlyList<CoapLink> links, out CoapContentSyntaxError error))
            {
                Assert.Equal(Show(links), Show(CoapLinkFormat.Parse(CoapLinkFormat.Format(links))));
            }
            else
            {
                Assert.InRange(error.Offset, 0, document.Length);
            }
        }
    }

    private static string Show(IEnumerable<CoapLink> links) =>
        string.Join(" & ",
            links.Select(link => string.Join('|', [link.Target, .. link.Attributes.Select(attribute => attribute.ToString())])));
}
