using System.Text.Json.Serialization;
using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Endpoints;

namespace CoAP.NET.Tests.Content;

/// <summary>Payloads read as what their Content-Format says; what is not so is the peer's mistake.</summary>
public sealed class ContentReadingTests : EndpointTest
{
    [Theory]
    [InlineData("1132", "7b226f6e223a747275657d", "44")] // {"on":true} as application/json
    [InlineData("12 01b0", "7b226f6e223a747275657d", "44")] // as td+json
    [InlineData("", "7b226f6e223a747275657d", "44")] // without a Content-Format
    [InlineData("113c", "7b226f6e223a747275657d", "8f")] // as application/cbor: 4.15
    [InlineData("1132", "7b226f6e223a31", "80")] // malformed: 4.00
    [InlineData("1132", "7b226f6e223a317d", "80")] // of another type: 4.00
    public async Task A_handler_reads_JSON_and_need_not_look_after_what_is_none(string format, string payload, string code)
    {
        Server.MapPut("/lamp", request =>
        {
            Lamp? lamp = request.ReadJson(LampContext.Default.Lamp);
            return lamp is { On: true } ? CoapResults.Changed() : CoapResults.Status(CoapCode.Conflict);
        });
        await StartAsync();
        string answer = Exchange($"40030001b46c616d70{format}ff{payload}");
        Assert.Equal(code, answer[2..4]);
        Assert.DoesNotContain(Logs.Entries, entry => entry.Level >= Microsoft.Extensions.Logging.LogLevel.Error);
    }

    [Theory]
    [InlineData("1132", "7b226f6e223a31", "The payload is not JSON of the expected form (line 1, byte 8).")]
    [InlineData("113c", "7b226f6e223a747275657d", "The payload is to be read as JSON, but its Content-Format is application/cbor.")]
    public async Task A_client_whose_payload_cannot_be_read_gets_a_diagnostic_that_says_why(string format, string payload, string text)
    {
        Server.MapPut("/lamp",
            request => request.ReadJson(LampContext.Default.Lamp) is null ? CoapResults.NotFound() : CoapResults.Changed());
        await StartAsync();
        Exchange($"40030001b46c616d70{format}ff{payload}").Ends("ff" + Wire.Hex(Encoding.UTF8.GetBytes(text)));
    }

    [Fact]
    public async Task An_unreadable_response_of_another_server_in_a_handler_gives_5_00_and_not_a_client_error()
    {
        Server.MapGet("/a", request =>
        {
            _ = new CoapResponse(new CoapMessage(CoapCode.Content) { Payload = new byte[] { 1 } }, Peer).ReadJson(LampContext.Default.Lamp);
            return CoapResults.Changed();
        });
        await StartAsync();
        Assert.Equal("a0", Exchange("40010001b161")[2..4]);
        Assert.Equal(1, Server.Endpoint.Counters[CoapCounter.HandlerErrors]);
    }

    [Fact]
    public void A_client_reads_JSON_from_a_response() =>
        Assert.Equal(new Lamp(true),
            Response(CoapContent.Json(new Lamp(true), LampContext.Default.Lamp)).ReadJson(LampContext.Default.Lamp));

    [Fact]
    public async Task A_CoapContentException_of_a_custom_reader_chooses_the_diagnostic_payload()
    {
        Server.MapPut("/xml", request => throw new CoapContentException(CoapCode.BadRequest, "There is no root."));
        Server.MapPut("/exi", request => throw CoapContentException.Unsupported("EXI", request));
        await StartAsync();

        Exchange("40030001b3786d6c").Ends("ff" + Wire.Hex("There is no root."u8));
        Exchange("40030002b3657869").Ends(Wire.Hex("The payload is to be read as EXI, but its Content-Format is absent."u8));
        Assert.Equal(0, Server.Endpoint.Counters[CoapCounter.HandlerErrors]);
        Assert.Throws<ArgumentException>(() => new CoapContentException(CoapCode.Content, "fine"));
    }

    [Theory]
    [InlineData("A payload in a PUT", "40030001b161", "80")]
    [InlineData("The payload of the request", "40030001b172", "80")]
    [InlineData("The payload of the request in a GET", "40010001b172", "80")]
    [InlineData("A payload in a GET, which has none", "40010001b161", "a0")]
    [InlineData("A payload in a DELETE, which has none", "40040001b161", "a0")]
    [InlineData("The payload of a response", "40030001b162", "a0")]
    [InlineData("The payload of another request", "40030001b16f", "a0")]
    public async Task Only_an_unreadable_request_payload_is_a_client_error(string about, string request, string code)
    {
        CoapMethod[] methods = [CoapMethod.Get, CoapMethod.Put, CoapMethod.Delete];
        Server.Map("/a", methods, Fail(static _ => new CoapContentException(CoapCode.BadRequest, "Two fields, please.")));
        Server.Map("/r", methods, Fail(static received => new CoapContentException(received, CoapCode.BadRequest, "Two fields, please.")));
        Server.Map("/b", methods, Fail(static _ => new CoapContentException(
            Response(CoapContent.Text("1")), CoapCode.BadRequest, "Two fields, please.")));
        Server.Map("/o", methods, Fail(static _ => new CoapContentException(
            ReceivedRequest.Of(CoapMethod.Put), CoapCode.BadRequest, "Two fields, please.")));
        await StartAsync();

        string answer = Exchange(request);
        Assert.True(code == answer[2..4], $"{about}: {answer}");
        Assert.Equal(code == "80", answer.EndsWith("ff" + Wire.Hex("Two fields, please."u8), Ordinal));
        Assert.Equal(code == "80" ? 0 : 1, Server.Endpoint.Counters[CoapCounter.HandlerErrors]);

        static Func<CoapRequestContext, CoapResult> Fail(Func<CoapRequestContext, CoapContentException> make) =>
            received => throw make(received);
    }

    private static CoapResponse Response(CoapContent content)
    {
        CoapMessage message = new(CoapCode.Content) { Payload = content.Bytes };
        message.Options.ContentFormat = content.Format;
        return new CoapResponse(message, Peer);
    }
}

/// <summary>A representation for tests.</summary>
/// <param name="On">Whether it is on.</param>
public sealed record Lamp([property: JsonRequired] bool On);

[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase)]
[JsonSerializable(typeof(Lamp))]
internal sealed partial class LampContext : JsonSerializerContext;
