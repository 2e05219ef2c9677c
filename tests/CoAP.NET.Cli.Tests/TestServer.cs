namespace CoAP.NET.Cli.Tests;

/// <summary>A server on loopback with a resource for each thing that the tool can show.</summary>
internal static class TestServer
{
    /// <summary>Starts it on a free port.</summary>
    public static async Task<CoapServer> StartAsync(Action<CoapServer>? map = null, string uri = "coap://127.0.0.1:0",
        CoapEndpointOptions? options = null)
    {
        CoapServer server = new(options);
        server.Listen(uri);
        server.MapGet("/text", () => CoapResults.Text("21.5"));
        server.MapGet("/json",
            () => CoapResults.Content(new CoapContent("""{"t":21.50,"tags":["a",{}],"on":true}"""u8.ToArray(), CoapContentFormat.Json)));
        server.MapGet("/cbor",
            () => CoapResults.Content(new CoapContent(Convert.FromHexString("a2616183010203616242cafe"), CoapContentFormat.Cbor)));
        server.MapGet("/binary", () => CoapResults.Content(new CoapContent(new byte[] { 0, 1, 2, 0xff }, CoapContentFormat.OctetStream)));
        server.MapGet("/large",
            () => CoapResults.Content(new CoapContent(Encoding.ASCII.GetBytes(new string('x', 5000)), CoapContentFormat.TextPlain)));
        server.MapGet("/fails", CoapResult () => throw new InvalidOperationException("no"));
        server.Map("/echo", [CoapMethod.Post, CoapMethod.Put, CoapMethod.Fetch, CoapMethod.Patch, CoapMethod.IPatch],
            (CoapRequestContext request) => CoapResults.Content(new CoapContent(request.Payload, request.ContentFormat)));
        map?.Invoke(server);
        await server.StartAsync();
        return server;
    }
}
