using CoAP.NET.Binding;
using CoAP.NET.Composition;
using CoAP.NET.Observing;
using CoAP.NET.Observing.Server;
using CoAP.NET.Resources;

namespace CoAP.NET;

/// <summary>Serves resources: map handlers to paths, listen on addresses, start.</summary>
/// <remarks>The mapping methods are in <see cref="CoapRouteBuilderExtensions"/>.</remarks>
/// <example>
/// <code>
/// await using CoapServer server = new();
/// server.Listen("coap://*:5683");
/// server.MapGet("/temperature", () =&gt; CoapResults.Text("21.5")).Observable();
/// await server.RunAsync(cancellationToken);
/// </code>
/// </example>
public sealed class CoapServer : ICoapRouteBuilder, IAsyncDisposable
{
    /// <summary>Creates a server.</summary>
    /// <param name="options">The options of its endpoint; default: all defaults.</param>
    public CoapServer(CoapEndpointOptions? options = null) => Endpoint = new CoapEndpoint(options);

    /// <summary>Creates a server, and sets the options of its endpoint.</summary>
    /// <param name="configure">Sets the options.</param>
    public CoapServer(Action<CoapEndpointOptions> configure)
        : this(CoapEndpointOptions.Of(configure))
    {
    }

    /// <summary>The underlying endpoint, which also sends the requests of a server.</summary>
    public CoapEndpoint Endpoint { get; }

    /// <summary>The routes, which map handlers to paths.</summary>
    public CoapRouteGroup Routes => Endpoint.Routes.Root;

    /// <summary>
    /// The links to the resources of the server, as <c>/.well-known/core</c> lists them (RFC 6690), without those that only some clients
    /// see.
    /// </summary>
    /// <remarks>
    /// Use them for the registration with a resource directory. Each enumeration returns the current links.
    /// </remarks>
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

    /// <summary>The addresses that the server listens on, as URIs such as <c>coap://[::1]:61616/</c>; empty before the start.</summary>
    /// <remarks><c>LocalEndpoints[0].Resolve("/temperature")</c> is the URI of a resource.</remarks>
    public IReadOnlyList<CoapUri> LocalEndpoints => Endpoint.LocalEndpoints;

    /// <summary>Completes when the server has started: all addresses are bound, and stored sessions are restored.</summary>
    /// <remarks>Cancelled if the server ends before that; a failed start may be repeated.</remarks>
    public Task Started => Endpoint.Core.Transports.AllStarted;

    /// <summary>The observer store from the options; null for none.</summary>
    internal ICoapObserverStore? ObserverStore => Endpoint.Core.ObserverStore;

    /// <summary>The counters of the endpoint.</summary>
    public CoapCounters Counters => Endpoint.Counters;

    /// <summary>What to do in order to serve other machines, as a sentence, for the log of a server that sets no address.</summary>
    internal string HowToListen { get; set; } = "Call Listen, for example with coap://*:5683 for all addresses.";

    internal int RequestsServed => Endpoint.Served.Count;

    /// <summary>The number of observers: pairs of a client and a token that receive notifications (RFC 7641 section 4.1).</summary>
    public int ObserverCount => Endpoint.Observers.Count;

    /// <summary>
    /// The number of bytes that bodies take: of block-wise requests (<see cref="CoapBlockwiseLimits.RequestMemory"/>) and of block-wise
    /// responses (<see cref="CoapBlockwiseLimits.ResponseMemory"/>).
    /// </summary>
    public long BodyBytes => Endpoint.Bodies.Requests.Used + Endpoint.Bodies.Responses.Used;

    /// <summary>Notifies the observers of a path that the resource may have changed.</summary>
    /// <remarks>
    /// On a route with parameters it notifies one path; <see cref="CoapRouteHandlerBuilder.Notify"/> notifies all. Thread-safe; a handler
    /// may call it too, and it never waits. On a silo of a cluster it reaches the observers on all nodes.
    /// </remarks>
    /// <param name="path">The path in URI form, such as <c>/devices/7</c>, percent-encoded as in a URI.</param>
    /// <returns>The current number of observers of the path. 0 also if no route serves it, or none that is <c>Observable</c>; the server
    /// logs this as a warning, at most once per minute.</returns>
    /// <exception cref="ArgumentException">The percent-encoding is invalid.</exception>
    public int Notify(string path)
    {
        ArgumentNullException.ThrowIfNull(path);
        return Endpoint.Routes.Notify(path);
    }

    /// <summary>Returns the current number of observers of a path: pairs of a client and a token.</summary>
    /// <remarks>On a route with parameters it counts one path; <see cref="CoapRouteHandlerBuilder.ObserverCount"/> counts all.</remarks>
    /// <param name="path">The path in URI form; see <see cref="Notify"/>.</param>
    /// <returns>The number.</returns>
    /// <exception cref="ArgumentException">The percent-encoding is invalid.</exception>
    public int CountObservers(string path)
    {
        ArgumentNullException.ThrowIfNull(path);
        return Endpoint.Routes.CountObservers(path);
    }

    /// <summary>
    /// Follows the <see cref="Notify"/> calls and the observed resources of this server, so that other servers with the same resources, for
    /// example on other machines, can notify their observers too.
    /// </summary>
    /// <param name="listener">The listener. Each has its own feed.</param>
    /// <returns>The feed, which lists what is observed here and accepts changes from elsewhere. Dispose it to end it; until then it adds a
    /// small cost to each change.</returns>
    internal ServerToServerChangeFeed FollowChanges(ICoapChangeListener listener)
    {
        ArgumentNullException.ThrowIfNull(listener);
        return new ServerToServerChangeFeed(Endpoint.Routes, Endpoint.Routes.Notifier!, listener, Endpoint.Environment);
    }

    /// <summary>Restores an observer of an earlier process (<see cref="ICoapObserverStore"/>), as if it had just registered.</summary>
    /// <remarks>
    /// The server sends it the newest state in a Confirmable notification, with a newer number than earlier ones. Handlers run once for all
    /// observers of the same resource. Call it after the start, when the sessions of clients exist.
    /// </remarks>
    /// <param name="observer">The client and its registration.</param>
    /// <returns>False if the client registered again meanwhile, no route serves the request to observers, the route would not admit the
    /// client, or there is no room.</returns>
    /// <exception cref="ArgumentException">The peer belongs to another endpoint.</exception>
    internal bool TryRestoreObserver(CoapPersistedObserver observer) => RestoreObserver(observer) == CoapObserverRestoreResult.Restored;

    /// <summary>Restores an observer like <see cref="TryRestoreObserver"/>, and returns why it was not restored.</summary>
    /// <param name="observer">The client and its registration.</param>
    /// <returns>The result.</returns>
    /// <exception cref="ArgumentException">The peer belongs to another endpoint.</exception>
    internal CoapObserverRestoreResult RestoreObserver(CoapPersistedObserver observer)
    {
        ArgumentNullException.ThrowIfNull(observer);
        return Endpoint.Core.RestoredObservers.Restore(observer.Peer.ChannelAt(Endpoint.Core), observer);
    }

    /// <summary>
    /// Returns the peer at an address of plain <c>coap</c>, as if it had just sent a message: for stored observers
    /// (<see cref="TryRestoreObserver"/>).
    /// </summary>
    /// <remarks>Call it after the start.</remarks>
    /// <returns>The peer; null if this server does not listen at that address.</returns>
    internal CoapPeer? FindPeer(CoapAddress remote, CoapAddress local) =>
        Endpoint.Core.Channels.FindKnown(Endpoint.Core.Transports.Listening, remote, local) is { } channel ? CoapPeer.Of(channel) : null;

    /// <summary>Adds an address to listen on.</summary>
    /// <param name="uri">Scheme, host and port; see <see cref="CoapEndpoint.Listen"/>.</param>
    /// <returns>This server.</returns>
    /// <exception cref="ArgumentException">The endpoint cannot serve the scheme of the URI, or the URI has a path or the address of a
    /// group.</exception>
    /// <exception cref="InvalidOperationException">The server was already started.</exception>
    public CoapServer Listen(string uri)
    {
        Endpoint.Listen(uri);
        return this;
    }

    /// <summary>
    /// Joins groups when the server starts, such as All CoAP Nodes, so that clients can find it; see <see cref="CoapEndpoint.JoinGroups"/>.
    /// </summary>
    /// <remarks>Off by default.</remarks>
    /// <param name="options">Groups, interfaces and the delay of responses; null: All CoAP Nodes on all interfaces.</param>
    /// <returns>This server.</returns>
    /// <exception cref="ArgumentException">An address is not a group address, or there is no address.</exception>
    /// <exception cref="InvalidOperationException">The server was already started.</exception>
    public CoapServer JoinGroups(CoapGroupOptions? options = null)
    {
        Endpoint.JoinGroups(options);
        return this;
    }

    /// <summary>Checks that the services of handlers are registered, and that the types of bodies and results are serializable.</summary>
    /// <param name="services">The services of the application; null if there are none: then handlers can only have optional ones.</param>
    /// <exception cref="InvalidOperationException">Something is missing; the message lists everything and says what to add.</exception>
    /// <remarks>It covers the handlers mapped so far. A hosted server checks them when it starts.</remarks>
    public void CheckBinding(IServiceProvider? services = null) => Routes.CheckBinding(services);

    /// <summary>Binds the addresses and starts serving.</summary>
    /// <remarks>
    /// Without <see cref="Listen"/> it listens on <c>coap://localhost:5683</c>, which other machines do not reach. With credentials of a
    /// server it then also listens on <c>coaps://localhost:5684</c> (DTLS) or <c>coaps+tcp://localhost:5684</c> (TLS).
    /// </remarks>
    /// <param name="cancellationToken">Cancels the start.</param>
    /// <returns>A task that completes when all addresses are bound.</returns>
    /// <exception cref="CoapException">An address cannot be bound.</exception>
    public Task StartAsync(CancellationToken cancellationToken = default)
    {
        Prepare();
        return Endpoint.StartAsync(cancellationToken);
    }

    /// <summary>
    /// Stops the server: it finishes running requests during the grace period, answers the remaining ones 5.03 with Max-Age, and closes the
    /// sockets.
    /// </summary>
    /// <param name="cancellationToken">Ends the grace period early.</param>
    /// <returns>A task that completes when everything is closed.</returns>
    public Task StopAsync(CancellationToken cancellationToken = default) => Endpoint.StopAsync(cancellationToken);

    /// <summary>Starts the server, serves until the token is cancelled, and stops.</summary>
    /// <param name="cancellationToken">Stops the server.</param>
    /// <returns>A task that completes when the server has stopped.</returns>
    public Task RunAsync(CancellationToken cancellationToken = default)
    {
        Prepare();
        return Endpoint.RunAsync(cancellationToken);
    }

    /// <summary>
    /// Stops without a grace period: it cancels running requests and answers them 5.03 with Max-Age; see
    /// <see cref="CoapEndpoint.DisposeAsync"/>.
    /// </summary>
    /// <returns>A task that completes when everything is closed.</returns>
    public ValueTask DisposeAsync() => Endpoint.DisposeAsync();

    /// <summary>Adds the addresses of a server that sets none, and the well-known resource.</summary>
    internal void Prepare()
    {
        if (!Endpoint.Core.Transports.HasAny)
        {
            Endpoint.Core.Transports.ListenByDefault();
            EndpointLog.ListensOnLoopback(Endpoint.Environment.Logger, HowToListen);
        }

        // After the user's resources, so that one of them may use the well-known path.
        if (Endpoint.Routes.IsLeft)
        {
            return;
        }

        WellKnownCore.TryMap(Endpoint.Routes, Endpoint.Core.Groups.Options is not null);
    }
}
