using System.Text.Json.Nodes;

namespace CoAP.NET.Content.Tests;

/// <summary>JSON Merge Patch, with the cases of RFC 7396 appendix A.</summary>
public sealed class MergePatchTests
{
    [Theory]
    [Rfc("8132-5-1")]
    [InlineData("""{"a":"b"}""", """{"a":"c"}""", """{"a":"c"}""")]
    [InlineData("""{"a":"b"}""", """{"b":"c"}""", """{"a":"b","b":"c"}""")]
    [InlineData("""{"a":"b"}""", """{"a":null}""", "{}")]
    [InlineData("""{"a":"b","b":"c"}""", """{"a":null}""", """{"b":"c"}""")]
    [InlineData("""{"a":["b"]}""", """{"a":"c"}""", """{"a":"c"}""")]
    [InlineData("""{"a":"c"}""", """{"a":["b"]}""", """{"a":["b"]}""")]
    [InlineData("""{"a":{"b":"c"}}""", """{"a":{"b":"d","c":null}}""", """{"a":{"b":"d"}}""")]
    [InlineData("""{"a":[{"b":"c"}]}""", """{"a":[1]}""", """{"a":[1]}""")]
    [InlineData("""["a","b"]""", """["c","d"]""", """["c","d"]""")]
    [InlineData("""{"a":"b"}""", """["c"]""", """["c"]""")]
    [InlineData("""{"a":"foo"}""", "null", "null")]
    [InlineData("""{"a":"foo"}""", "\"bar\"", "\"bar\"")]
    [InlineData("""{"e":null}""", """{"a":1}""", """{"e":null,"a":1}""")]
    [InlineData("[1,2]", """{"a":"b","c":null}""", """{"a":"b"}""")]
    [InlineData("{}", """{"a":{"bb":{"ccc":null}}}""", """{"a":{"bb":{}}}""")]
    [InlineData("", """{"a":1,"b":null}""", """{"a":1}""")]
    [InlineData("""{"a":1.10}""", """{"b":"é"}""", """{"a":1.10,"b":"é"}""")]
    public void A_patch_gives_the_results_of_RFC_7396(string target, string patch, string expected)
    {
        string result = Encoding.UTF8.GetString(CoapMergePatch.Apply(Encoding.UTF8.GetBytes(target), Encoding.UTF8.GetBytes(patch)));
        Assert.True(JsonNode.DeepEquals(JsonNode.Parse(expected), JsonNode.Parse(result)), result);
    }

    [Theory]
    [InlineData("{}", "{")]
    [InlineData("{}", "")]
    [InlineData("{", "{}")]
    [InlineData("{}", """{"a":1,"a":2}""")]
    [InlineData("""{"a":1,"a":2}""", "{}")]
    public void Payloads_that_are_not_JSON_are_refused(string target, string patch) =>
        Assert.ThrowsAny<JsonException>(() => CoapMergePatch.Apply(Encoding.UTF8.GetBytes(target), Encoding.UTF8.GetBytes(patch)));

    [Fact]
    public void A_string_that_is_not_UTF_8_is_refused()
    {
        byte[] bad = [.. "{\"a\":[\""u8, 0xff, .. "\"]}"u8];
        Assert.ThrowsAny<JsonException>(() => CoapMergePatch.Apply("{}"u8, bad));
        Assert.ThrowsAny<JsonException>(() => CoapMergePatch.Apply(bad, "{\"b\":1}"u8));
    }

    [Fact]
    public void A_merge_patch_that_is_nested_too_deeply_is_refused()
    {
        byte[] deep = Encoding.UTF8.GetBytes(string.Concat(Enumerable.Repeat("""{"a":""", 1000)) + "1" + new string('}', 1000));
        Assert.ThrowsAny<JsonException>(() => CoapMergePatch.Apply("{}"u8, deep));
    }
}
