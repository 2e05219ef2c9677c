using CoAP.NET.Blockwise;
using CoAP.NET.Observing;
using CoAP.NET.Observing.Server;

namespace CoAP.NET.Resources;

/// <summary>The effective settings of a route, with everything inherited, at one version of the table.</summary>
/// <param name="Version">The version of the table.</param>
/// <param name="Execution">The execution options of <paramref name="Executor"/>.</param>
/// <param name="Executor">Runs the handler; kept while its options stay the same.</param>
/// <param name="Produces">The formats of responses; null if none are declared.</param>
/// <param name="Consumes">The formats of payloads; null if the handler checks them.</param>
internal sealed record EffectiveRouteSettings(
    int Version, CoapExecution Execution, RouteExecutor Executor, CoapContentFormat[]? Produces, CoapContentFormat[]? Consumes)
{
    // One object each for all requests: results do not change once they are sent.
    private static readonly CoapResult s_fetchWithoutFormat =
        CoapResults.BadRequest("FETCH needs a Content-Format (RFC 8132 section 2.3.1).");
    private static readonly CoapResult s_unsupportedContentFormat = new(CoapCode.UnsupportedContentFormat);

    /// <summary>4.06.</summary>
    public static CoapResult NotAcceptable { get; } = new(CoapCode.NotAcceptable);

    /// <summary>The origin of the execution options: the route or a group around it.</summary>
    public required RouteSettings ExecutionOwner { get; init; }

    /// <summary>The policy for request bodies, except those of <see cref="Streamed"/>.</summary>
    public required RequestBodyPolicy Body { get; init; }

    /// <summary>The methods whose bodies are streamed; null for none.</summary>
    public StreamedMethods? Streamed { get; init; }

    /// <summary>The settings of observers; null if the route is not observable.</summary>
    public RouteObserveSettings? Observing { get; init; }

    /// <summary>Finds the limits of a resource for its observers of the route; null if no resource has any.</summary>
    public Func<CoapRequestContext, CoapResourceObserverLimits?>? ObserverLimits { get; init; }

    /// <summary>Whether the log reports handlers that block the receiving thread.</summary>
    public bool LogsBlocking { get; init; }

    /// <summary>Whether requests to groups are served.</summary>
    public bool AllowsMulticast { get; init; }

    /// <summary>The response to a request over a plain transport if only secured ones are allowed; null if plain ones are.</summary>
    public CoapResult? SecurityRefusal { get; init; }

    /// <summary>Whether the route is served only over secured transports.</summary>
    public bool NeedsSecurity => SecurityRefusal is not null;

    /// <summary>The schemes of its transports; null for all.</summary>
    public string[]? Schemes { get; init; }

    /// <summary>The maximum age of a request, by its Echo; null for any age.</summary>
    public TimeSpan? Freshness { get; init; }

    /// <summary>Whether the handler forwards requests to another server, which checks their critical options.</summary>
    public bool Forwards { get; init; }

    /// <summary>Whether responses are sent in the format of the handler, even if Accept asks for another one.</summary>
    public bool IgnoresAccept { get; init; }

    /// <summary>Returns for each request the time that its client has to wait; null without a limiter.</summary>
    public Func<CoapRequestContext, TimeSpan?>? Limiter { get; init; }

    /// <summary>
    /// Runs the filters for a request with a block-wise body, before the body is assembled: returns 2.31 Continue, or the response; null if
    /// no filter needs it.
    /// </summary>
    public CoapHandler? Admission { get; init; }

    /// <summary>Describes errors; null if nothing does.</summary>
    public Func<CoapRequestContext, CoapResult, Exception?, CoapContent?>? Describe { get; init; }

    /// <summary>Creates the registration of a request that observes a resource of the route.</summary>
    public PendingObserverRegistration Register(
        Route route, RouteObserveSettings settings, CoapRequestContext request, ObserverNotifier? notifier)
    {
        string path = ProxyHandlerRoute.PathOf(request);
        CoapResourceObserverLimits? resourceLimits = notifier is null ? null : ObserverLimits?.Invoke(request)?.For(notifier, path);
        return new PendingObserverRegistration(route.Observed, path, settings, route.Observed.Changes, resourceLimits);
    }

    /// <summary>Returns the policy for the body of a request.</summary>
    public RequestBodyPolicy BodyOf(CoapCode code) =>
        Streamed?.Includes((CoapMethod)code.Value) == true ? Streamed.Body : Body;

    /// <summary>Returns whether the route is served over the transport of a request.</summary>
    public bool Serves(CoapRequestContext request) =>
        Schemes is null || IsAmong(Schemes, request.Channel.Transport.Scheme);

    /// <summary>Returns whether a request arrived over a plain transport at a route that requires a secured one.</summary>
    public bool LacksSecurity(CoapRequestContext request) => NeedsSecurity && !request.Channel.Transport.IsSecure;

    /// <summary>Returns the refusal of a request whose formats the route does not support; null if it supports them.</summary>
    public CoapResult? CheckFormats(CoapRequestContext request)
    {
        if (request.Code == CoapCode.Fetch && OptionRules.LacksContentFormat(RouteTable.OptionsOf(request)))
        {
            return s_fetchWithoutFormat;
        }

        // A payload without a Content-Format has an unknown format (RFC 7252 section 5.5.1).
        if (Consumes is { } consumes
            && !request.Payload.IsEmpty
            && (request.ContentFormat is not { } format || !consumes.Contains(format)))
        {
            return s_unsupportedContentFormat;
        }

        return !IgnoresAccept && Produces is { } produces && request.SelectFormat(produces) is null ? NotAcceptable : null;
    }

    /// <summary>
    /// Returns whether the route serves a request: its transport, its security and its formats. It does not check rates, freshness and
    /// places.
    /// </summary>
    public bool Admits(CoapRequestContext request) => Serves(request) && !LacksSecurity(request) && CheckFormats(request) is null;

    /// <summary>Returns whether a scheme is in a list, case-insensitive (RFC 3986 section 3.1).</summary>
    public static bool IsAmong(string[] schemes, string scheme)
    {
        foreach (string other in schemes)
        {
            if (string.Equals(other, scheme, StringComparison.OrdinalIgnoreCase))
            {
                return true;
            }
        }

        return false;
    }
}
