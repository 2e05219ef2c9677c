using CoAP.NET.Tests.Endpoints;
using CoAP.NET.Tests.Structure;

namespace CoAP.NET.Tests.Content;

/// <summary>The snippets of docs/content.md, so that they compile and do what the page says.</summary>
public sealed class ContentDocumentationTests : EndpointTest
{
    [Fact]
    public void Every_snippet_of_the_page_stands_in_these_tests() => Snippets.AllStandInTests("content.md", "Content", 7);

    [Fact]
    public void Media_types_lead_to_numbers()
    {
        CoapContentFormat.TryFromMediaType("text/plain; charset=UTF-8", out CoapContentFormat format);
        Console.WriteLine($"{format.Value} is {format.MediaType}");
        CoapContentFormat.TryFromMediaType("application/json", out format, contentCoding: "deflate");
        Assert.Equal(CoapContentFormat.JsonDeflate, format);
    }

    [Fact]
    public async Task JSON_is_made_and_read()
    {
        CoapContent content = CoapContent.Json(new Lamp(true), LampContext.Default.Lamp);
        CoapServer server = Server;

        server.MapPut("/lamp", request =>
        {
            Lamp? lamp = request.ReadJson(LampContext.Default.Lamp);
            return CoapResults.Changed();
        });

        await StartAsync();
        Assert.Equal("44", Exchange($"40030001b46c616d701132ff{Wire.Hex(content.Bytes.Span)}")[2..4]);
    }

    [Fact]
    public void Patches_are_applied()
    {
        byte[] document = """{"on":true,"level":3}"""u8.ToArray();
        CoapRequest request = new(CoapMethod.Patch, "coap://h/lamp") { Content = new CoapContent("""{"level":null}"""u8.ToArray(), CoapContentFormat.MergePatch) };
        byte[] changed = CoapMergePatch.Apply(document, request.Payload.Span);
        Assert.Equal("""{"on":true}"""u8, changed);
    }

    [Fact]
    public void SenML_is_made_and_read()
    {
        CoapSenmlPack pack = new(
            new CoapSenmlRecord { BaseName = "urn:dev:ow:10e2073a01080063:", BaseTime = 1.320067464e9, Name = "temp", Unit = "Cel", Value = 23.1 },
            new CoapSenmlRecord { Name = "open", BooleanValue = false },
            new CoapSenmlRecord { Name = "temp", Unit = "Cel", Time = 60, Value = 23.4 });
        CoapContent content = CoapContent.Senml(pack, CoapContentFormat.SenmlCbor);

        DateTimeOffset now = Clock.GetUtcNow();
        CoapMessage message = new(CoapCode.Content) { Payload = content.Bytes };
        message.Options.ContentFormat = content.Format;
        CoapResponse response = new(message, Peer);
        foreach (CoapSenmlRecord record in response.ReadSenml().Resolve(now))
        {
            Console.WriteLine($"{record.Timestamp}: {record.Name} {record.Value} {record.Unit}");
        }

        Assert.All(response.ReadSenml().Resolve(now), record => Assert.NotNull(record.Timestamp));
    }

    [Fact]
    public void Packs_of_LwM2M_have_their_profile()
    {
        CoapMessage message = new(CoapCode.Content)
        {
            Payload = new CoapSenmlPack(CoapSenmlProfile.Lwm2m, new CoapSenmlRecord { Name = "/1/0/10", ObjectLinkValue = "3:0" }).ToBytes(CoapContentFormat.SenmlJson),
        };
        message.Options.ContentFormat = CoapContentFormat.SenmlJson;
        CoapResponse response = new(message, Peer);

        CoapSenmlPack asked = new(CoapSenmlProfile.Lwm2m, new CoapSenmlRecord { Name = "/3/0/0" }, new CoapSenmlRecord { Name = "/3/0/9" });
        CoapSenmlPack values = response.ReadSenml(CoapSenmlProfile.Lwm2m);
        string? link = values[0].ObjectLinkValue;
        Assert.Equal(2, asked.Count);
        Assert.Equal("3:0", link);
    }
}
