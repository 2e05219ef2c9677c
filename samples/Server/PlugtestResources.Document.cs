using CoAP.NET;

namespace Server;

// Beyond the list: FETCH, PATCH and iPATCH (RFC 8132)
public static partial class PlugtestResources
{
    private static void MapDocument(CoapServer server)
    {
        JsonDocumentResource document = new("""{"name":"lamp","on":false,"level":7}""");
        CoapRouteHandlerBuilder whole = server.MapGet("/document", document.Get).WithTitle("A JSON object")
            .WithContentFormat(CoapContentFormat.Json).Observable();
        CoapRouteHandlerBuilder parts = server.MapFetch("/document", document.Fetch).Consumes(CoapContentFormat.Json).Observable();
        server.Map("/document", [CoapMethod.Patch, CoapMethod.IPatch], (CoapRequestContext request) => Report(document.Patch(request)))
            .Consumes(CoapContentFormat.MergePatch);
        server.MapDelete("/document", () => Report(document.Reset()));

        CoapResult Report(CoapResult result)
        {
            whole.Notify();
            parts.Notify();
            return result;
        }
    }
}
