using CoAP.NET;

namespace Server;

// TD_COAP_CORE_01 to 08, 10, 12, 15, 18: one resource that takes every method of RFC 7252
public static partial class PlugtestResources
{
    private static void MapTest(CoapServer server)
    {
        // What never changes is made once.
        CoapResult hello = CoapResults.Text("hello world!");
        server.MapGet("/hello", () => hello).WithTitle("Says hello").WithContentFormat(CoapContentFormat.TextPlain);

        Representation test = new("This is a test resource.");
        server.MapGet("/test", () => test.Get()).WithTitle("Test resource").WithContentFormat(CoapContentFormat.TextPlain);
        server.MapPost("/test", request => test.Set(request)
            ? CoapResults.Created("/location1/location2/location3")
            : CoapResults.BadRequest("A payload is needed."));
        server.MapPut("/test", request => test.Replace(request));
        server.MapDelete("/test", () =>
        {
            test.Delete();
            return CoapResults.Deleted();
        });
    }
}
