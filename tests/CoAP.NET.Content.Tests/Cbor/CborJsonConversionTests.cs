namespace CoAP.NET.Content.Tests.Cbor;

/// <summary>CBOR as JSON for somebody else, and back, of payloads of strangers (RFC 8949 section 6).</summary>
public sealed class CborJsonConversionTests
{
    [Theory]
    [InlineData("a1616101", "{\"a\":1}")]
    [InlineData("43fbff01", "\"-_8B\"")] // base64url without padding, as nothing says otherwise
    [InlineData("d64101", "\"AQ==\"")]
    [InlineData("d743fbff01", "\"FBFF01\"")]
    [InlineData("1bffffffffffffffff", "18446744073709551615")]
    [InlineData("3bffffffffffffffff", "-18446744073709551616")]
    [InlineData("c249010000000000000000", "\"AQAAAAAAAAAA\"")]
    [InlineData("c349010000000000000000", "\"~AQAAAAAAAAAA\"")]
    [InlineData("c24101", "1")]
    [InlineData("c248ffffffffffffffff", "18446744073709551615")]
    [InlineData("c48221196ab3", "27315E-2")]
    [InlineData("f97e00", "null")]
    [InlineData("f7", "null")]
    [InlineData("a12001", "{\"-1\":1}")]
    [InlineData("c074323031332d30332d32315432303a30343a30305a", "\"2013-03-21T20:04:00Z\"")]
    public void CBOR_becomes_JSON_by_the_advice_of_the_RFC(string hex, string json) =>
        Assert.Equal(json, Encoding.UTF8.GetString(CoapCborJson.ToJson(Wire.Hex(hex))));

    [Theory]
    [Rfc("8949-5.6-1")]
    [InlineData("a2616101616102")]
    [InlineData("a201616161316162")] // 1 and "1" are one name in JSON
    [InlineData("81a2616101616102")]
    [InlineData("bf616101616102ff")]
    public void CBOR_with_a_duplicate_map_key_is_refused(string hex)
    {
        CoapContentException refused = Assert.Throws<CoapContentException>(() => CoapCborJson.ToJson(Wire.Hex(hex)));
        Assert.Equal(CoapCode.BadRequest, refused.Code);
        refused.Mentions("duplicate key");
    }

    [Theory]
    [InlineData("{\"a\":1,\"a\":2}")]
    [InlineData("{\"a\":1,\"\\u0061\":2}")]
    [InlineData("{\"a\":")]
    [InlineData("{} {}")]
    [InlineData("1e999")]
    [InlineData("\"\\ud800\"")]
    [InlineData("{\"\\udc00\":1}")]
    [InlineData("{\"\\udc00\":1,\"\\udc00\":2}")]
    [InlineData("")]
    public void Ambiguous_or_invalid_JSON_is_refused(string json) =>
        Assert.Equal(
            CoapCode.BadRequest,
            Assert.Throws<CoapContentException>(() => CoapCborJson.ToCbor(Encoding.UTF8.GetBytes(json))).Code);

    [Fact]
    public void Bytes_that_are_not_UTF_8_are_refused() =>
        Assert.Equal(
            CoapCode.BadRequest, Assert.Throws<CoapContentException>(() => CoapCborJson.ToCbor([(byte)'"', 0xc3, 0x28, (byte)'"'])).Code);

    [Fact]
    [Rfc("8949-10-1")]
    public void CBOR_and_JSON_nested_too_deeply_are_refused_as_client_errors()
    {
        byte[] deep = [.. Enumerable.Repeat((byte)0x81, 100_000), 0x01];
        string brackets = new string('[', 65) + new string(']', 65);
        Assert.Equal(CoapCode.BadRequest, Assert.Throws<CoapContentException>(() => CoapCborJson.ToJson(deep)).Code);
        Assert.Equal(
            CoapCode.BadRequest, Assert.Throws<CoapContentException>(() => CoapCborJson.ToCbor(Encoding.UTF8.GetBytes(brackets))).Code);
    }

    [Fact]
    public void A_conversion_whose_result_exceeds_the_maximum_size_is_refused()
    {
        // Each half float of three bytes is a number of up to ten characters.
        byte[] floats = [0x9a, 0, 1, 0, 0, .. Enumerable.Repeat<byte[]>([0xf9, 0x00, 0x01], 65_536).SelectMany(bytes => bytes)];
        Assert.Equal(
            CoapCode.RequestEntityTooLarge, Assert.Throws<CoapContentException>(() => CoapCborJson.ToJson(floats, floats.Length)).Code);

        byte[] json = Encoding.UTF8.GetBytes($"[{string.Join(',', Enumerable.Repeat("1.1", 1000))}]");
        Assert.Equal(
            CoapCode.RequestEntityTooLarge, Assert.Throws<CoapContentException>(() => CoapCborJson.ToCbor(json, json.Length)).Code);
        Assert.Equal("12"u8, CoapCborJson.ToJson([12], 2));
        Assert.Throws<CoapContentException>(() => CoapCborJson.ToJson([12], 1));
    }

    [Fact]
    public void A_payload_is_converted_to_the_other_encoding_of_its_format()
    {
        byte[] json = CoapCborJson.Convert(Wire.Hex("a1617401"), CoapContentFormat.Cbor);
        Assert.Equal("{\"t\":1}", Encoding.UTF8.GetString(json));
        Assert.Equal("a1617401", Wire.Hex(CoapCborJson.Convert(json, CoapContentFormat.Json)));

        byte[] pack = "[{\"bn\":\"a:\",\"n\":\"t\",\"v\":1},{\"n\":\"d\",\"vd\":\"AQI\"}]"u8.ToArray();
        byte[] senml = CoapCborJson.Convert(pack, CoapContentFormat.SenmlJson);
        Assert.Equal("82a300", Wire.Hex(senml)[..6]);
        Assert.Equal(pack, CoapCborJson.Convert(senml, CoapContentFormat.SenmlCbor));
        Assert.Equal(senml, CoapCborJson.Convert(pack, CoapContentFormat.SensmlJson));
        Assert.Equal(CoapContentFormat.SensmlCbor, CoapCborJson.CounterpartOf(CoapContentFormat.SensmlJson));
        Assert.Equal(CoapContentFormat.Json, CoapCborJson.CounterpartOf(CoapContentFormat.Cbor));
    }

    [Fact]
    public void A_format_with_a_single_encoding_is_not_converted()
    {
        Assert.Null(CoapCborJson.CounterpartOf(CoapContentFormat.AceCbor));
        Assert.Equal(
            CoapCode.UnsupportedContentFormat,
            Assert.Throws<CoapContentException>(() => CoapCborJson.Convert([0xa0], CoapContentFormat.AceCbor)).Code);
        Assert.Equal(
            CoapCode.BadRequest,
            Assert.Throws<CoapContentException>(() => CoapCborJson.Convert([0xa0], CoapContentFormat.SenmlCbor)).Code);
    }

    [Fact]
    public void HTTP_problem_details_survive_a_round_trip()
    {
        const string json = """
            {"type":"https://example.com/credit","title":"No credit","status":403,"detail":"Your balance is 30.","instance":"/account/1",
            "balance":30,"accounts":["/account/1","/account/2"]}
            """;
        CoapProblem problem = CoapProblem.FromJson(Encoding.UTF8.GetBytes(json));
        Assert.Equal(("No credit", "Your balance is 30.", "/account/1"), (problem.Title, problem.Detail, problem.Instance));
        Assert.True(CoapProblem.TryParse(problem.ToBytes(), out CoapProblem? read, out _));
        Assert.Equal(
            "{\"type\":\"https://example.com/credit\",\"title\":\"No credit\",\"status\":403,\"detail\":\"Your balance is 30.\","
            + "\"instance\":\"/account/1\",\"balance\":30,\"accounts\":[\"/account/1\",\"/account/2\"]}",
            Encoding.UTF8.GetString(read.ToJson()));
        Encoding.UTF8.GetString(read.ToJson(404)).Mentions("\"status\":404");
    }

    [Theory]
    [InlineData("[]")]
    [InlineData("{\"title\":\"a\",\"title\":\"b\"}")]
    [InlineData("{")]
    public void JSON_that_is_not_HTTP_problem_details_is_refused(string json) =>
        Assert.Equal(
            CoapCode.BadRequest,
            Assert.Throws<CoapContentException>(() => CoapProblem.FromJson(Encoding.UTF8.GetBytes(json))).Code);

    [Fact]
    public void Members_of_a_wrong_type_and_the_type_about_blank_are_ignored()
    {
        CoapProblem problem =
            CoapProblem.FromJson("{\"type\":\"about:blank\",\"title\":3,\"status\":\"x\",\"detail\":\"d\"}"u8);
        Assert.Null(problem.Title);
        Assert.Empty(problem.Entries);
        Assert.Equal("d", problem.Detail);
    }
}
