using System.Net.Mime;
using CoAP.NET.Http;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Metadata;
using Microsoft.AspNetCore.Routing;

namespace CoAP.NET.AspNetCore.Endpoints;

/// <summary>
/// Groups ASP.NET Core endpoints into CoAP routes. Several endpoints may share a route because its templates have no constraints; the
/// request then decides, in the order of ASP.NET Core.
/// </summary>
internal sealed class EndpointToCoapRouteMapper(
    IReadOnlyList<ServedEndpoint> endpoints, CoapRouteGroup routes, EndpointRunner runner, CborJsonTranslator json)
{
    private const long MaxBodySize = 1L << 30;

    /// <summary>Maps all endpoints.</summary>
    /// <param name="problems">Receives the endpoints that cannot be mapped, with the reason.</param>
    public void Map(List<string> problems)
    {
        EndpointRouteOverlapIndex index = new();
        for (int i = 0; i < endpoints.Count; i++)
        {
            foreach (EndpointRouteTemplate shape in endpoints[i].Shapes)
            {
                index.Add(shape, i);
            }
        }

        foreach (EndpointRouteTemplate shape in endpoints.SelectMany(static endpoint => endpoint.Shapes)
            .DistinctBy(static shape => shape.Key, StringComparer.Ordinal))
        {
            ServedEndpoint[] there = [.. index.Overlapping(shape).Select(i => endpoints[i])
                .OrderBy(static endpoint => endpoint.Endpoint.Order).ThenBy(static endpoint => Precedence(endpoint))];
            foreach (CoapMethod method in there.SelectMany(static endpoint => endpoint.Methods).Distinct().Order())
            {
                Map(shape, method, there, problems);
            }
        }
    }

    private static decimal Precedence(ServedEndpoint endpoint) => endpoint.Endpoint.RoutePattern.InboundPrecedence;

    private void Map(EndpointRouteTemplate shape, CoapMethod method, ServedEndpoint[] there, List<string> problems)
    {
        ServedEndpoint[] candidates = Reachable(shape, [.. there.Where(endpoint => endpoint.MethodOf(method) is not null)]);
        if (Array.Find(candidates, other => !other.Marks.SequenceEqual(candidates[0].Marks)) is { } other)
        {
            problems.Add($"{candidates[0].Name} and {other.Name}: They share the CoAP route {(CoapCode)method} {shape.Template}, but "
                + "their WithCoap calls differ. Call WithCoap on a group around both.");
            return;
        }

        EndpointRoute route = new(runner, method, candidates, [.. there.Except(candidates)]);
        try
        {
            Describe(routes.Map(shape.Template, [method], route.ServeAsync).AddFilterFactory(route.Guard, beforeBody: true),
                candidates[0]);
        }
        catch (Exception exception) when (exception is ArgumentException or InvalidOperationException)
        {
            problems.Add($"{candidates[0].Name}: {exception.Message}");
        }
    }

    // After an endpoint that serves everything only endpoints with another body type are reachable.
    private static ServedEndpoint[] Reachable(EndpointRouteTemplate shape, ServedEndpoint[] candidates)
    {
        int certain = Array.FindIndex(candidates, endpoint => endpoint.IsCertain(shape));
        return certain < 0 ? candidates
            : [.. candidates.Where((endpoint, i) => i <= certain || (Precedence(endpoint) == Precedence(candidates[certain])
                && endpoint.Endpoint.Order == candidates[certain].Endpoint.Order))];
    }

    private void Describe(CoapRouteHandlerBuilder route, ServedEndpoint endpoint)
    {
        EndpointMetadataCollection metadata = endpoint.Endpoint.Metadata;
        if (metadata.GetMetadata<IEndpointSummaryMetadata>()?.Summary is { Length: > 0 } summary)
        {
            route.WithTitle(summary);
        }

        CoapContentFormat[] formats = [.. FormatsOf(metadata).Distinct()];
        if (formats.Length != 0)
        {
            route.WithContentFormat(formats);
        }

        if (metadata.GetMetadata<IExcludeFromDescriptionMetadata>() is { ExcludeFromDescription: true })
        {
            route.ExcludeFromDiscovery();
        }

        if (metadata.GetMetadata<IRequestSizeLimitMetadata>()?.MaxRequestBodySize is { } size and > 0)
        {
            route.WithMaxBodySize(Math.Min(size, MaxBodySize));
        }

        foreach (CoapServingMetadata mark in endpoint.Marks)
        {
            mark.Configure!(route);
        }
    }

    private IEnumerable<CoapContentFormat> FormatsOf(EndpointMetadataCollection metadata)
    {
        foreach (string type in metadata.GetOrderedMetadata<IProducesResponseTypeMetadata>()
            .Where(static produces => produces.StatusCode is StatusCodes.Status200OK)
            .SelectMany(static produces => produces.ContentTypes))
        {
            if (type == MediaTypeNames.Text.Plain)
            {
                yield return CoapContentFormat.TextPlain;
            }
            else if (CoapContentFormat.TryFromMediaType(type, out CoapContentFormat format))
            {
                yield return format;
                foreach ((CoapContentFormat cbor, string mediaType) in json.MediaTypes)
                {
                    if (json.Converts && mediaType == type)
                    {
                        yield return cbor;
                    }
                }
            }
        }
    }
}
