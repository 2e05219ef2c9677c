using CoAP.NET;

namespace Server;

// LINK_01 to 09: attributes to filter by, and a collection
public static partial class PlugtestResources
{
    private static void MapLinks(CoapServer server)
    {
        server.MapGet("/link1", () => CoapResults.Text("link1")).WithResourceType("Type1 Type2").WithInterface("If1");
        server.MapGet("/link2", () => CoapResults.Text("link2")).WithResourceType("Type2 Type3").WithInterface("If2").WithSize(2048);
        server.MapGet("/link3", () => CoapResults.Text("link3")).WithResourceType("Type1 Type3").WithInterface("foo");
        server.MapGet("/path",
            () => CoapResults.Content(CoapContent.Text("</path/sub1>,</path/sub2>,</path/sub3>", CoapContentFormat.LinkFormat)))
            .WithContentFormat(CoapContentFormat.LinkFormat);
        foreach (string name in new[] { "sub1", "sub2", "sub3" })
        {
            server.MapGet($"/path/{name}", () => CoapResults.Text(name)).ExcludeFromDiscovery();
        }
    }
}
