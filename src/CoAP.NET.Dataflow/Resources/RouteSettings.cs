using CoAP.NET.Blockwise;
using CoAP.NET.Observing;

namespace CoAP.NET.Resources;

/// <summary>
/// The settings of a route or a group; null is inherited from the outer group. What takes back a setting of the outer group has a value of
/// its own: an empty list, an infinite age. <see cref="Route"/> returns null for these. Guarded by <see cref="RouteTable.Gate"/>.
/// </summary>
internal sealed class RouteSettings
{
    public CoapExecution? Execution { get; set; }

    /// <summary>
    /// The executor of all routes that inherit the queue of a group (queued or serial); null before the first one is planned.
    /// </summary>
    public RouteExecutor? SharedExecutor { get; set; }

    public bool? Hidden { get; set; }

    public bool? AllowMulticast { get; set; }

    public bool? LogsBlocking { get; set; }

    /// <summary>True: only over secured transports; false: over all of them.</summary>
    public bool? NeedsSecurity { get; set; }

    /// <summary>The schemes of its transports; empty for all.</summary>
    public string[]? Schemes { get; set; }

    public Func<CoapRequestContext, bool>? ListedWhen { get; set; }

    /// <summary>The formats of responses; empty for any.</summary>
    public CoapContentFormat[]? Produces { get; set; }

    /// <summary>The formats of payloads; empty for any.</summary>
    public CoapContentFormat[]? Consumes { get; set; }

    /// <summary>Whether the handler forwards requests to another server.</summary>
    public bool? Forwards { get; set; }

    /// <summary>Whether responses are sent in the format of the handler, whatever Accept asks for.</summary>
    public bool? IgnoresAccept { get; set; }

    public RequestBodyMode? RequestBodyMode { get; set; }

    public long? MaxBodySize { get; set; }

    /// <summary>The methods whose bodies are streamed, independent of <see cref="RequestBodyMode"/>.</summary>
    public StreamedMethods? Streamed { get; set; }

    /// <summary>The maximum age of a request; infinite for any.</summary>
    public TimeSpan? Freshness { get; set; }

    public Func<CoapRequestContext, TimeSpan?>? Limiter { get; set; }

    /// <summary>The settings of observers; <see cref="RouteObserveSettings.None"/> if the route is not observable.</summary>
    public RouteObserveSettings? Observing { get; set; }

    /// <summary>
    /// Whether the responses of the handler depend on the client in addition to the request; null if that is unknown. Of the route only.
    /// </summary>
    public bool? DependsOnClient { get; set; }

    public Func<CoapRequestContext, CoapResourceObserverLimits?>? ObserverLimits { get; set; }

    /// <summary>The filters in the order of their addition, the outermost first. They do not replace those of the outer groups.</summary>
    public List<Func<CoapRouteInfo, CoapHandler, CoapHandler>> Filters { get; } = [];

    /// <summary>The part of <see cref="Filters"/> that also runs before a body is assembled.</summary>
    public List<Func<CoapRouteInfo, CoapHandler, CoapHandler>> EarlyFilters { get; } = [];

    /// <summary>Describes errors; null to inherit.</summary>
    public Func<CoapRequestContext, CoapResult, Exception?, CoapContent?>? Describe { get; set; }

    public List<object> Metadata { get; } = [];
}
