using CoAP.NET;

namespace Server;

// Options of requests, and responses that take their time
public static partial class PlugtestResources
{
    private static void MapRequests(CoapServer server, TimeProvider time)
    {
        // CORE_13, CORE_14: several segments, several queries
        server.MapGet("/seg1/seg2/seg3", request => CoapResults.Text($"Long path resource {request.Path}"));
        server.MapGet("/query", request => CoapResults.Text($"Query: {string.Join('&', request.Queries)}"));

        // CORE_09, 11, 16, 17: slower than the peer waits for an acknowledgement, so the response is a separate one
        server.MapGet("/separate", async (_, cancellationToken) =>
        {
            await Task.Delay(TimeSpan.FromSeconds(3), time, cancellationToken).ConfigureAwait(false);
            return CoapResults.Text("That took some time.");
        });

        // CORE_19: the location of what was created has a query
        server.MapPost("/location-query", () => CoapResults.Created().WithLocationQuery("first=1", "second=2"));

        // CORE_20: two representations
        server.MapGet("/multi-format", request => request.SelectFormat(CoapContentFormat.TextPlain, CoapContentFormat.Xml) switch
        {
            { } format when format == CoapContentFormat.Xml =>
                CoapResults.Content(CoapContent.Text("<msg text=\"hello\"/>", CoapContentFormat.Xml)),
            { } => CoapResults.Text("hello"),
            null => CoapResults.NotAcceptable(),
        }).WithContentFormat(CoapContentFormat.TextPlain, CoapContentFormat.Xml);
    }
}
