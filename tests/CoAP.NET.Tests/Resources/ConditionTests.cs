using CoAP.NET.Composition.Stages;
using CoAP.NET.Tests.Endpoints;

namespace CoAP.NET.Tests.Resources;

/// <summary>What handlers read from a request: its conditions, entity-tags, Accept and query arguments.</summary>
public class ConditionTests
{
    private static readonly CoapETag s_one = new(Wire.Hex("01"));
    private static readonly CoapETag s_two = new(Wire.Hex("0102030405060708"));

    [Theory]
    [Rfc("7252-5.10.8-1", "8132-2.1-3", "8132-3-3")]
    [InlineData("", false, "01", true)]
    [InlineData("", false, null, true)]
    [InlineData("01", false, "01", true)]
    [InlineData("02", false, "01", false)]
    [InlineData("02,01", false, "01", true)]
    [InlineData("02,03", false, "01", false)]
    [InlineData("-", false, "01", true)]
    [InlineData("-", false, null, false)]
    [InlineData("01", false, null, false)]
    [InlineData("02,-", false, "01", true)]
    [InlineData("0100", false, "01", false)]
    [InlineData("", true, "01", false)]
    [InlineData("", true, null, true)]
    [InlineData("01", true, "01", false)]
    public void CheckPreconditions_returns_null_or_4_12(string ifMatch, bool ifNoneMatch, string? current, bool holds)
    {
        CoapRequestContext request = Request(CoapMethod.Put);
        foreach (string value in ifMatch.Split(',', StringSplitOptions.RemoveEmptyEntries))
        {
            request.Options.Add(OptionNumber.IfMatch, value == "-" ? [] : Wire.Hex(value));
        }

        if (ifNoneMatch)
        {
            request.Options.Add(OptionNumber.IfNoneMatch, default);
        }

        CoapResult? result = request.CheckPreconditions(current is null ? null : new CoapETag(Wire.Hex(current)));
        Assert.Equal(holds ? null : CoapCode.PreconditionFailed, result?.Code);
    }

    [Fact]
    [Rfc("7252-5.10.8-1")]
    public void Preconditions_of_a_resource_without_ETags_depend_on_its_existence_alone()
    {
        CoapRequestContext request = Request(CoapMethod.Put);
        request.Options.Add(OptionNumber.IfMatch, default);
        Assert.Null(request.CheckPreconditions(exists: true));
        Assert.NotNull(request.CheckPreconditions(exists: false));
        request = Request(CoapMethod.Put);
        request.Options.Add(OptionNumber.IfMatch, Wire.Hex("01"));
        Assert.NotNull(request.CheckPreconditions(exists: true));
    }

    [Theory]
    [Rfc("7252-5.8.1-1", "7252-5.9.1.3-1", "7252-5.10.6-1", "8132-2.1-2")]
    [InlineData(CoapMethod.Get, "0102030405060708", true)]
    [InlineData(CoapMethod.Fetch, "01,0102030405060708", true)]
    [InlineData(CoapMethod.Get, "01", false)]
    [InlineData(CoapMethod.Get, "", false)]
    [InlineData(CoapMethod.Post, "0102030405060708", false)]
    public void ValidOr_answers_2_03_when_the_request_has_the_ETag(CoapMethod method, string etags, bool valid)
    {
        CoapRequestContext request = Request(method);
        foreach (string value in etags.Split(',', StringSplitOptions.RemoveEmptyEntries))
        {
            request.Options.Add(OptionNumber.ETag, Wire.Hex(value));
        }

        CoapResult kept = CoapResults.Text("full");
        CoapResult result = CoapResults.ValidOr(request, s_two, () => kept);
        Assert.Equal(valid ? CoapCode.Valid : CoapCode.Content, result.Code);
        Assert.Equal(valid, result.Payload.IsEmpty);
        Assert.True(result.Options.TryGetValue(OptionNumber.ETag, out ReadOnlySpan<byte> etag));
        Assert.Equal("0102030405060708", Wire.Hex(etag));
        Assert.False(kept.Options.Contains(OptionNumber.ETag));
    }

    [Fact]
    public void A_representation_keeps_its_own_entity_tag()
    {
        CoapResult own = CoapResults.Text("full").WithETag(CoapETag.FromVersion(9));
        Assert.Same(own, CoapResults.ValidOr(Request(CoapMethod.Get), s_two, () => own));
    }

    [Fact]
    public void Entity_tags_with_the_same_bytes_are_equal()
    {
        Assert.True(s_two.Equals((object)s_two));
        Assert.False(s_two.Equals((object)CoapETag.FromVersion(9)));
        Assert.False(s_two.Equals("0102030405060708"));
    }

    [Theory]
    [Rfc("7252-5.5.4-1")]
    [InlineData(null, 0)]
    [InlineData(41u, 41)]
    [InlineData(0u, 0)]
    [InlineData(47u, null)]
    public void SelectFormat_returns_the_format_that_Accept_requests_or_the_first_format(uint? accept, int? expected)
    {
        CoapRequestContext request = Request(CoapMethod.Get);
        if (accept is { } wanted)
        {
            request.Options.AddUInt(OptionNumber.Accept, wanted);
        }

        Assert.Equal((ushort?)expected, request.SelectFormat(CoapContentFormat.TextPlain, CoapContentFormat.Xml)?.Value);
    }

    [Fact]
    public void An_entity_tag_is_a_value_of_1_to_8_bytes()
    {
        Assert.Equal(s_two, new CoapETag(s_two.ToArray()));
        Assert.NotEqual(new CoapETag(Wire.Hex("01")), new CoapETag(Wire.Hex("0100")));
        Assert.True(s_one != s_two);
        Assert.Equal("0102030405060708", s_two.ToString());
        Assert.Equal("00", CoapETag.FromVersion(0).ToString());
        Assert.Equal("0100", CoapETag.FromVersion(256).ToString());
        Assert.Equal("ffffffffffffffff", CoapETag.FromVersion(ulong.MaxValue).ToString());

        // Known answers of XXH128: every node computes the same, and after every restart.
        Assert.Equal("06b05ab6733a6185", CoapETag.FromContent("abc"u8).ToString());
        Assert.Equal("99aa06d3014798d8", CoapETag.FromContent([]).ToString());
        Assert.NotEqual(CoapETag.FromContent("1"u8, CoapContentFormat.TextPlain), CoapETag.FromContent("1"u8, CoapContentFormat.Json));
        Assert.Equal(CoapETag.FromContent("1"u8, CoapContentFormat.TextPlain), CoapETag.FromContent("1"u8, CoapContentFormat.TextPlain));
        Assert.Throws<ArgumentException>(() => new CoapETag([]));
        Assert.Throws<ArgumentException>(() => new CoapETag(new byte[9]));
        Assert.False(Request(CoapMethod.Get).IsMatch(default));
    }

    [Fact]
    public void TryGetQuery_finds_the_first_query_argument_with_the_name()
    {
        CoapRequestContext request = ReceivedRequest.Of(ResourceStage.Message(CoapMethod.Get, "/", "a=1", "b", "a=2", "ab=3", "=4"));
        Assert.Equal(["a=1", "b", "a=2", "ab=3", "=4"], request.Queries);
        Assert.True(request.TryGetQuery("a", out string? value));
        Assert.Equal("1", value);
        Assert.True(request.TryGetQuery("b", out value));
        Assert.Equal(string.Empty, value);
        Assert.False(request.TryGetQuery("A", out _));
        Assert.Empty(Request(CoapMethod.Get).Queries);
    }

    private static CoapRequestContext Request(CoapMethod method) => ReceivedRequest.Of(method);
}
