using System.Text;
using System.Text.Unicode;
using CoAP.NET.Blockwise;
using CoAP.NET.Observing.Server;
using CoAP.NET.Uris;

namespace CoAP.NET.Resources;

/// <summary>
/// The routes of an endpoint. Lookups read an immutable tree without a lock; routes may be added, changed and removed at any time. The path
/// determines the resource first, then the method: a known path with another method is 4.05, not 4.04 (RFC 7252 section 5.8).
/// </summary>
internal sealed class RouteTable
{
    private static readonly CoapOptionCollection s_noOptions = new();

    private readonly HashSet<Route> _routes = [];
    private readonly NotifiedPathCache _noticed = new();
    private RouteNode _root = RouteNode.Empty;
    private RequestBodyPolicy? _leftTo;
    private int _version;

    public RouteTable() => Root = new CoapRouteGroup(this, null, RouteTemplate.Root);

    /// <summary>The root group: its settings apply to every route that does not override them.</summary>
    public CoapRouteGroup Root { get; }

    /// <summary>Changes with every change of a route or group, so that derived data can be compared with the current state.</summary>
    public int Version => Volatile.Read(ref _version);

    /// <summary>
    /// The schemes of the secured transports that the endpoint listens on. If there is one, a route without its own setting is served only
    /// over secured ones (RFC 8323 chapter 9). Guarded by <see cref="Gate"/>.
    /// </summary>
    public string[] SecuredSchemes { get; private set; } = [];

    /// <summary>The transports that the endpoint listens with so far. Replaced as a whole; read without a lock.</summary>
    public CoapTransport[] Listening { get => Volatile.Read(ref field); private set => Volatile.Write(ref field, value); } = [];

    /// <summary>Whether any route or group describes errors; never becomes false again.</summary>
    public bool DescribesErrors { get => Volatile.Read(ref field); set => Volatile.Write(ref field, value); }

    /// <summary>Notifies observers of changes; null if there are none.</summary>
    public ObserverNotifier? Notifier { get; set; }

    /// <summary>The clock and random source of the endpoint of the routes; null before there is an endpoint.</summary>
    public CoapEnvironment? Environment { get => Volatile.Read(ref field); set => Volatile.Write(ref field, value); }

    /// <summary>Guards every change; never held while user code runs.</summary>
    public Lock Gate { get; } = new();

    /// <summary>The route of proxy requests; null if there is none.</summary>
    public ProxyHandlerRoute? Proxy { get => Volatile.Read(ref field); private set => Volatile.Write(ref field, value); }

    /// <summary>Whether a user's router replaces the Resource stage, so that no route is ever used.</summary>
    public bool IsLeft => Volatile.Read(ref _leftTo) is not null;

    /// <summary>Whether there are no routes.</summary>
    public bool IsEmpty => ReferenceEquals(Volatile.Read(ref _root), RouteNode.Empty);

    /// <summary>
    /// Returns whether a peer's segment may become the value of a parameter: not a dot segment, so that no path can climb, and UTF-8, so
    /// that two paths never have the same value.
    /// </summary>
    public static bool IsParameterValue(ReadOnlySpan<byte> segment) => !UriEncoding.IsDotSegment(segment) && Utf8.IsValid(segment);

    /// <summary>Returns whether all segments in a range may become the value of a catch-all.</summary>
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
    /// Returns the options of a request for reading only: a run for notifications shares them with its subject, and
    /// <see cref="CoapRequestContext.Options"/> would copy them.
    /// </summary>
    public static CoapOptionCollection OptionsOf(CoapRequestContext request) => request.Message.OptionsToRead ?? s_noOptions;

    /// <summary>
    /// Returns the place of the Uri-Path options; null for 4.04. A single empty segment is the root, because <c>coap://host/</c> has none
    /// (RFC 7252 section 6.4).
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

    /// <summary>Returns the route of a request: the proxy route for a proxy request, otherwise that of its path.</summary>
    /// <param name="options">The options of the request.</param>
    /// <param name="code">Its method.</param>
    /// <param name="firstSegment">The index of its first Uri-Path option.</param>
    /// <returns>Null if no route serves it.</returns>
    public Route? FindRoute(CoapOptionCollection options, CoapCode code, out int firstSegment)
    {
        firstSegment = 0;
        return OptionRules.IsProxyRequest(options) ? Proxy?.Route : Find(options, out firstSegment)?[code];
    }

    /// <summary>Finds the policy for the body of a request.</summary>
    /// <param name="request">The request, as received so far.</param>
    /// <param name="isInOrder">Whether its blocks arrive in order, so that the handler can read them as they arrive.</param>
    /// <param name="environment">Provides the limits.</param>
    /// <returns>Null if the Resource stage would refuse the request in any case; that stage then answers it.</returns>
    public RequestBodyPolicy? FindBodyPolicy(CoapRequestContext request, bool isInOrder, CoapEnvironment environment)
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

        EffectiveRouteSettings plan = route.GetPlan(environment);
        RequestBodyPolicy body = isInOrder ? plan.BodyOf(request.Code) : plan.Body;
        return !plan.Admits(request)
            ? null
            : plan.Freshness is null && plan.Limiter is null && plan.Admission is null ? body
            : body with { HasGates = true };
    }

    /// <summary>
    /// Checks at the first block of a body whether the body may be assembled: freshness, limits and filters that do not need the body.
    /// </summary>
    /// <param name="exchange">The request, with the block. Its body state is valid only during the call.</param>
    /// <param name="environment">Provides the limits.</param>
    /// <returns>The response that refuses it; null if it may be assembled.</returns>
    public ValueTask<CoapResult?> AdmitAsync(CoapExchange exchange, CoapEnvironment environment)
    {
        CoapOptionCollection options = OptionsOf(exchange.Request);
        return FindRoute(options, exchange.Request.Code, out int firstSegment) is { } route
            ? RouteAdmission.AdmitAsync(exchange, route, route.GetPlan(environment), firstSegment, environment)
            : default;
    }

    /// <summary>Leaves all requests to a user's router.</summary>
    /// <exception cref="InvalidOperationException">There is already a route.</exception>
    public void LeaveTo(RequestBodyPolicy policy)
    {
        lock (Gate)
        {
            Volatile.Write(ref _leftTo, _routes.Count == 0 && Proxy is null ? policy : throw NeverAsked());
        }
    }

    /// <summary>Adds a route.</summary>
    /// <exception cref="InvalidOperationException">The path already has a handler for one of the methods, or a user's router serves all
    /// requests.</exception>
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

    /// <summary>Sets the route of proxy requests.</summary>
    /// <exception cref="InvalidOperationException">There is already one.</exception>
    public void Add(ProxyHandlerRoute proxy)
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
                    "Proxy requests already have a handler. Unmap it first, or map one handler that does both.");
            }

            Proxy = proxy;
            _version++;
        }
    }

    /// <summary>Adds a transport that the endpoint listens with. Called when transports start, one at a time.</summary>
    public void AddListening(CoapTransport transport) => Listening = [.. Listening, transport];

    private static InvalidOperationException NeverAsked() => new(
        "A router replaces the Resource stage of this endpoint (CoapPipelineOptions.Replace), so its routes would never be used. "
        + "Serve the path in the router, or do not replace the stage.");

    /// <summary>Removes a route; its running requests continue.</summary>
    /// <returns>Whether it was present.</returns>
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

        Notifier?.Remove(route.Observed);
        return true;
    }

    /// <summary>Returns the path of Uri-Path options in the normal form of change notices.</summary>
    public static string PathOf(CoapOptionCollection options)
    {
        StringBuilder path = new();
        for (int i = options.IndexOf(OptionNumber.UriPath); i >= 0 && i < options.Count && options.NumberAt(i) == OptionNumber.UriPath; i++)
        {
            path.Append('/');
            UriEncoding.AppendSegment(path, options.ValueAt(i));
        }

        return path.Length == 0 ? "/" : path.ToString();
    }

    /// <summary>Returns a path in the normal form of change notices.</summary>
    /// <exception cref="ArgumentException">The percent-encoding is invalid.</exception>
    public string NormalizePath(string path) => _noticed.Get(path).Path;

    /// <summary>Notifies observers that the resource at a path may have changed.</summary>
    /// <returns>The number of its observers.</returns>
    /// <exception cref="ArgumentException">The percent-encoding is invalid.</exception>
    public int Notify(string path)
    {
        NotifiedPath noticed = _noticed.Get(path);
        int observers = Notify(noticed.Options, noticed, isTold: true, out RouteNode? place);
        if (observers == 0 && !noticed.IsChecked)
        {
            noticed.IsChecked = true;
            if (!IsObservable(place))
            {
                Notifier?.WarnUnobservable(noticed.Path, place is not null);
            }
        }

        return observers;
    }

    /// <summary>Notifies observers that the resource of the Uri-Path options may have changed.</summary>
    public void Notify(CoapOptionCollection options) => Notify(options, null, isTold: true, out _);

    /// <summary>Notifies observers that all resources of a route may have changed.</summary>
    /// <returns>The number of its observers.</returns>
    public int Notify(Route route, bool tellsMistakes)
    {
        Notifier?.Notify(route.Observed);
        Notifier?.Report(route.Observed.Name);
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
                Notifier?.WarnUnobservable(route.Template.Text, isServed: true);
            }
        }

        return observers;
    }

    /// <summary>Notifies observers of one path of a route, or of one URI of a proxy, that it may have changed.</summary>
    /// <param name="route">The route.</param>
    /// <param name="path">The path, in its normal form.</param>
    /// <param name="client">The only client for which it changed; null for all clients.</param>
    /// <returns>The number of its observers.</returns>
    public int NotifyAt(Route route, string path, CoapChannel? client = null)
    {
        route.Observed.CountChange();
        return Notifier?.Notify(path, client) ?? 0;
    }

    /// <summary>Returns the number of observers of a path.</summary>
    /// <exception cref="ArgumentException">The percent-encoding is invalid.</exception>
    public int CountObservers(string path) => Notifier?.CountAt(NormalizePath(path)) ?? 0;

    /// <summary>Notifies only the observers here of a change elsewhere.</summary>
    /// <exception cref="ArgumentException">The percent-encoding is invalid.</exception>
    public int Apply(string name)
    {
        if (name.StartsWith('/'))
        {
            NotifiedPath noticed = _noticed.Get(name);
            return Notify(noticed.Options, noticed, isTold: false, out _);
        }

        int observers = 0;
        foreach (Route route in RoutesNamed(name))
        {
            Notifier?.Notify(route.Observed);
            observers += route.Observed.Observers;
        }

        return observers;
    }

    /// <summary>
    /// Records that anything may have changed: registrations whose handlers are running get the newest state when they complete.
    /// </summary>
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

    private int Notify(CoapOptionCollection options, NotifiedPath? noticed, bool isTold, out RouteNode? place)
    {
        place = Find(options, out _);
        if (Notifier is not { } notifier || place is null)
        {
            return 0;
        }

        foreach (Route? route in place.Routes)
        {
            route?.Observed.CountChange();
        }

        string path = noticed?.Path ?? PathOf(options);
        int observers = notifier.Notify(path);
        if (isTold)
        {
            notifier.Report(path);
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

    public void Change<TState>(TState state, Action<TState> change)
    {
        lock (Gate)
        {
            change(state);
            _version++;
        }
    }

    /// <summary>Sets the secured transports that the endpoint listens on.</summary>
    public void SetSecuredSchemes(string[] schemes)
    {
        lock (Gate)
        {
            SecuredSchemes = schemes;
            _version++;
        }
    }

    /// <summary>Returns all current routes, in the order of mapping, and the version of the table.</summary>
    public (Route[] Routes, int Version) Snapshot()
    {
        lock (Gate)
        {
            return ([.. _routes.OrderBy(route => route.Id)], _version);
        }
    }
}
