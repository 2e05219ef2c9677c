using System.Text.Json.Nodes;
using CoAP.NET.Explorer.Decoding;
using CoAP.NET.Explorer.Pages;

namespace CoAP.NET.Explorer.Exploring;

/// <summary>Discovers resources of a server (RFC 6690), and servers in the network (RFC 7252 section 8).</summary>
/// <param name="time">The clock.</param>
internal sealed class ExplorerDiscovery(TimeProvider time)
{
    private const string Core = "/.well-known/core";
    private const string AllNodes = "coap://224.0.1.187";
    private const int MostDevices = 1000;
    private const int MostLinks = 100_000;

    /// <summary>Requests the resources of a server, and returns the response for the page.</summary>
    /// <exception cref="ExplorerException">The response is an error, or not a list.</exception>
    public async Task<string> ResourcesAsync(CoapClient client, CoapUri target, CancellationToken cancellationToken)
    {
        string origin = $"{target.Scheme}://{target.Authority}";
        long started = time.GetTimestamp();
        CoapRequest request = new(CoapMethod.Get, origin + Core) { Accept = CoapContentFormat.LinkFormat };
        CoapResponse response = await client.SendAsync(request, cancellationToken).ConfigureAwait(false);
        if (!response.IsSuccess)
        {
            throw new ExplorerException(502, new PageProblem(
                "No list of resources", $"{origin} answered {response.Code} at {Core}.",
                "You can still request its resources by their paths."));
        }

        if (!CoapLinkFormat.TryParse(response.Payload.Span, out IReadOnlyList<CoapLink> links, out CoapContentSyntaxError error, MostLinks))
        {
            throw new ExplorerException(502, new PageProblem(
                "No list of resources", $"The response of {origin} at {Core} is not a list of links: {error.Message} at byte "
                    + $"{error.Offset}.",
                "You can still request its resources by their paths."));
        }

        TimeSpan elapsed = time.GetElapsedTime(started);
        return new JsonObject
        {
            ["elapsedMs"] = Math.Round(elapsed.TotalMilliseconds, 3),
            ["links"] = links.ToJson(link => Of(link, origin)),
        }.ToJsonString();
    }

    /// <summary>Sends a request to the group of all CoAP nodes, and reports each response.</summary>
    public async Task DiscoverAsync(CoapClient client, TimeSpan duration, PageEventWriter events, CancellationToken cancellationToken)
    {
        CoapRequest request = new(CoapMethod.Get, AllNodes + Core)
        {
            Accept = CoapContentFormat.LinkFormat,
            Confirmable = false,
            Timeout = duration,
        };
        long started = time.GetTimestamp();
        int devices = 0;
        await foreach (CoapGroupResponse answer in client.SendToGroupAsync(request, null, cancellationToken).ConfigureAwait(false))
        {
            if (devices == MostDevices)
            {
                break;
            }

            devices++;
            int links = answer.Error is null && answer.Response.IsSuccess
                && CoapLinkFormat.TryParse(answer.Response.Payload.Span, out IReadOnlyList<CoapLink> found, out _) ? found.Count : 0;
            double elapsed = time.GetElapsedTime(started).TotalMilliseconds;
            events.Add(new()
            {
                ["kind"] = "device",
                ["address"] = CoapUri.OriginOf(answer.Uri.ToString()),
                ["name"] = null,
                ["links"] = links,
                ["elapsedMs"] = Math.Round(elapsed, 1),
            });
        }

        events.Add(new() { ["kind"] = "done", ["devices"] = devices });
    }

    private static JsonObject Of(CoapLink link, string origin)
    {
        string uri = link.ResolveTarget(origin + "/");
        JsonObject json = new()
        {
            ["uri"] = uri,
            ["path"] = uri.StartsWith(origin + "/", StringComparison.Ordinal) ? uri[origin.Length..] : uri,
            ["title"] = link.Title,
            ["rt"] = link.ResourceTypes.ToJson(),
            ["if"] = link.Interfaces.ToJson(),
            ["ct"] = link.ContentFormats.ToJson(static format => format.Value),
        };
        json.AddKnown("sz", link.Size);
        json["obs"] = link.IsObservable;
        json["attributes"] = link.Attributes.ToJson(
            static attribute => new JsonObject { ["name"] = attribute.Name, ["value"] = attribute.Value });
        return json;
    }
}
