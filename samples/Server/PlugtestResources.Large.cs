using System.Globalization;
using CoAP.NET;

namespace Server;

// BLOCK_01 to 06: bodies that take several messages. Handlers see them whole.
public static partial class PlugtestResources
{
    private const int LargeLength = 2000;
    private const int MaxBodyLength = 1024 * 1024;

    private static void MapLarge(CoapServer server)
    {
        string large = LargeText.Make(LargeLength);
        server.MapGet("/large", () => CoapResults.Text(large)).WithTitle("2,000 bytes of text")
            .WithContentFormat(CoapContentFormat.TextPlain).WithSize(LargeLength);

        Representation updated = new(large);
        server.MapGet("/large-update", () => updated.Get()).WithTitle("Takes up to 1 MiB");
        server.MapPut("/large-update", request => TooLarge(request) ?? updated.Replace(request));

        Children children = new("/large-create");
        server.MapPost("/large-create", request => TooLarge(request) ?? children.Create(request))
            .WithTitle("Makes a resource of each body");
        server.MapGet("/large-create/{id}", request => children.Get(request.Route["id"])).ExcludeFromDiscovery();

        server.MapPost("/large-post", request => TooLarge(request) ?? CoapResults.Changed(CoapContent.Text(
                string.Create(CultureInfo.InvariantCulture, $"{request.Payload.Length} bytes came.\n{large}"))))
            .WithTitle("Answers a large body by another");
    }

    private static CoapResult? TooLarge(CoapRequestContext request) =>
        request.Payload.Length > MaxBodyLength ? CoapResults.RequestEntityTooLarge(MaxBodyLength) : null;
}
