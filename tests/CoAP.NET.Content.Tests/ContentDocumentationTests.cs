using System.Globalization;

namespace CoAP.NET.Content.Tests;

/// <summary>The snippets of docs/content.md, so that they compile and do what the page says.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class ContentDocumentationTests
{
    [Fact]
    public void Every_snippet_of_the_page_is_in_these_tests() =>
        Snippets.AllStandInTests("content.md", ".", 10, "CoAP.NET.Content.Tests");

    [Fact]
    public void A_media_type_is_mapped_to_a_Content_Format()
    {
        CoapContentFormat.TryFromMediaType("text/plain; charset=UTF-8", out CoapContentFormat format);
        Console.WriteLine($"{format.Value} is {format.MediaType}");
        CoapContentFormat.TryFromMediaType("application/json", out format, contentCoding: "deflate");
        Assert.Equal(CoapContentFormat.JsonDeflate, format);
    }

    [Fact]
    public async Task JSON_is_written_and_read()
    {
        CoapContent content = CoapContent.Json(new Lamp(true), LampContext.Default.Lamp);
        await using CoapEndpointPair pair = new();
        CoapServer server = pair.Server;

        server.MapPut("/lamp", request =>
        {
            Lamp? lamp = request.ReadJson(LampContext.Default.Lamp);
            return CoapResults.Changed();
        });

        await pair.StartAsync();
        await pair.RunAsync(() => pair.Client.PutAsync(CoapEndpointPair.Address + "/lamp", content)).Gives(CoapCode.Changed);
    }

    [Fact]
    public async Task A_custom_format_is_read()
    {
        await using CoapEndpointPair pair = new();
        CoapServer server = pair.Server;
        server.MapPut("/setpoint", request =>
        {
            double degrees = ReadSetpoint(request);
            return CoapResults.Changed();
        });

        static double ReadSetpoint(CoapRequestContext request) =>
            double.TryParse(request.GetText(), CultureInfo.InvariantCulture, out double degrees)
                ? degrees
                : throw new CoapContentException(CoapCode.BadRequest, "The payload is not a number.");

        await pair.StartAsync();

        CoapResponse changed =
            await pair.RunAsync(() => pair.Client.PutAsync(CoapEndpointPair.Address + "/setpoint", CoapContent.Text("21.5")));
        Assert.Equal(CoapCode.Changed, changed.Code);
        CoapResponse refused =
            await pair.RunAsync(() => pair.Client.PutAsync(CoapEndpointPair.Address + "/setpoint", CoapContent.Text("warm")));
        Assert.Equal((CoapCode.BadRequest, "The payload is not a number."), (refused.Code, refused.GetText()));
    }

    [Fact]
    public void Patches_are_applied()
    {
        byte[] document = """{"on":true,"level":3}"""u8.ToArray();
        CoapRequest request = new(CoapMethod.Patch, "coap://h/lamp")
        {
            Content = new CoapContent("""{"level":null}"""u8.ToArray(), CoapContentFormat.MergePatch)
        };
        byte[] changed = CoapMergePatch.Apply(document, request.Payload.Span);
        Assert.Equal("""{"on":true}"""u8, changed);
    }

    [Fact]
    public async Task SenML_is_written_and_read()
    {
        CoapSenmlPack pack = new(
            new CoapSenmlRecord
            {
                BaseName = "urn:dev:ow:10e2073a01080063:",
                BaseTime = 1.320067464e9,
                Name = "temp",
                Unit = "Cel",
                Value = 23.1
            },
            new CoapSenmlRecord { Name = "open", BooleanValue = false },
            new CoapSenmlRecord { Name = "temp", Unit = "Cel", Time = 60, Value = 23.4 });
        CoapContent content = CoapContent.Senml(pack, CoapContentFormat.SenmlCbor);

        DateTimeOffset now = DateTimeOffset.UnixEpoch;
        CoapResponse response = await Answer.OfAsync(content);
        foreach (CoapSenmlRecord record in response.ReadSenml().Resolve(now))
        {
            Console.WriteLine($"{record.Timestamp}: {record.Name} {record.Value} {record.Unit}");
        }

        Assert.All(response.ReadSenml().Resolve(now), record => Assert.NotNull(record.Timestamp), throwIfEmpty: true);
    }

    [Fact]
    public async Task LwM2M_packs_use_their_profile()
    {
        CoapSenmlPack pack = new(CoapSenmlProfile.Lwm2m, new CoapSenmlRecord { Name = "/1/0/10", ObjectLinkValue = "3:0" });
        CoapResponse response = await Answer.OfAsync(CoapContent.Senml(pack, CoapContentFormat.SenmlJson));

        CoapSenmlPack asked = new(CoapSenmlProfile.Lwm2m, new CoapSenmlRecord { Name = "/3/0/0" }, new CoapSenmlRecord { Name = "/3/0/9" });
        CoapSenmlPack values = response.ReadSenml(CoapSenmlProfile.Lwm2m);
        string? link = values[0].ObjectLinkValue;
        Assert.Equal(2, asked.Count);
        Assert.Equal("3:0", link);
    }

    [Fact]
    public async Task Values_are_sent_and_read_in_CBOR()
    {
        await using CoapEndpointPair pair = new();
        CoapContent? stored = null;
        pair.Server.MapPut("/lamp", request =>
        {
            stored = new CoapContent(request.Payload.ToArray(), request.ContentFormat);
            return CoapResults.Changed();
        });
        pair.Server.MapGet("/lamp", _ => CoapResults.Content(stored!));
        await pair.StartAsync();

        Assert.True(await pair.RunAsync(() => RunAsync(pair.Client, CoapEndpointPair.Address + "/lamp", CancellationToken.None)));

        static async Task<bool> RunAsync(CoapClient client, string uri, CancellationToken cancellationToken)
        {
            CoapContent content = CoapContent.Cbor(new Lamp(true), LampContext.Default.Lamp);
            CoapResponse changed = await client.PutAsync(uri, content, cancellationToken);
            Lamp? lamp = await client.GetFromCborAsync(uri, LampContext.Default.Lamp, cancellationToken);
            return changed.IsSuccess && lamp is { On: true };
        }
    }

    [Fact]
    public async Task CBOR_is_formatted_in_diagnostic_notation()
    {
        CoapResponse response = await Answer.OfAsync(CoapContent.Cbor(new Lamp(true), LampContext.Default.Lamp));

        bool isCbor = CoapCborNotation.TryFormat(response.Payload.Span, out string notation, out CoapContentSyntaxError error);

        Assert.True(isCbor, error.Message);
        Assert.Equal("""{"on": true}""", notation);
    }

    [Fact]
    public void CBOR_is_parsed_from_diagnostic_notation()
    {
        byte[] cbor = CoapCborNotation.Parse("""
            {
              1: h'01 02',    # bytes
              2: 1.5_2,       # in single precision
              3: [_ "a", 0(<<true>>)]
            }
            """);

        Assert.Equal("a30142010202fa3fc00000039f6161c041f5ff", Wire.Hex(cbor));
    }

    [Fact]
    public async Task CBOR_is_converted_to_JSON()
    {
        CoapResponse response = await Answer.OfAsync(CoapContent.Cbor(new Lamp(true), LampContext.Default.Lamp));

        byte[] json = CoapCborJson.Convert(response.Payload.Span, CoapContentFormat.Cbor, maxSize: 64 * 1024);
        CoapContent content = new(json, CoapContentFormat.Json);

        await Answer.OfAsync(content).Says("""{"on":true}""");
    }
}
