using Microsoft.AspNetCore.Http;

namespace CoAP.NET.AspNetCore.Endpoints;

/// <summary>A CoAP route with its candidate endpoints, which ASP.NET Core distinguishes by constraints.</summary>
/// <param name="runner">Runs them.</param>
/// <param name="method">The method of the route.</param>
/// <param name="candidates">The endpoints of this method; the first match wins.</param>
/// <param name="others">The endpoints of other methods.</param>
internal sealed class EndpointRoute(EndpointRunner runner, CoapMethod method, ServedEndpoint[] candidates, ServedEndpoint[] others)
{
    private static readonly CoapResult s_notFound = new(CoapCode.NotFound);
    private static readonly CoapResult s_methodNotAllowed = new(CoapCode.MethodNotAllowed);

    /// <summary>Whether an endpoint reads a format itself.</summary>
    public bool Reads(CoapContentFormat? format) => format?.MediaType is { } mediaType
        && Array.Exists(candidates, candidate => candidate.Names(mediaType));

    public ValueTask<CoapResult> ServeAsync(CoapRequestContext request, CancellationToken cancellationToken) =>
        runner.RunAsync(request, this, cancellationToken);

    /// <summary>Authorizes the client before its body is assembled.</summary>
    public CoapHandler Guard(CoapRouteInfo route, CoapHandler next) => (request, cancellationToken) => request.IsBodyPending
        ? runner.AdmitAsync(request, this, next, cancellationToken) : next(request, cancellationToken);

    /// <summary>Selects the endpoint of a request, and sets its route values and HTTP method.</summary>
    /// <param name="exchange">The request.</param>
    /// <param name="contentType">The media type of the body for the handler; null for none.</param>
    public AspNetEndpointSelection Choose(InProcessHttpContext exchange, string? contentType)
    {
        HttpContext context = exchange.Context;
        ServedEndpoint? ofOtherType = null;
        foreach (ServedEndpoint candidate in candidates)
        {
            if (!candidate.TryMatch(context))
            {
                continue;
            }

            string? type = exchange.CanHaveBody ? candidate.TypeOf(contentType) : contentType;
            if (candidate.Takes(type))
            {
                if (type != contentType)
                {
                    context.Request.ContentType = type;
                }

                context.Request.Method = candidate.MethodOf(method)!;
                return new AspNetEndpointSelection(candidate, null);
            }

            ofOtherType ??= candidate;
        }

        return AspNetEndpointSelection.None(ofOtherType is not null
            ? CoapResults.Refuse(exchange.Request, ofOtherType.Refusal, CoapCode.UnsupportedContentFormat)
            : Array.Exists(others, other => other.TryMatch(context)) ? s_methodNotAllowed : s_notFound);
    }
}
