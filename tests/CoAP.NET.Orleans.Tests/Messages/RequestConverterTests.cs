namespace CoAP.NET.Orleans.Tests.Messages;

/// <summary>Requests to devices between silos.</summary>
public sealed class RequestConverterTests(SiloServices silo) : IClassFixture<SiloServices>
{
    [Fact]
    public void A_request_keeps_what_the_device_needs()
    {
        CoapRequest request = new(CoapMethod.Put, "coap://whatever.example/things/a%2Fb?x=1")
        {
            Content = CoapContent.Text("body"),
            Confirmable = false,
            Timeout = FromSeconds(5),
        };

        CoapRequest read = silo.Serializer.Deserialize<CoapRequest>(silo.Serializer.SerializeToArray(request))!;

        Assert.Equal((CoapMethod.Put, "/things/a/b", "body", false, FromSeconds(5)),
            (read.Method, read.Path, read.GetText(), read.Confirmable, read.Timeout));
        Assert.Equal(["x=1"], read.Queries);
        Assert.Equal(CoapContentFormat.TextPlain, read.ContentFormat);
    }

    [Fact]
    public async Task A_request_with_a_body_from_a_stream_is_refused()
    {
        await using MemoryStream body = new([1, 2, 3]);
        CoapRequest request = new(CoapMethod.Put, "/things") { Content = CoapContent.Stream(body, CoapContentFormat.OctetStream) };

        Assert.Throws<NotSupportedException>(() => silo.Serializer.SerializeToArray(request)).Mentions("ToDevice");
    }
}
