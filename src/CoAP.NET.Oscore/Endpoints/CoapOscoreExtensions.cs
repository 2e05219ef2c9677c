using CoAP.NET.Hosting;
using CoAP.NET.Oscore;
using CoAP.NET.Oscore.Endpoints;
using CoAP.NET.Oscore.Hosting;
using CoAP.NET.Oscore.Stage;
using CoAP.NET.Oscore.Telemetry;

namespace CoAP.NET;

/// <summary>Adds OSCORE (RFC 8613) to clients, servers, routes and authorization policies.</summary>
public static class CoapOscoreExtensions
{
    /// <summary>Protects the requests of a client to a server.</summary>
    /// <param name="options">The options of the endpoint.</param>
    /// <param name="uri">Scheme, host and port of the server, such as <c>coap://door.example</c>.</param>
    /// <param name="contextFile">
    /// The file with the context of this server, or a directory of aiocoap (docs/oscore.md).
    /// </param>
    /// <returns><paramref name="options"/>.</returns>
    /// <exception cref="CoapException">
    /// The file is not readable, has an error or not one context, or another endpoint has it. The message says what to do, and contains no
    /// secret.
    /// </exception>
    /// <exception cref="ArgumentException">The URI is not valid.</exception>
    /// <exception cref="InvalidOperationException">The endpoint already has a protection that is not of such files.</exception>
    /// <remarks>
    /// Call it for each server; requests to other servers leave unprotected. Waits for the disk. The options are for one endpoint, which
    /// reads the file once. It opens the sequence numbers beside the file, closes them when it has stopped, and wipes its keys then. One
    /// endpoint at a time can use a file.
    /// </remarks>
    public static CoapEndpointOptions UseOscore(this CoapEndpointOptions options, CoapUri uri, string contextFile)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(uri);
        ArgumentException.ThrowIfNullOrEmpty(contextFile);
        return Use(options, contextFile, OscoreFileOptionsValidator.CheckOfClient(contextFile, nameof(UseOscore)),
            (contexts, file) => contexts.Add(uri, file.Only));
    }

    /// <inheritdoc cref="UseOscore(CoapEndpointOptions, CoapUri, string)"/>
    /// <exception cref="CoapFormatException">The text is not a URI.</exception>
    public static CoapEndpointOptions UseOscore(this CoapEndpointOptions options, string uri, string contextFile) =>
        UseOscore(options, CoapUri.FromString(uri), contextFile);

    /// <summary>Lets a server accept the protected requests of the clients of a file.</summary>
    /// <param name="options">The options of the endpoint.</param>
    /// <param name="contextFile">
    /// The file with the contexts of all clients, or a directory of aiocoap (docs/oscore.md).
    /// </param>
    /// <returns><paramref name="options"/>.</returns>
    /// <exception cref="CoapException">
    /// The file is not readable, has an error, or another endpoint has it. The message says what to do, and contains no secret.
    /// </exception>
    /// <exception cref="InvalidOperationException">The endpoint already has a protection that is not of such files.</exception>
    /// <remarks>
    /// Unprotected requests are served as before: mark routes by <see cref="CoapOscoreExtensions.RequireOscore"/>. Waits for the disk. The
    /// options are for one endpoint, which reads the file once.
    /// </remarks>
    /// <exception cref="ArgumentException"><paramref name="contextFile"/> is empty.</exception>
    public static CoapEndpointOptions UseOscore(this CoapEndpointOptions options, string contextFile)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentException.ThrowIfNullOrEmpty(contextFile);
        return Use(options, contextFile, OscoreFileOptionsValidator.Check(contextFile, nameof(UseOscore), out _), static (_, _) => { });
    }

    /// <summary>
    /// Lets an endpoint accept requests protected by OSCORE (RFC 8613), and protects its own to hosts with a security context, over all
    /// transports.
    /// </summary>
    /// <param name="options">The options of the endpoint.</param>
    /// <param name="contexts">The security contexts. You may change them while the endpoint runs, and share them between endpoints.</param>
    /// <returns><paramref name="options"/>.</returns>
    /// <exception cref="InvalidOperationException">The endpoint already has a protection, or is already constructed.</exception>
    /// <remarks>The endpoint serves unprotected requests as before, unless a route requires protection.</remarks>
    public static CoapEndpointOptions UseOscore(this CoapEndpointOptions options, OscoreContexts contexts)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(contexts);
        OscoreTelemetry? telemetry = null; // one for all shards, which the endpoint creates one after the other
        options.Pipeline.Replace(
            CoapStages.Protection, stage => new OscoreProtection(contexts, stage, telemetry ??= new OscoreTelemetry(contexts, stage)));
        return options;
    }

    /// <summary>
    /// Serves routes only to requests protected by OSCORE; others get 4.01 before the handler runs, and a body in blocks at its first
    /// block.
    /// </summary>
    /// <typeparam name="TSelf">The type of the routes.</typeparam>
    /// <param name="routes">The routes.</param>
    /// <param name="allows">Decides which peers to serve; null for all that have the keys of a security context of the endpoint.</param>
    /// <returns>The routes.</returns>
    /// <remarks>
    /// <see cref="CoapRouteConventions{TSelf}.RequireTransportSecurity"/> requires a secured transport instead: OSCORE protects across
    /// proxies, a transport only to the next hop. If the server also listens on a secured transport and OSCORE alone is sufficient, call
    /// <see cref="CoapRouteConventions{TSelf}.AllowInsecureTransport"/> too.
    /// </remarks>
    public static TSelf RequireOscore<TSelf>(this CoapRouteConventions<TSelf> routes, Func<OscoreIdentity, bool>? allows = null)
        where TSelf : CoapRouteConventions<TSelf>
    {
        ArgumentNullException.ThrowIfNull(routes);
        return routes.AddFilterFactory(
            (_, next) => (request, cancellationToken) =>
                request.Peer?.Identity is not OscoreIdentity peer
                    ? new ValueTask<CoapResult>(CoapResults.Unauthorized("This resource is served with OSCORE only (RFC 8613)."))
                    : allows is null || allows(peer)
                        ? next(request, cancellationToken)
                        : new ValueTask<CoapResult>(CoapResults.Forbidden()),
            beforeBody: true);
    }

    /// <summary>
    /// Requires a request protected by OSCORE (RFC 8613), from a peer that meets a condition; without OSCORE 4.01, for another peer 4.03.
    /// </summary>
    /// <param name="policy">The policy.</param>
    /// <param name="condition">
    /// Checks the identity, such as its <see cref="OscoreIdentity.Kid"/>, or after EDHOC its <see cref="OscoreIdentity.Owner"/>; null for
    /// any.
    /// </param>
    /// <returns>The policy.</returns>
    /// <remarks>The transport does not matter.</remarks>
    public static CoapAuthorizationPolicyBuilder RequireOscore(
        this CoapAuthorizationPolicyBuilder policy, Func<OscoreIdentity, bool>? condition = null)
    {
        ArgumentNullException.ThrowIfNull(policy);
        return policy.Require(context =>
            context.Identity is not OscoreIdentity identity ? CoapAuthorizationDecision.Unauthorized("Come with OSCORE.")
                : condition is null || condition(identity) ? CoapAuthorizationDecision.Allowed : CoapAuthorizationDecision.Forbidden());
    }

    private static CoapEndpointOptions Use(
        CoapEndpointOptions options, string contextFile, string? problem, Action<OscoreContexts, OscoreContextFileMonitor> complete)
    {
        if (problem is not null)
        {
            throw new CoapException(problem);
        }

        OscoreContexts? before = options.Owned.OfType<HostedOscore>().FirstOrDefault()?.Contexts;
        OscoreContexts contexts = before ?? new OscoreContexts();
        HostedOscore opened = new(contexts, storePath: null);
        try
        {
            opened.OpenAsync([contextFile], CancellationToken.None).GetAwaiter().GetResult();
            complete(contexts, opened.Files[0]);
            if (before is null)
            {
                options.UseOscore(contexts);
            }

            options.Owned.Add(opened);
            return options;
        }
        catch
        {
            opened.Dispose();
            throw;
        }
    }
}
