using System.Text;
using System.Text.Unicode;
using CoAP.NET.Blockwise;
using CoAP.NET.Exchanges;
using CoAP.NET.Observing;
using CoAP.NET.Options;
using CoAP.NET.Transports;

namespace CoAP.NET.Resources;

/// <summary>
/// The routes of an endpoint. Look-ups read an immutable tree without a lock; routes may be added, changed and removed at any time.
/// The path decides about the resource first, then the method: a path that is known with another method is 4.05, not 4.04 (RFC 7252 section
/// 5.8).
/// </summary>
internal sealed class RouteTable
{
    private static readonly CoapOptionCollection s_noOptions = new();

    private readonly HashSet<Route> _routes = [];
    private readonly NoticedPaths _noticed = new();
    private RouteNode _root = RouteNode.Empty;
    private BodyPolicy? _leftTo;
    private int _version;

    public RouteTable() => Root = new CoapRouteGroup(this, null, RouteTemplate.Root);

    /// <summary>The group of all routes: what it says holds for every route that says nothing else.</summary>
    public CoapRouteGroup Root { get; }

    /// <summary>Changes with every change of a route or group, so that what was derived can be told from what holds.</summary>
    public int Version => Volatile.Read(ref _version);

    /// <summary>
    /// The schemes of the secured transports that the endpoint listens on. Once there is one, a route that does not say what holds for it
    /// is served over secured ones only (RFC 8323 chapter 9). Guarded by <see cref="Gate"/>.
    /// </summary>
    public string[] SecuredSchemes { get; private set; } = [];

    /// <summary>What the endpoint listens with so far. Replaced as a whole; read without a lock.</summary>
    public CoapTransport[] Listening { get => Volatile.Read(ref field); private set => Volatile.Write(ref field, value); } = [];

    /// <summary>Whether any route or group describes errors; never false again.</summary>
    public bool DescribesErrors { get => Volatile.Read(ref field); set => Volatile.Write(ref field, value); }

    /// <summary>Tells observers what changed; null where nobody keeps any.</summary>
    public ChangeNotice? Changes { get; set; }

    /// <summary>Guards every change; never held while user code runs.</summary>
    public Lock Gate { get; } = new();

    /// <summary>What serves requests that ask for a proxy; null where nothing does.</summary>
    public ProxyRoute? Proxy { get => Volatile.Read(ref field); private set => Volatile.Write(ref field, value); }

    /// <summary>Whether a router of a user stands in place of the Resource stage, so that no route is ever asked.</summary>
    public bool IsLeft => Volatile.Read(ref _leftTo) is not null;

    /// <summary>Whether nothing is served at all.</summary>
    public bool IsEmpty => ReferenceEquals(Volatile.Read(ref _root), RouteNode.Empty);

    /// <summary>
    /// Whether a peer's segment may become the value of a parameter: no dot segment, so that no path can climb, and UTF-8, so that two
    /// paths never give one value.
    /// </summary>
    public static bool IsParameterValue(ReadOnlySpan<byte> segment) => !PathText.IsDotSegment(segment) && Utf8.IsValid(segment);

    /// <summary>Whether all segments from one place to another may become the value of a catch-all.</summary>
    public static bool AreParameterValues(CoapOptionCollection options, int at, int end)
    {
        for (; at < end; at++)
        {
            if (!IsParameterValue(options.ValueAt(at)))
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>
    /// The options of a request for who only reads them: those of a run for notifications are shared with its subject, and
    /// <see cref="CoapRequest.Options"/> would copy them.
    /// </summary>
    public static CoapOptionCollection OptionsOf(CoapRequest request) => request.Message.OptionsToRead ?? s_noOptions;

    /// <summary>
    /// The place that the Uri-Path options lead to; null for 4.04. A single empty segment is the root, as <c>coap://host/</c> has none (RFC
    /// 7252 section 6.4).
    /// </summary>
    public RouteNode? Find(CoapOptionCollection options, out int firstSegment)
    {
        firstSegment = options.IndexOf(OptionNumber.UriPath);
        int end = firstSegment = Math.Max(firstSegment, 0);
        while (end < options.Count && options.NumberAt(end) == OptionNumber.UriPath)
        {
            end++;
        }

        if (end - firstSegment == 1 && options.ValueAt(firstSegment).IsEmpty)
        {
            end = firstSegment;
        }

        return Volatile.Read(ref _root).Find(options, firstSegment, end);
    }

    /// <summary>The route of a request: that of proxies where a proxy is asked for, and otherwise that of its path.</summary>
    /// <param name="options">The options of the request.</param>
    /// <param name="code">Its method.</param>
    /// <param name="firstSegment">The place of its first Uri-Path option.</param>
    /// <returns>Null when nothing serves it.</returns>
    public Route? FindRoute(CoapOptionCollection options, CoapCode code, out int firstSegment)
    {
        firstSegment = 0;
        return RequestRules.AsksForProxy(options) ? Proxy?.Route : Find(options, out firstSegment)?[code];
    }

    /// <summary>Finds what holds for the body of a request.</summary>
    /// <param name="request">The request, as far as it came.</param>
    /// <param name="isInOrder">Whether its blocks come one after the other, so that they can be read as they come.</param>
    /// <param name="environment">For the bounds.</param>
    /// <returns>Null when the Resource stage would refuse the request whatever follows; it then says why.</returns>
    public BodyPolicy? FindBodyPolicy(CoapRequest request, bool isInOrder, CoapEnvironment environment)
    {
        if (Volatile.Read(ref _leftTo) is { } leftTo)
        {
            return leftTo;
        }

        CoapOptionCollection options = OptionsOf(request);
        if (FindRoute(options, request.Code, out _) is not { } route)
        {
            return null;
        }

        RoutePlan plan = route.GetPlan(environment);
        BodyPolicy body = isInOrder ? plan.BodyOf(request.Code) : plan.Body;
        return !plan.Serves(request) || RequestRules.LacksSecurity(request, plan) || RequestRules.CheckFormats(request, plan) is not null
            ? null
            : plan.Freshness is null && plan.Limiter is null && plan.Admission is null ? body
            : body with { HasGates = true };
    }

    /// <summary>
    /// Says of the first block of a body that is to be put together whether it may be: freshness, limits and filters that do not need the
    /// body.
    /// </summary>
    /// <param name="exchange">The request, with the block. What it says of its body is for the time of the call.</param>
    /// <param name="environment">For the bounds.</param>
    /// <returns>The answer that refuses it; null when it may be put together.</returns>
    public ValueTask<CoapResult?> AdmitAsync(CoapExchange exchange, CoapEnvironment environment)
    {
        CoapOptionCollection options = OptionsOf(exchange.Request);
        return FindRoute(options, exchange.Request.Code, out int firstSegment) is { } route
            ? BodyAdmission.AdmitAsync(exchange, route, route.GetPlan(environment), firstSegment, environment)
            : default;
    }

    /// <summary>Leaves requests to a router of a user.</summary>
    /// <param name="policy">What holds for their bodies.</param>
    /// <exception cref="InvalidOperationException">There is a route already.</exception>
    public void LeaveTo(BodyPolicy policy)
    {
        lock (Gate)
        {
            Volatile.Write(ref _leftTo, _routes.Count == 0 && Proxy is null ? policy : throw NeverAsked());
        }
    }

    /// <summary>Adds a route.</summary>
    /// <exception cref="InvalidOperationException">The path has a handler for one of the methods already, or a router of a user serves
    /// all requests.</exception>
    public void Add(Route route)
    {
        lock (Gate)
        {
            if (_leftTo is not null)
            {
                throw NeverAsked();
            }

            Volatile.Write(ref _root, _root.With(route));
            _routes.Add(route);
            _version++;
        }
    }

    /// <summary>Says what serves requests that ask for a proxy.</summary>
    /// <exception cref="InvalidOperationException">Something does already.</exception>
    public void Add(ProxyRoute proxy)
    {
        lock (Gate)
        {
            if (_leftTo is not null)
            {
                throw NeverAsked();
            }

            if (Proxy is not null)
            {
                throw new InvalidOperationException(
                    "Requests that ask for a proxy have a handler already. Unmap it first, or map one handler that does both.");
            }

            Proxy = proxy;
            _version++;
        }
    }

    /// <summary>Says what else the endpoint listens with. Called by whoever starts transports, one at a time.</summary>
    public void AddListening(CoapTransport transport) => Listening = [.. Listening, transport];

    private static InvalidOperationException NeverAsked() => new(
        "The Resource stage of this endpoint is replaced by a router (CoapPipelineOptions.Replace), so its routes would never be asked. "
        + "Serve the path in the router, or do not replace the stage.");

    /// <summary>Removes a route; requests that it is serving go on.</summary>
    /// <returns>Whether it was there.</returns>
    public bool Remove(Route route)
    {
        lock (Gate)
        {
            if (Proxy?.Route == route)
            {
                Proxy = null;
            }
            else if (_routes.Remove(route))
            {
                Volatile.Write(ref _root, _root.Without(route) ?? RouteNode.Empty);
            }
            else
            {
                return false;
            }

            _version++;
        }

        Changes?.Gone(route.Observed);
        return true;
    }

    /// <summary>The path of Uri-Path options in the one form that notices of changes use.</summary>
    public static string PathOf(CoapOptionCollection options)
    {
        StringBuilder path = new();
        for (int i = options.IndexOf(OptionNumber.UriPath); i >= 0 && i < options.Count && options.NumberAt(i) == OptionNumber.UriPath; i++)
        {
            path.Append('/');
            PathText.AppendEncoded(path, options.ValueAt(i));
        }

        return path.Length == 0 ? "/" : path.ToString();
    }

    /// <summary>A path in the one form that notices of changes use.</summary>
    /// <exception cref="FormatException">The percent-encoding is wrong.</exception>
    public string NormalizePath(string path) => _noticed.Get(path).Path;

    /// <summary>Tells observers that the resource at a path may have changed.</summary>
    /// <returns>How many observe it.</returns>
    /// <exception cref="FormatException">The percent-encoding is wrong.</exception>
    public int Notify(string path)
    {
        NoticedPath noticed = _noticed.Get(path);
        int observers = Notify(noticed.Options, noticed, isTold: true, out RouteNode? place);
        if (observers == 0 && !noticed.IsChecked)
        {
            noticed.IsChecked = true;
            if (!IsObservable(place))
            {
                Changes?.ReachesNobody(noticed.Path, place is not null);
            }
        }

        return observers;
    }

    /// <summary>Tells observers that the resource of the Uri-Path options may have changed.</summary>
    public void Notify(CoapOptionCollection options) => Notify(options, null, isTold: true, out _);

    /// <summary>Tells observers that everything that a route serves may have changed.</summary>
    /// <returns>How many there are.</returns>
    public int Notify(Route route, bool tellsMistakes)
    {
        Changes?.Changed(route.Observed);
        Changes?.Tell(route.Observed.Name);
        int observers = route.Observed.Observers;
        if (observers == 0 && tellsMistakes && !route.IsNoticeChecked)
        {
            route.IsNoticeChecked = true;
            lock (Gate)
            {
                tellsMistakes = !route.IsObservable;
            }

            if (tellsMistakes)
            {
                Changes?.ReachesNobody(route.Template.Text, isServed: true);
            }
        }

        return observers;
    }

    /// <summary>Tells observers of one path of a route, or of one URI of a proxy, that it may have changed.</summary>
    /// <returns>How many observe it.</returns>
    public int NotifyAt(Route route, string path)
    {
        route.Observed.CountChange();
        return Changes?.Changed(path) ?? 0;
    }

    /// <summary>How many observe a path.</summary>
    /// <exception cref="FormatException">The percent-encoding is wrong.</exception>
    public int CountObservers(string path) => Changes?.CountAt(NormalizePath(path)) ?? 0;

    /// <summary>Tells observers of a change elsewhere, and nobody else.</summary>
    /// <param name="name">The name of a path or a route.</param>
    /// <returns>How many there are.</returns>
    /// <exception cref="FormatException">The percent-encoding is wrong.</exception>
    public int Apply(string name)
    {
        if (name.StartsWith('/'))
        {
            NoticedPath noticed = _noticed.Get(name);
            return Notify(noticed.Options, noticed, isTold: false, out _);
        }

        int observers = 0;
        foreach (Route route in RoutesNamed(name))
        {
            Changes?.Changed(route.Observed);
            observers += route.Observed.Observers;
        }

        return observers;
    }

    /// <summary>Anything may have changed: registrations whose handlers run now are sent the newest state once they are done.</summary>
    public void CountChanges()
    {
        lock (Gate)
        {
            foreach (Route route in _routes)
            {
                route.Observed.CountChange();
            }
        }
    }

    private int Notify(CoapOptionCollection options, NoticedPath? noticed, bool isTold, out RouteNode? place)
    {
        place = Find(options, out _);
        if (Changes is not { } changes || place is null)
        {
            return 0;
        }

        foreach (Route? route in place.Routes)
        {
            route?.Observed.CountChange();
        }

        string path = noticed?.Path ?? PathOf(options);
        int observers = changes.Changed(path);
        if (isTold)
        {
            changes.Tell(path);
        }

        return observers;
    }

    private Route[] RoutesNamed(string name)
    {
        lock (Gate)
        {
            return [.. _routes.Where(route => route.Observed.Name == name)];
        }
    }

    private bool IsObservable(RouteNode? place)
    {
        lock (Gate)
        {
            foreach (Route? route in place is null ? [] : place.Routes)
            {
                if (route is { IsObservable: true })
                {
                    return true;
                }
            }

            return false;
        }
    }

    /// <summary>Changes what a route or group says.</summary>
    public void Change<TState>(TState state, Action<TState> change)
    {
        lock (Gate)
        {
            change(state);
            _version++;
        }
    }

    /// <summary>Says on which secured transports the endpoint listens.</summary>
    /// <param name="schemes">Their schemes.</param>
    public void SetSecuredSchemes(string[] schemes)
    {
        lock (Gate)
        {
            SecuredSchemes = schemes;
            _version++;
        }
    }

    /// <summary>All routes at a moment, in the order they were mapped, and the version they belong to.</summary>
    public (Route[] Routes, int Version) Snapshot()
    {
        lock (Gate)
        {
            return ([.. _routes.OrderBy(route => route.Id)], _version);
        }
    }
}
