using CoAP.NET.Tests.Endpoints;
using System.Buffers;
using System.Text.Json.Nodes;

namespace CoAP.NET.Content.Tests.Cbor;

/// <summary>CBOR as JSON and back (RFC 8949 section 6). CONTENT_ROUNDS and CONTENT_SEED make the campaigns longer or other ones.</summary>
public sealed class CborJsonTests
{
    private static readonly int s_rounds = Campaign.Rounds(3_000);
    private static readonly int s_seed = Campaign.Seed(8_949);

    [Theory]
    [InlineData("00", "0")]
    [InlineData("1bffffffffffffffff", "18446744073709551615")]
    [InlineData("20", "-1")]
    [InlineData("3bffffffffffffffff", "-18446744073709551616")]
    [InlineData("c249010000000000000000", "18446744073709551616")]
    [InlineData("c349010000000000000000", "-18446744073709551617")]
    [InlineData("f93e00", "1.5")]
    [InlineData("fb3ff199999999999a", "1.1")]
    [InlineData("f98000", "-0")]
    [InlineData("f4", "false")]
    [InlineData("f5", "true")]
    [InlineData("f6", "null")]
    [InlineData("60", "\"\"")]
    [InlineData("62c3bc", "\"\u00fc\"")]
    [InlineData("80", "[]")]
    [InlineData("83010203", "[1,2,3]")]
    [InlineData("a26161016162820203", "{\"a\":1,\"b\":[2,3]}")]
    public void JSON_and_CBOR_are_converted_into_each_other(string hex, string json)
    {
        Assert.Equal(json, ToJson(Wire.Hex(hex)));
        Assert.Equal(hex, Wire.Hex(ToCbor(json)));
    }

    [Theory]
    [InlineData("f7", "null")] // undefined
    [InlineData("f0", "null")] // a simple value without a name
    [InlineData("f8ff", "null")]
    [InlineData("f97e00", "null")] // NaN
    [InlineData("fb7ff0000000000000", "null")] // infinity
    [InlineData("f93c00", "1")]
    [InlineData("c48221196ab3", "27315E-2")] // RFC 8949 section 3.4.4
    [InlineData("9f0102ff", "[1,2]")]
    [InlineData("bf6161f5ff", "{\"a\":true}")]
    [InlineData("7f61616162ff", "\"ab\"")]
    [InlineData("a201020304", "{\"1\":2,\"3\":4}")]
    [InlineData("a12001", "{\"-1\":1}")]
    [InlineData("43fbff01", "\"+/8B\"")] // what Json reads into byte[]
    [InlineData("d543fbff01", "\"-_8B\"")] // base64url, as tag 21 asks
    [InlineData("d78243fbff01d64101", "[\"FBFF01\",\"AQ==\"]")] // base16, and base64 inside of it
    [InlineData("c074323031332d30332d32315432303a30343a30305a", "\"2013-03-21T20:04:00Z\"")]
    [InlineData("d9d9f7820102", "[1,2]")]
    public void CBOR_is_converted_to_JSON(string hex, string json) => Assert.Equal(json, ToJson(Wire.Hex(hex)));

    [Theory]
    [Rfc("8949-4.1-1")]
    [InlineData("1.0", "01")]
    [InlineData("1e3", "1903e8")]
    [InlineData("0.1", "fb3fb999999999999a")]
    [InlineData("1E+300", "fb7e37e43c8800759c")]
    [InlineData("{\"a\":{\"b\":null}}", "a16161a16162f6")]
    [InlineData("\"\\ud83d\\ude00\"", "64f09f9880")]
    public void JSON_is_converted_to_CBOR(string json, string hex) => Assert.Equal(hex, Wire.Hex(ToCbor(json)));

    [Fact]
    public void An_integer_longer_than_the_limit_becomes_a_floating_point_number()
    {
        byte[] cbor = ToCbor($"1{new string('0', 77)}");
        Assert.Equal((9, 0xfb), (cbor.Length, cbor[0]));
        Assert.Equal("1E+77", ToJson(cbor));
        Assert.Equal(0xc2, ToCbor($"1{new string('0', 76)}")[0]);
    }

    [Theory]
    [Rfc("8949-5.3-1")]
    [InlineData("", "the data ends too early")]
    [InlineData("0000", "something follows")]
    [InlineData("62c328", "not valid UTF-8")]
    [InlineData("a1f501", "neither a text nor an integer")]
    [InlineData("a1806161", "neither a text nor an integer")]
    [InlineData("9bffffffffffffffff", "beyond the end")]
    [InlineData("bb8000000000000000", "beyond the end")]
    [InlineData("5affffffff00", "beyond the end")]
    [InlineData("ff", "break")]
    [InlineData("81ff", "break")]
    [InlineData("9f01", "the data ends too early")]
    [InlineData("bf01ff", "break")]
    [InlineData("c2", "the data ends too early")]
    [InlineData("c26161", "a byte string was expected")]
    [InlineData("c482017f", "number")]
    [InlineData("1c", "reserved")]
    public void Malformed_CBOR_is_reported_with_its_offset(string hex, string words)
    {
        Assert.False(CborToJson.TryConvert(Wire.Hex(hex), new ArrayBufferWriter<byte>(), out ContentFault fault));
        fault.Message.Mentions(words);
        Assert.InRange(fault.Offset, 0, hex.Length / 2);
    }

    [Fact]
    [Rfc("8949-10-1")]
    public void CBOR_and_JSON_nested_deeper_than_64_are_not_converted()
    {
        static byte[] Nested(byte head, int depth) => [.. Enumerable.Repeat(head, depth), 0x01];
        Assert.Equal(new string('[', 64) + 1 + new string(']', 64), ToJson(Nested(0x81, 64)));
        Assert.Equal(Nested(0x81, 64), ToCbor(new string('[', 64) + 1 + new string(']', 64)));
        foreach (byte head in new byte[] { 0x81, 0x9f, 0xc6 })
        {
            Assert.False(CborToJson.TryConvert(Nested(head, 65), new ArrayBufferWriter<byte>(), out ContentFault fault));
            Assert.Equal(64, fault.Offset);
            Assert.False(CborToJson.TryConvert(Nested(head, 100_000), new ArrayBufferWriter<byte>(), out _));
        }

        using JsonDocument deep = JsonDocument.Parse(new string('[', 65) + new string(']', 65), new JsonDocumentOptions { MaxDepth = 100 });
        Assert.Throws<JsonException>(() => JsonToCbor.Convert(deep.RootElement));
    }

    [Theory]
    [InlineData("1e999")]
    [InlineData("\"\\ud800\"")]
    [InlineData("{\"\\udc00\":1}")]
    public void JSON_that_CBOR_cannot_represent_is_a_JsonException(string json) => Assert.Throws<JsonException>(() => ToCbor(json));

    [Fact]
    [Trait("Category", "Campaign")]
    public void Random_JSON_survives_the_conversion_to_CBOR_and_back()
    {
        Random random = new(s_seed);
        for (int i = 0; i < s_rounds; i++)
        {
            string json = RandomNode(random, 5)?.ToJsonString() ?? "null";
            string back = ToJson(ToCbor(json));
            Assert.True(JsonNode.DeepEquals(JsonNode.Parse(json), JsonNode.Parse(back)), $"{json} became {back}");
        }
    }

    [Fact]
    [Trait("Category", "Campaign")]
    public void Converting_CBOR_to_JSON_and_back_gives_the_same_bytes()
    {
        Random random = new(s_seed + 1);
        for (int i = 0; i < s_rounds; i++)
        {
            byte[] cbor = ToCbor(RandomNode(random, 5)?.ToJsonString() ?? "null");
            Assert.Equal(Wire.Hex(cbor), Wire.Hex(ToCbor(ToJson(cbor))));
        }
    }

    [Fact]
    [Trait("Category", "Campaign")]
    [Rfc("8949-5.3-1")]
    public void Random_CBOR_with_changed_bytes_is_converted_to_JSON_or_gives_a_fault()
    {
        Random random = new(s_seed + 2);
        int converted = 0;
        for (int i = 0; i < s_rounds; i++)
        {
            byte[] bytes = ToCbor(RandomNode(random, 4)?.ToJsonString() ?? "null");
            for (int change = random.Next(4); change > 0; change--)
            {
                bytes[random.Next(bytes.Length)] = (byte)random.Next(256);
            }

            ArrayBufferWriter<byte> json = new();
            if (CborToJson.TryConvert(bytes, json, out ContentFault fault))
            {
                // The output is valid JSON.
                converted++;
                JsonNode.Parse(json.WrittenSpan, documentOptions: new JsonDocumentOptions { MaxDepth = CborToJson.MaxDepth });
            }
            else
            {
                Assert.InRange(fault.Offset, 0, bytes.Length);
                Assert.NotEmpty(fault.Message);
            }
        }

        Assert.InRange(converted, 1, s_rounds - 1);
    }

    [Fact]
    public void Values_are_written_and_read_as_CBOR()
    {
        CoapContent content = CoapContent.Cbor(new Lamp(true), LampContext.Default.Lamp);
        Assert.Equal(CoapContentFormat.Cbor, content.Format);
        CoapRequestContext request = ReceivedRequest.Of(new CoapRequest(CoapMethod.Put, "coap://h/lamp") { Content = content }.Message);
        Assert.Equal(new Lamp(true), request.ReadCbor(LampContext.Default.Lamp));
        CoapResult result = CoapResults.Cbor(new Lamp(false), LampContext.Default.Lamp);
        Assert.Equal((CoapCode.Content, Wire.Hex(CoapContent.Cbor(new Lamp(false), LampContext.Default.Lamp).Bytes.Span)),
            (result.Code, Wire.Hex(result.Payload.Span)));
        Assert.Equal(Wire.Hex(CoapContent.Cbor(new Lamp(false)).Bytes.Span), Wire.Hex(CoapResults.Cbor(new Lamp(false)).Payload.Span));
    }

    [Theory]
    [InlineData(50, "f6", 4, 15)]
    [InlineData(60, "01", 4, 0)]
    [InlineData(60, "a1", 4, 0)]
    public void The_exception_for_an_unreadable_payload_has_the_response_code(ushort format, string hex, int codeClass, int detail)
    {
        CoapRequestContext request = ReceivedRequest.Of(new CoapRequest(CoapMethod.Put, "coap://h/lamp")
        {
            Content = new CoapContent(Wire.Hex(hex), new CoapContentFormat(format))
        }.Message);
        CoapContentException exception = Assert.Throws<CoapContentException>(() => request.ReadCbor(LampContext.Default.Lamp));
        Assert.Equal((codeClass, detail), (exception.Code.Class, exception.Code.Detail));
    }

    [Theory]
    [InlineData(60, true)]
    [InlineData(112, true)]
    [InlineData(257, true)]
    [InlineData(63, false)] // a sequence
    [InlineData(11060, false)] // deflated
    [InlineData(50, false)]
    [InlineData(65000, false)]
    public void IsCbor_is_true_for_formats_of_a_single_uncompressed_CBOR_item(ushort format, bool isCbor) =>
        Assert.Equal(isCbor, new CoapContentFormat(format).IsCbor);

    private static string ToJson(byte[] cbor)
    {
        ArrayBufferWriter<byte> json = new();
        Assert.True(CborToJson.TryConvert(cbor, json, out ContentFault fault), $"{Wire.Hex(cbor)}: {fault}");
        return Encoding.UTF8.GetString(json.WrittenSpan);
    }

    private static byte[] ToCbor(string json)
    {
        using JsonDocument document = JsonDocument.Parse(json);
        return JsonToCbor.Convert(document.RootElement);
    }

    private static JsonNode? RandomNode(Random random, int depth) => random.Next(depth == 0 ? 7 : 9) switch
    {
        0 => null,
        1 => JsonValue.Create(random.Next(2) == 0),
        2 => JsonValue.Create(random.NextInt64(long.MinValue, long.MaxValue) >> random.Next(64)),
        3 => JsonValue.Create((ulong)random.NextInt64() * 2),
        4 => JsonValue.Create((random.NextDouble() - 0.5) * Math.Pow(10, random.Next(-300, 300))),
        5 => JsonValue.Create((float)random.NextDouble()),
        6 => JsonValue.Create(RandomText(random)),
        7 => new JsonArray([.. Enumerable.Range(0, random.Next(5)).Select(_ => RandomNode(random, depth - 1))]),
        _ => new JsonObject(Enumerable.Range(0, random.Next(5))
            .Select(i => KeyValuePair.Create($"{i}{RandomText(random)}", RandomNode(random, depth - 1)))),
    };

    private static string RandomText(Random random) => string.Concat(Enumerable.Range(0, random.Next(30)).Select(_ => random.Next(4) switch
    {
        0 => char.ConvertFromUtf32(random.Next(0x10000, 0x110000)),
        1 => ((char)random.Next(0x20)).ToString(),
        2 => ((char)random.Next(0xa0, 0xd800)).ToString(),
        _ => ((char)random.Next(0x20, 0x7f)).ToString(),
    }));
}
