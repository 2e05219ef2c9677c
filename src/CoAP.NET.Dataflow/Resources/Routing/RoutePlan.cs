using CoAP.NET.Blockwise;
using CoAP.NET.Observing;

namespace CoAP.NET.Resources;

/// <summary>What holds for a route with everything inherited, at one version of the table.</summary>
/// <param name="Version">The version of the table.</param>
/// <param name="Execution">The execution options that <paramref name="Executor"/> was made of.</param>
/// <param name="Executor">Runs the handler; kept while its options stay the same.</param>
/// <param name="Produces">The formats that answers can have; null when none are declared.</param>
/// <param name="Consumes">The formats that payloads may have; null when the handler looks itself.</param>
internal sealed record RoutePlan(
    int Version, ExecutionOptions Execution, RouteExecutor Executor, CoapContentFormat[]? Produces, CoapContentFormat[]? Consumes)
{
    /// <summary>Who said how it is executed: the route or a group around it.</summary>
    public required RouteSettings ExecutionOwner { get; init; }

    /// <summary>What holds for the bodies of requests, but for those of <see cref="Streamed"/>.</summary>
    public required BodyPolicy Body { get; init; }

    /// <summary>Methods whose bodies are read while they come; null for none.</summary>
    public StreamedMethods? Streamed { get; init; }

    /// <summary>What holds for observers; null when the route cannot be observed.</summary>
    public ObserveSettings? Observing { get; init; }

    /// <summary>Finds what a resource of the route says of its observers; null where none says anything.</summary>
    public Func<CoapRequest, CoapObserverTerms?>? ObserverTerms { get; init; }

    /// <summary>Whether requests to groups are served.</summary>
    public bool AllowsMulticast { get; init; }

    /// <summary>What a request by a plain transport is answered where only secured ones are served; null where plain ones are.</summary>
    public CoapResult? SecurityRefusal { get; init; }

    /// <summary>Whether requests are served over secured transports only.</summary>
    public bool NeedsSecurity => SecurityRefusal is not null;

    /// <summary>The schemes of the transports that it is served over; null for all.</summary>
    public string[]? Schemes { get; init; }

    /// <summary>How old a request may be at most, by its Echo; null for any age.</summary>
    public TimeSpan? Freshness { get; init; }

    /// <summary>Whether requests are sent on to another server, which judges their critical options.</summary>
    public bool Forwards { get; init; }

    /// <summary>Whether answers go out in whatever format the handler chose, although Accept asks for another.</summary>
    public bool IgnoresAccept { get; init; }

    /// <summary>Says of each request how long its client has to wait; null when there is no limiter.</summary>
    public Func<CoapRequest, TimeSpan?>? Limiter { get; init; }

    /// <summary>
    /// What filters say of a request whose body comes in blocks, before it is put together: 2.31 Continue, or the answer; null where none
    /// is asked.
    /// </summary>
    public Func<CoapRequest, CancellationToken, ValueTask<CoapResult>>? Admission { get; init; }

    /// <summary>Describes errors; null where nothing does.</summary>
    public Func<CoapRequest, CoapResult, Exception?, CoapContent?>? Describe { get; init; }

    /// <summary>Makes the registration of a request that asks to observe what the route serves.</summary>
    /// <param name="route">The route.</param>
    /// <param name="settings">What it says of its observers.</param>
    /// <param name="request">The request, with the values of the route's parameters.</param>
    /// <param name="notice">Who tells of changes.</param>
    public Registration Register(Route route, ObserveSettings settings, CoapRequest request, ChangeNotice? notice)
    {
        string path = ProxyRoute.PathOf(request);
        CoapObserverTerms? terms = notice is null ? null : ObserverTerms?.Invoke(request)?.For(notice, path);
        return new Registration(route.Observed, path, settings, route.Observed.Changes, terms);
    }

    /// <summary>What holds for the body of a request.</summary>
    /// <param name="code">The method.</param>
    public BodyPolicy BodyOf(CoapCode code) =>
        Streamed is not null && Array.IndexOf(Streamed.Methods, (CoapMethod)code.Value) >= 0 ? Streamed.Body : Body;

    /// <summary>Whether it is served over the transport that a request came by.</summary>
    public bool Serves(CoapRequest request) =>
        Schemes is null || request.Channel is not { } channel || IsAmong(Schemes, channel.Transport.Scheme);

    /// <summary>Whether a scheme is one of some; case does not count (RFC 3986 section 3.1).</summary>
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
