using CoAP.NET.Edhoc;

namespace CoAP.NET;

/// <summary>Maps EDHOC to servers and groups of routes.</summary>
public static class CoapEdhocExtensions
{
    /// <summary>The default path of EDHOC (RFC 9528 appendix A.2).</summary>
    internal const string DefaultPath = "/.well-known/edhoc";

    /// <summary>Maps an EDHOC resource (RFC 9528 appendix A.2).</summary>
    /// <param name="routes">The server, or a group whose filters and rate limits apply.</param>
    /// <param name="edhoc">The server that answers.</param>
    /// <param name="path">The path. Default <c>/.well-known/edhoc</c>.</param>
    /// <returns>The route, for further configuration.</returns>
    /// <exception cref="InvalidOperationException">The path already has a handler.</exception>
    /// <remarks>Its link has <c>rt=core.edhoc</c> and the supported features (RFC 9668 section 6).</remarks>
    public static CoapRouteHandlerBuilder MapEdhoc(this ICoapRouteBuilder routes, EdhocServer edhoc, string path = DefaultPath)
    {
        ArgumentNullException.ThrowIfNull(routes);
        ArgumentNullException.ThrowIfNull(edhoc);
        CoapRouteHandlerBuilder route = routes.MapPost(path, edhoc.HandleAsync)
            .AllowAnyAccept().WithWholeBody().WithMaxBodySize(edhoc.MaxRequestSize)
            .WithResourceType("core.edhoc").WithBlockingLog(false);
        return edhoc.Attributes.AddTo(route);
    }
}
