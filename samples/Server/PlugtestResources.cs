using System.Text;
using CoAP.NET;

namespace Server;

/// <summary>The resources of the ETSI CoAP plugtest list that need no block-wise transfer and no Observe.</summary>
internal static class PlugtestResources
{
    public static void MapTo(CoapServer server)
    {
        server.MapGet("/hello", () => CoapResults.Text("hello world!")).WithTitle("Says hello").WithContentFormat(CoapContentFormat.TextPlain);
        MapTest(server);
        MapRequests(server);
        MapValidation(server);
        MapLinks(server);
    }

    // TD_COAP_CORE_01 to 08, 18: one resource that takes every method of RFC 7252
    private static void MapTest(CoapServer server)
    {
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

    private static void MapRequests(CoapServer server)
    {
        // CORE_13, CORE_14: several segments, several queries
        server.MapGet("/seg1/seg2/seg3", request => CoapResults.Text($"Long path resource {request.Path}"));
        server.MapGet("/query", request => CoapResults.Text($"Query: {string.Join('&', request.Queries)}"));

        // CORE_09, 11, 16, 17: slower than the peer waits for an acknowledgement, so the response is a separate one
        server.MapGet("/separate", async (_, cancellationToken) =>
        {
            await Task.Delay(TimeSpan.FromSeconds(3), TimeProvider.System, cancellationToken);
            return CoapResults.Text("That took some time.");
        });

        // CORE_19: the location of what was created has a query
        server.MapPost("/location-query", () => CoapResults.Created().WithLocationQuery("first=1", "second=2"));

        // CORE_20: two representations
        server.MapGet("/multi-format", request => request.SelectFormat(CoapContentFormat.TextPlain, CoapContentFormat.Xml) switch
        {
            { } format when format == CoapContentFormat.Xml => CoapResults.Content(CoapContent.Text("<msg text=\"hello\"/>", CoapContentFormat.Xml)),
            { } => CoapResults.Text("hello"),
            null => CoapResults.NotAcceptable(),
        }).WithContentFormat(CoapContentFormat.TextPlain, CoapContentFormat.Xml);
    }

    private static void MapValidation(CoapServer server)
    {
        // CORE_21, CORE_22: ETag and If-Match
        Representation validated = new("A representation to validate.");
        server.MapGet("/validate", request => CoapResults.ValidOr(request, validated.ETag, () => validated.Get().WithETag(validated.ETag)));
        server.MapPut("/validate", request => request.CheckPreconditions(validated.ETag) ?? validated.Replace(request));

        // CORE_23: created once, then If-None-Match fails
        Representation created = new();
        server.MapPut("/create1", request => request.CheckPreconditions(created.Exists ? created.ETag : null) ?? created.Replace(request));
        server.MapGet("/create1", () => created.Get());
        server.MapDelete("/create1", () =>
        {
            created.Delete();
            return CoapResults.Deleted();
        });
    }

    // LINK_01 to 09: attributes to filter by
    private static void MapLinks(CoapServer server)
    {
        server.MapGet("/link1", () => CoapResults.Text("link1")).WithResourceType("Type1 Type2").WithInterface("If1");
        server.MapGet("/link2", () => CoapResults.Text("link2")).WithResourceType("Type2 Type3").WithInterface("If2").WithSize(2048);
        server.MapGet("/link3", () => CoapResults.Text("link3")).WithResourceType("Type1 Type3").WithInterface("foo");
        server.MapGet("/path", () => CoapResults.Content(CoapContent.Text("</path/sub1>,</path/sub2>,</path/sub3>", CoapContentFormat.LinkFormat)))
            .WithContentFormat(CoapContentFormat.LinkFormat);
        foreach (string name in new[] { "sub1", "sub2", "sub3" })
        {
            server.MapGet($"/path/{name}", () => CoapResults.Text(name)).Hidden();
        }
    }
}
