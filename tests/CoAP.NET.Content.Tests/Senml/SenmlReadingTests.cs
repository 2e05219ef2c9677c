using CoAP.NET.Diagnostics;

namespace CoAP.NET.Content.Tests.Senml;

/// <summary>Payloads read as SenML; what is none is the peer's mistake.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class SenmlReadingTests
{
    [Theory]
    [InlineData(112, "81a30061610201061a4f000000", """[{"n":"a","v":1,"t":1325400064}]""")]
    [InlineData(112, "80", "4.00")]
    [InlineData(50, "80", "4.15")]
    [InlineData(null, "80", "4.15")]
    public async Task A_handler_reads_SenML_and_an_invalid_payload_is_answered_with_the_right_code(int? format, string hex, string answer)
    {
        await using CoapEndpointPair pair = new();
        pair.Server.MapPost("/s", request =>
            CoapResults.Content(CoapContent.Senml(request.ReadSenml().Resolve(pair.Clock.GetUtcNow()), CoapContentFormat.SenmlJson)));
        await pair.StartAsync();

        CoapContent content = new(Wire.Hex(hex), format is { } number ? (CoapContentFormat)number : null);
        CoapResponse response = await pair.RunAsync(() => pair.Client.PostAsync(CoapEndpointPair.Address + "/s", content));

        Assert.Equal(answer, response.IsSuccess ? response.GetText() : response.Code.ToString()[..4]);
        Assert.Equal(0, pair.Server.Endpoint.Counters[CoapCounter.HandlerErrors]);
    }

    [Fact]
    public async Task A_client_reads_the_SenML_of_a_response()
    {
        CoapSenmlPack pack = new(new CoapSenmlRecord { Name = "a", Value = 21.5, Unit = "Cel" });
        CoapResponse response = await Answer.OfAsync(CoapContent.Senml(pack));

        Assert.Equal(CoapContentFormat.SenmlCbor, response.ContentFormat);
        Assert.Equal(21.5, response.ReadSenml()[0].Value);
        Assert.Equal(21.5, (await Answer.OfAsync(CoapContent.Senml(pack, CoapContentFormat.SenmlJson))).ReadSenml()[0].Value);
    }

    [Fact]
    public async Task A_response_that_is_not_a_SenML_pack_is_refused_with_a_code()
    {
        CoapResponse text = await Answer.OfAsync(CoapContent.Text("x"));
        CoapResponse malformed = await Answer.OfAsync(new CoapContent("x"u8.ToArray(), CoapContentFormat.SenmlJson));

        Assert.Equal(CoapCode.UnsupportedContentFormat, Assert.Throws<CoapContentException>(() => text.ReadSenml()).Code);
        CoapContentException wrong = Assert.Throws<CoapContentException>(() => malformed.ReadSenml());
        Assert.Equal(CoapCode.BadRequest, wrong.Code);
        Assert.IsType<CoapFormatException>(wrong.InnerException);
    }
}
