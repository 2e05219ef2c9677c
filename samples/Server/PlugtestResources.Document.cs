using CoAP.NET;

namespace Server;

// Beyond the list: FETCH, PATCH and iPATCH (RFC 8132)
internal static partial class PlugtestResources
{
    private static void MapDocument(CoapServer server)
    {
        JsonDocumentResource document = new("""{"name":"lamp","on":false,"level":7}""");
        server.MapGet("/document", document.Get).WithTitle("A JSON object").WithContentFormat(CoapContentFormat.Json);
        server.MapFetch("/document", document.Fetch).Consumes(CoapContentFormat.Json);
        server.Map("/document", [CoapMethod.Patch, CoapMethod.IPatch], document.Patch).Consumes(CoapContentFormat.MergePatch);
        server.MapDelete("/document", document.Reset);
    }
}
