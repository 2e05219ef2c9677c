using CoAP.NET.Resources;
using CoAP.NET.Transports;

namespace CoAP.NET;

/// <summary>
/// Serves resources. Map handlers to paths, listen on addresses, start. The mapping methods are in
/// <see cref="CoapRouteBuilderExtensions"/>, <see cref="CoapReadRoutes"/>, <see cref="CoapWriteRoutes"/>, <see cref="CoapPatchRoutes"/> and
/// <see cref="CoapMethodRoutes"/>.
/// </summary>
public sealed class CoapServer : ICoapRouteBuilder, IAsyncDisposable
{
    /// <summary>
    /// Where a server listens that was told nothing else: the default port, all addresses of IPv6 and IPv4 (RFC 7252 section 7.1).
    /// </summary>
    public const string DefaultAddress = "coap://[::]:5683";

    /// <summary>Makes a server.</summary>
    /// <param name="options">How its endpoint works; default: all defaults.</param>
    public CoapServer(CoapEndpointOptions? options = null) => Endpoint = new CoapEndpoint(options);

    /// <summary>The endpoint underneath, by which a server sends requests too.</summary>
    public CoapEndpoint Endpoint { get; }

    /// <summary>The routes, by which handlers are mapped to paths.</summary>
    public CoapRouteGroup Routes => Endpoint.Routes.Root;

    /// <summary>
    /// The links to its resources, as <c>/.well-known/core</c> lists them (RFC 6690), but for those that are listed to some clients only:
    /// for a resource directory (<see cref="CoapRegistrationOptions.Links"/>). What there is at the time of each enumeration.
    /// </summary>
    public IEnumerable<CoapLink> Links
    {
        get
        {
            foreach (CoapLink link in WellKnownCore.LinksOf(Endpoint.Routes))
            {
                yield return link;
            }
        }
    }

    /// <summary>The addresses that it listens on, as URIs; empty before it was started.</summary>
    public IReadOnlyList<string> LocalEndpoints => Endpoint.LocalEndpoints;

    /// <summary>
    /// Ends when the server was started: all addresses are bound, and sessions that were kept are there. Cancelled when it ends before
    /// that; a start that fails may be tried again.
    /// </summary>
    public Task Started => Endpoint.Core.Transports.AllStarted;

    /// <summary>Who is told of observers: the one of the options that it was made with; null for nobody.</summary>
    public ICoapObserverKeeper? ObserverKeeper => Endpoint.Core.ObserverKeeper;

    /// <summary>What happened so far, in numbers.</summary>
    public CoapCounters Counters => Endpoint.Counters;

    /// <summary>How many requests are being served now (<see cref="CoapLimits.MaxRequestsServed"/>).</summary>
    public int RequestsServed => Endpoint.Served.Count;

    /// <summary>
    /// How many observers there are now: pairs of a client and a token that are sent notifications (RFC 7641 section 4.1).
    /// </summary>
    public int ObserverCount => Endpoint.Observers.Count;

    /// <summary>
    /// How many bytes bodies take now: of requests that come block by block (<see cref="CoapLimits.MaxAssemblyBytes"/>) and of answers that
    /// are fetched block by block (<see cref="CoapLimits.MaxRepresentationBytes"/>).
    /// </summary>
    public long BodyBytes => Endpoint.Bodies.Requests.Used + Endpoint.Bodies.Responses.Used;

    /// <summary>
    /// Says that the resource at a path may have changed, so that its observers are sent the new state. For one path of a route with
    /// parameters; <see cref="CoapRouteHandlerBuilder.Notify"/> means all. Any thread may call it, in a handler too; it waits for nothing.
    /// Whoever follows the changes of this server (<see cref="FollowChanges"/>) tells observers elsewhere.
    /// </summary>
    /// <param name="path">The path in URI form, such as <c>/devices/7</c>, percent-encoded where a URI would be.</param>
    /// <returns>How many observers the path has at the moment. 0 also when no route serves it, or none that is <c>Observable</c>, which is
    /// logged as a warning, at most once a minute.</returns>
    /// <exception cref="FormatException">The percent-encoding is wrong.</exception>
    public int Notify(string path)
    {
        ArgumentNullException.ThrowIfNull(path);
        return Endpoint.Routes.Notify(path);
    }

    /// <summary>
    /// How many observers a path has at the moment: pairs of a client and a token. For one path of a route with parameters; all of them:
    /// <see cref="CoapRouteHandlerBuilder.ObserverCount"/>.
    /// </summary>
    /// <param name="path">The path in URI form; see <see cref="Notify"/>.</param>
    /// <returns>The number.</returns>
    /// <exception cref="FormatException">The percent-encoding is wrong.</exception>
    public int CountObservers(string path)
    {
        ArgumentNullException.ThrowIfNull(path);
        return Endpoint.Routes.CountObservers(path);
    }

    /// <summary>
    /// Follows what this server is told by <see cref="Notify"/> and what is observed here, so that servers which serve the same resources,
    /// such as on other machines, can tell their observers too.
    /// </summary>
    /// <param name="listener">Is told. Each has a feed of its own.</param>
    /// <returns>What is observed here, and where changes elsewhere are told. Dispose it to end it; until then it costs a little for each
    /// change.</returns>
    public CoapChangeFeed FollowChanges(ICoapChangeListener listener)
    {
        ArgumentNullException.ThrowIfNull(listener);
        return new CoapChangeFeed(Endpoint.Routes, Endpoint.Routes.Changes!, listener, Endpoint.Environment);
    }

    /// <summary>
    /// Puts an observer back that a process before had (<see cref="ICoapObserverKeeper"/>), as if it had just registered. It is sent the
    /// newest state by a Confirmable notification, whose number is newer than those that it was sent before. Handlers run once for all who
    /// observe the same. To be called after the start, when the sessions of clients are there.
    /// </summary>
    /// <param name="observer">Who, and what.</param>
    /// <returns>False when it registered anew meanwhile, no route serves it to observers, it would not be let in, or there is no
    /// room.</returns>
    /// <exception cref="ArgumentException">The peer is one of another endpoint.</exception>
    public bool TryRestoreObserver(CoapKeptObserver observer) => RestoreObserver(observer) == CoapObserverRestore.Restored;

    /// <summary>The same as <see cref="TryRestoreObserver"/>, and says why an observer was not put back.</summary>
    /// <param name="observer">Who, and what.</param>
    /// <returns>What became of it.</returns>
    /// <exception cref="ArgumentException">The peer is one of another endpoint.</exception>
    public CoapObserverRestore RestoreObserver(CoapKeptObserver observer)
    {
        ArgumentNullException.ThrowIfNull(observer);
        return observer.Peer.Restore(observer, Endpoint.Core);
    }

    /// <summary>
    /// The peer at an address of plain <c>coap</c>, as if something of it had just come: for observers that were kept
    /// (<see cref="TryRestoreObserver"/>). To be called after the start.
    /// </summary>
    /// <param name="remote">The address of the peer (<see cref="CoapPeer.Address"/>).</param>
    /// <param name="local">Our address towards it (<see cref="CoapPeer.LocalAddress"/>).</param>
    /// <returns>The peer; null when this server does not listen at that address.</returns>
    public CoapPeer? FindPeer(CoapAddress remote, CoapAddress local) =>
        Endpoint.Core.Channels.FindKnown(Endpoint.Core.Transports.Listening, remote, local) is { } channel ? CoapPeer.Of(channel) : null;

    /// <summary>Adds an address to listen on.</summary>
    /// <param name="uri">Scheme, host and port; see <see cref="CoapEndpoint.Listen"/>.</param>
    /// <returns>This server.</returns>
    /// <exception cref="ArgumentException">The URI has a scheme that this endpoint cannot serve, a path, or the address of a
    /// group.</exception>
    /// <exception cref="InvalidOperationException">The server was started already.</exception>
    public CoapServer Listen(string uri)
    {
        Endpoint.Listen(uri);
        return this;
    }

    /// <summary>
    /// Joins groups when the server starts, such as All CoAP Nodes, so that clients can find it; see <see cref="CoapEndpoint.JoinGroups"/>.
    /// Off by default.
    /// </summary>
    /// <param name="options">Groups, interfaces and the time of answers; null: All CoAP Nodes on all interfaces.</param>
    /// <returns>This server.</returns>
    /// <exception cref="ArgumentException">An address is no address of a group, or there is none.</exception>
    /// <exception cref="InvalidOperationException">The server was started already.</exception>
    public CoapServer JoinGroups(CoapGroupOptions? options = null)
    {
        Endpoint.JoinGroups(options);
        return this;
    }

    /// <summary>Binds the addresses and begins to serve. Without <see cref="Listen"/> it listens on <c>coap://[::]:5683</c>.</summary>
    /// <param name="cancellationToken">Stops the start.</param>
    /// <returns>A task that ends when all addresses are bound.</returns>
    /// <exception cref="CoapException">An address cannot be bound.</exception>
    public Task StartAsync(CancellationToken cancellationToken = default)
    {
        Prepare();
        return Endpoint.StartAsync(cancellationToken);
    }

    /// <summary>
    /// Stops: finishes what is being served for the grace period, answers what is not done by then 5.03 with Max-Age, and closes the
    /// sockets.
    /// </summary>
    /// <param name="cancellationToken">Ends the grace period early.</param>
    /// <returns>A task that ends when everything is closed.</returns>
    public Task StopAsync(CancellationToken cancellationToken = default) => Endpoint.StopAsync(cancellationToken);

    /// <summary>Starts, serves until it is cancelled, and stops.</summary>
    /// <param name="cancellationToken">Stops it.</param>
    /// <returns>A task that ends when it is stopped.</returns>
    public Task RunAsync(CancellationToken cancellationToken = default)
    {
        Prepare();
        return Endpoint.RunAsync(cancellationToken);
    }

    /// <summary>
    /// Stops without a grace period: requests that are being served are cancelled and answered 5.03 with Max-Age; see
    /// <see cref="CoapEndpoint.DisposeAsync"/>.
    /// </summary>
    /// <returns>A task that ends when everything is closed.</returns>
    public ValueTask DisposeAsync() => Endpoint.DisposeAsync();

    private void Prepare()
    {
        if (!Endpoint.Core.Transports.HasAny)
        {
            Endpoint.Listen(DefaultAddress);
        }

        // After the user's own resources, so that one of them may stand at the well-known path.
        if (Endpoint.Routes.IsLeft)
        {
            return;
        }

        WellKnownCore.TryMap(Endpoint.Routes, Endpoint.Core.Groups.Options is not null);
    }
}
