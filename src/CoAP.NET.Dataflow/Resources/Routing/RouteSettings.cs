using CoAP.NET.Blockwise;
using CoAP.NET.Observing;

namespace CoAP.NET.Resources;

/// <summary>
/// What a route or a group says of itself; null is inherited from the group above. Guarded by <see cref="RouteTable.Gate"/>.
/// </summary>
internal sealed class RouteSettings
{
    public ExecutionOptions? Execution { get; set; }

    /// <summary>
    /// What runs all routes that inherit from a group to be serial, one request at a time; null before the first one is planned.
    /// </summary>
    public RouteExecutor? SharedExecutor { get; set; }

    public bool? Hidden { get; set; }

    public bool? AllowMulticast { get; set; }

    /// <summary>True: over secured transports only; false: over all of them.</summary>
    public bool? NeedsSecurity { get; set; }

    /// <summary>The schemes of the transports that it is served over; null for all.</summary>
    public string[]? Schemes { get; set; }

    public Func<CoapRequest, bool>? ListedWhen { get; set; }

    public CoapContentFormat[]? Produces { get; set; }

    public CoapContentFormat[]? Consumes { get; set; }

    /// <summary>Whether requests are sent on to another server.</summary>
    public bool? Forwards { get; set; }

    /// <summary>Whether answers go out in whatever format the handler chose.</summary>
    public bool? IgnoresAccept { get; set; }

    public BodyMode? BodyMode { get; set; }

    public long? MaxBodySize { get; set; }

    /// <summary>Methods whose bodies are read while they come, whatever <see cref="BodyMode"/> says.</summary>
    public StreamedMethods? Streamed { get; set; }

    public TimeSpan? Freshness { get; set; }

    public Func<CoapRequest, TimeSpan?>? Limiter { get; set; }

    public ObserveSettings? Observing { get; set; }

    /// <summary>Finds what a resource of the route says of its observers.</summary>
    public Func<CoapRequest, CoapObserverTerms?>? ObserverTerms { get; set; }

    /// <summary>In the order they were added, the outermost first. Added to those of the groups around, not instead of them.</summary>
    public List<Func<CoapRouteInfo, CoapHandler, CoapHandler>> Filters { get; } = [];

    /// <summary>Those of <see cref="Filters"/> that are also asked about a body before it is put together.</summary>
    public List<Func<CoapRouteInfo, CoapHandler, CoapHandler>> EarlyFilters { get; } = [];

    /// <summary>Describes errors; null to inherit.</summary>
    public Func<CoapRequest, CoapResult, Exception?, CoapContent?>? Describe { get; set; }

    public List<object> Metadata { get; } = [];
}
