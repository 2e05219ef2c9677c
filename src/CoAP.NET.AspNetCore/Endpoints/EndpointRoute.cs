using Microsoft.AspNetCore.Http;

namespace CoAP.NET.AspNetCore.Endpoints;

/// <summary>A route of CoAP, and the endpoints that may be meant by it: those of ASP.NET Core have constraints besides.</summary>
/// <param name="runner">Runs them.</param>
/// <param name="method">The method of the route.</param>
/// <param name="candidates">Those of its method, the first that matches counts.</param>
/// <param name="others">Those of other methods.</param>
internal sealed class EndpointRoute(EndpointRunner runner, CoapMethod method, ServedEndpoint[] candidates, ServedEndpoint[] others)
{
    private static readonly CoapResult s_notFound = new(CoapCode.NotFound);
    private static readonly CoapResult s_methodNotAllowed = new(CoapCode.MethodNotAllowed);
    private static readonly CoapResult s_unsupported = new(CoapCode.UnsupportedContentFormat);

    /// <summary>Whether an endpoint says that it reads a format itself.</summary>
    public bool Reads(CoapContentFormat? format) => format?.MediaType is { } mediaType
        && Array.Exists(candidates, candidate => candidate.Names(mediaType));

    public ValueTask<CoapResult> ServeAsync(CoapRequest request, CancellationToken cancellationToken) =>
        runner.RunAsync(request, this, cancellationToken);

    /// <summary>Asks who may send a body before it is put together.</summary>
    public CoapHandler Guard(CoapRouteInfo route, CoapHandler next) => (request, cancellationToken) => request.IsBodyPending
        ? runner.AdmitAsync(request, this, next, cancellationToken) : next(request, cancellationToken);

    /// <summary>The endpoint of a request, which then has the values of its parameters and the method of HTTP.</summary>
    /// <param name="context">The request.</param>
    /// <param name="contentType">The type of the body that its handler will read; null for none.</param>
    public EndpointChoice Choose(HttpContext context, string? contentType)
    {
        bool isOfOtherType = false;
        foreach (ServedEndpoint candidate in candidates)
        {
            if (!candidate.TryMatch(context))
            {
                continue;
            }

            if (candidate.Takes(contentType))
            {
                context.Request.Method = candidate.MethodOf(method)!;
                return new EndpointChoice(candidate, null);
            }

            isOfOtherType = true;
        }

        return EndpointChoice.None(isOfOtherType ? s_unsupported
            : Array.Exists(others, other => other.TryMatch(context)) ? s_methodNotAllowed : s_notFound);
    }
}
