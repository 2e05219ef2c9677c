namespace CoAP.NET.Edhoc;

/// <summary>Maps EDHOC to servers and groups of routes.</summary>
public static class EdhocMapping
{
    /// <summary>The path that clients ask unless they know another one (RFC 9528 appendix A.2).</summary>
    public const string DefaultPath = "/.well-known/edhoc";

    /// <summary>
    /// Serves EDHOC (RFC 9528 appendix A.2). The resource is listed with <c>rt=core.edhoc</c> and what it supports (RFC 9668 section 6).
    /// </summary>
    /// <param name="routes">The server, or a group whose filters and rate limits shall hold.</param>
    /// <param name="edhoc">What answers.</param>
    /// <param name="path">The path. Default <see cref="DefaultPath"/>.</param>
    /// <returns>The route, to say more about it.</returns>
    /// <exception cref="InvalidOperationException">The path has a handler already.</exception>
    public static CoapRouteHandlerBuilder MapEdhoc(this ICoapRouteBuilder routes, EdhocServer edhoc, string path = DefaultPath)
    {
        ArgumentNullException.ThrowIfNull(routes);
        ArgumentNullException.ThrowIfNull(edhoc);
        CoapRouteHandlerBuilder route = routes.MapPost(path, edhoc.HandleAsync).IgnoreAccept().Atomic().MaxBodySize(edhoc.MaxRequestSize)
            .WithResourceType("core.edhoc");
        return edhoc.Attributes.AddTo(route);
    }
}
