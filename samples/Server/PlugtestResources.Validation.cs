using CoAP.NET;

namespace Server;

// CORE_21 to CORE_23: entity-tags and conditions
public static partial class PlugtestResources
{
    private static void MapValidation(CoapServer server)
    {
        Representation validated = new("A representation to validate.");
        server.MapGet("/validate", validated.GetIfChanged);
        server.MapPut("/validate", validated.ReplaceIf);

        // Created once, then If-None-Match fails
        Representation created = new();
        server.MapPut("/create1", created.ReplaceIf);
        server.MapGet("/create1", () => created.Get());
        server.MapDelete("/create1", () =>
        {
            created.Delete();
            return CoapResults.Deleted();
        });
    }
}
