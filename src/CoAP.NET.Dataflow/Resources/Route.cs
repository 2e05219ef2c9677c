using System.Text;
using CoAP.NET.Blockwise;
using CoAP.NET.Observing;
using CoAP.NET.Observing.Server;

namespace CoAP.NET.Resources;

/// <summary>A handler at a path, for one or several methods, with its settings.</summary>
internal sealed class Route
{
    private static long s_lastId;

    private readonly RouteTable _table;
    private readonly CoapHandler _handler;
    private EffectiveRouteSettings? _plan;

    public Route(RouteTable table, CoapRouteGroup group, RouteTemplate template, CoapMethod[] methods,
        CoapHandler handler)
    {
        _table = table;
        Group = group;
        Template = template;
        Methods = methods;
        Handler = _handler = handler;
        Observed = new ObservedRoute($"{string.Join(' ', methods.Order().Select(static method => (CoapCode)method))} {template}");
    }

    /// <summary>A number that grows with every new route, so that lists keep the order of mapping.</summary>
    public long Id { get; } = Interlocked.Increment(ref s_lastId);

    public CoapRouteGroup Group { get; }

    public RouteTemplate Template { get; }

    public CoapMethod[] Methods { get; }

    /// <summary>The handler with its filters, as in the latest plan.</summary>
    public CoapHandler Handler { get; private set; }

    public RouteSettings Settings { get; } = new();

    /// <summary>The identity of the route for its observers.</summary>
    public ObservedRoute Observed { get; }

    /// <summary>Whether the route is observable. Guarded by <see cref="RouteTable.Gate"/>.</summary>
    public bool IsObservable =>
        (Methods.Contains(CoapMethod.Get) || Methods.Contains(CoapMethod.Fetch)) && Observing is not null;

    /// <summary>Whether it was checked that a change notice can reach an observer.</summary>
    public bool IsNoticeChecked { get => Volatile.Read(ref field); set => Volatile.Write(ref field, value); }

    /// <summary>The link attributes in the order of their addition. Guarded by <see cref="RouteTable.Gate"/>.</summary>
    public List<CoapLinkAttribute> Attributes { get; } = [];

    /// <summary>Further links to list in addition to that of the route. Guarded by <see cref="RouteTable.Gate"/>.</summary>
    public List<CoapLink> Links { get; } = [];

    /// <summary>Returns links to list for a request. Guarded by <see cref="RouteTable.Gate"/>.</summary>
    public Func<CoapRequestContext, IEnumerable<CoapLink>>? LinkSource { get; set; }

    /// <summary>The target to list instead of the path. Guarded by <see cref="RouteTable.Gate"/>.</summary>
    public string? ListedAs { get; set; }

    /// <summary>
    /// Whether it is served only over secured transports: by its setting, or by default if there are any and it names no schemes. Guarded
    /// by <see cref="RouteTable.Gate"/>.
    /// </summary>
    public bool NeedsSecurity => Inherit(settings => settings.NeedsSecurity) ?? (_table.SecuredSchemes.Length != 0 && Schemes is null);

    /// <summary>The schemes of its transports; null for all. Guarded by <see cref="RouteTable.Gate"/>.</summary>
    public string[]? Schemes => Inherit(static settings => settings.Schemes) is { Length: > 0 } schemes ? schemes : null;

    /// <summary>The formats of responses; null if none are declared. Guarded by <see cref="RouteTable.Gate"/>.</summary>
    public CoapContentFormat[]? Produces => Inherit(static settings => settings.Produces) is { Length: > 0 } formats ? formats : null;

    private CoapContentFormat[]? Consumes => Inherit(static settings => settings.Consumes) is { Length: > 0 } formats ? formats : null;

    private RouteObserveSettings? Observing =>
        Inherit(static settings => settings.Observing) is { } observing && observing != RouteObserveSettings.None ? observing : null;

    /// <summary>Whether it is served over a transport. Guarded by <see cref="RouteTable.Gate"/>.</summary>
    public bool IsServedOver(string scheme, bool isSecure) =>
        (isSecure || !NeedsSecurity) && (Schemes is not { } schemes || EffectiveRouteSettings.IsAmong(schemes, scheme));

    public EffectiveRouteSettings GetPlan(CoapEnvironment environment) =>
        Volatile.Read(ref _plan) is { } plan && plan.Version == _table.Version ? plan : MakePlan(environment);

    /// <summary>Returns the nearest setting, of the route or the groups around it.</summary>
    public T? Inherit<T>(Func<RouteSettings, T?> select)
    {
        T? value = select(Settings);
        for (CoapRouteGroup? group = Group; value is null && group is not null; group = group.Parent)
        {
            value = select(group.Settings);
        }

        return value;
    }

    /// <summary>Returns the values of the template's parameters in a path that matched.</summary>
    public CoapRouteValues GetValues(CoapOptionCollection options, int firstSegment)
    {
        string[] values = new string[Template.ParameterNames.Length];
        RouteSegment[] segments = Template.Segments;
        int value = 0;
        for (int i = 0; i < segments.Length; i++)
        {
            if (segments[i].Kind == RouteSegmentKind.Parameter)
            {
                values[value++] = Encoding.UTF8.GetString(options.ValueAt(firstSegment + i));
            }
            else if (segments[i].Kind == RouteSegmentKind.Rest)
            {
                values[value++] = GetRest(options, firstSegment + i);
            }
        }

        return new CoapRouteValues(Template.ParameterNames, values);
    }

    // A slash inside a segment must differ from one between segments: otherwise a peer could smuggle "../" into a value that a handler uses
    // as a path.
    private static string GetRest(CoapOptionCollection options, int at)
    {
        StringBuilder rest = new();
        bool first = true;
        for (; at < options.Count && options.NumberAt(at) == OptionNumber.UriPath; at++)
        {
            string segment = Encoding.UTF8.GetString(options.ValueAt(at));
            rest.Append(first ? string.Empty : "/")
                .Append(segment.Replace("%", "%25", StringComparison.Ordinal).Replace("/", "%2F", StringComparison.Ordinal));
            first = false;
        }

        return rest.ToString();
    }

    /// <summary>Returns the methods as in RFCs and the template, human-readable, such as <c>GET PUT /lamp</c>.</summary>
    public override string ToString() => $"{string.Join(' ', Methods.Select(static method => (CoapCode)method))} {Template}";

    private EffectiveRouteSettings MakePlan(CoapEnvironment environment)
    {
        EffectiveRouteSettings plan;
        Func<CoapRouteInfo, CoapHandler, CoapHandler>[] filters;
        Func<CoapRouteInfo, CoapHandler, CoapHandler>[] earlyFilters;
        CoapRouteInfo? info;
        lock (_table.Gate)
        {
            (CoapExecution execution, RouteSettings owner) = FindExecution();
            plan = new(_table.Version, execution, ExecutorOf(execution, owner, environment), Produces, Consumes)
            {
                LogsBlocking = Inherit(settings => settings.LogsBlocking) ?? true,
                AllowsMulticast = Inherit(settings => settings.AllowMulticast) ?? false,
                ExecutionOwner = owner,
                SecurityRefusal = NeedsSecurity ? MakeSecurityRefusal() : null,
                Body = new RequestBodyPolicy(
                    Inherit<RequestBodyMode?>(settings => settings.RequestBodyMode) ?? RequestBodyMode.Whole,
                    Inherit<long?>(settings => settings.MaxBodySize) ?? environment.Limits.Blockwise.MaxRequestBodySize),
                Streamed = Inherit(settings => settings.Streamed),
                Observing = Observing,
                ObserverLimits = Inherit(settings => settings.ObserverLimits),
                IgnoresAccept = Inherit(settings => settings.IgnoresAccept) ?? false,
                Forwards = Inherit(settings => settings.Forwards) ?? false,
                Freshness = Inherit(settings => settings.Freshness) is { } age && age != Timeout.InfiniteTimeSpan ? age : null,
                Limiter = Inherit(settings => settings.Limiter),
                Schemes = Schemes,
                Describe = Inherit(settings => settings.Describe),
            };
            (filters, earlyFilters, info) = GatherFilters();
        }

        // This calls user code, so without the lock.
        CoapHandler handler = info is null
            ? _handler
            : RouteFilters.Compose(_handler, info, filters);
        CoapHandler? admission = info is null || earlyFilters.Length == 0 ? null
            : RouteFilters.Compose(RouteAdmission.Admitted, info, earlyFilters);
        lock (_table.Gate)
        {
            if (_plan is { } other && other.Version - plan.Version >= 0)
            {
                return other;
            }

            plan = plan with
            {
                Admission = admission,
                Observing = plan.Observing is { } observing
                    ? observing with { SameForAll = IsSameForAll(observing, hasFilters: handler != _handler, admission, plan.Describe) }
                    : null,
                Executor = ExecutorOf(plan.Execution, plan.ExecutionOwner, environment, plan.Executor)
            };
            Handler = handler;
            Volatile.Write(ref _plan, plan);
            return plan;
        }
    }

    // A filter before the body is authorization, and may admit another client than the one for which the handler runs.
    private bool IsSameForAll(RouteObserveSettings observing, bool hasFilters, CoapHandler? admission,
        Func<CoapRequestContext, CoapResult, Exception?, CoapContent?>? describe) =>
        Settings.DependsOnClient != true && (admission is null || admission == RouteAdmission.Admitted)
        && (observing.SameForAll ?? (Settings.DependsOnClient == false && !hasFilters && describe is null));

    private CoapResult MakeSecurityRefusal()
    {
        string[] schemes = [.. _table.SecuredSchemes.Where(scheme => Schemes is not { } own
            || EffectiveRouteSettings.IsAmong(own, scheme))];
        return CoapResults.Unauthorized(schemes.Length == 0
            ? "This resource is served over secured transports only, and this server listens on none."
            : $"This resource is served over secured transports only: {string.Join(", ", schemes)}.");
    }

    private (CoapExecution Execution, RouteSettings Owner) FindExecution()
    {
        RouteSettings owner = Settings;
        for (CoapRouteGroup? group = Group; owner.Execution is null && group is not null; group = group.Parent)
        {
            owner = group.Settings;
        }

        return owner.Execution is { } execution ? (execution, owner) : (CoapExecution.Inline, Settings);
    }

    // Kept while its options stay the same, because it has the running requests. A group has one queue for all routes that inherit it, but
    // An offloaded execution gives each route its own: there a slow route must not let the others wait until they are refused.
    private RouteExecutor ExecutorOf(CoapExecution execution, RouteSettings owner, CoapEnvironment environment,
        RouteExecutor? made = null)
    {
        if (owner == Settings || execution.Kind is not (HandlerExecutionKind.Queued or HandlerExecutionKind.Serial))
        {
            return _plan is { } old && old.Execution == execution && old.ExecutionOwner == owner
                ? old.Executor
                : made ?? new RouteExecutor(execution, environment);
        }

        if (owner.SharedExecutor is not { } shared || shared.Options != execution)
        {
            owner.SharedExecutor = shared = new RouteExecutor(execution, environment);
        }

        return shared;
    }

    /// <summary>
    /// Returns the filters from the outermost to the innermost, and the description of the route for them; null if there are none. Guarded
    /// by <see cref="RouteTable.Gate"/>.
    /// </summary>
    private (Func<CoapRouteInfo, CoapHandler, CoapHandler>[] Filters, Func<CoapRouteInfo, CoapHandler, CoapHandler>[] Early,
        CoapRouteInfo? Info) GatherFilters()
    {
        List<RouteSettings> settings = [Settings];
        for (CoapRouteGroup? group = Group; group is not null; group = group.Parent)
        {
            settings.Insert(0, group.Settings);
        }

        Func<CoapRouteInfo, CoapHandler, CoapHandler>[] filters = [.. settings.SelectMany(each => each.Filters)];
        return filters.Length == 0 ? (filters, filters, null)
            : (filters, [.. settings.SelectMany(each => each.EarlyFilters)],
                new CoapRouteInfo(Template.Text, Array.AsReadOnly(Methods),
                    Array.AsReadOnly<object>([.. settings.SelectMany(each => each.Metadata)])));
    }
}
