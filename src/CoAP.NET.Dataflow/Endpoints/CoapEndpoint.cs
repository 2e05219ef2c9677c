using System.IO.Pipelines;
using System.Net;
using System.Net.WebSockets;
using System.Threading.Tasks.Dataflow;
using CoAP.NET.Blockwise.Server;
using CoAP.NET.Channels;
using CoAP.NET.Composition;
using CoAP.NET.Composition.Stages;
using CoAP.NET.Endpoints;
using CoAP.NET.Errors;
using CoAP.NET.Observing.Client;
using CoAP.NET.Observing.Server;
using CoAP.NET.Resources;

namespace CoAP.NET;

/// <summary>A CoAP endpoint: transports, shards and pipelines.</summary>
/// <remarks>It can serve and send requests at the same time, over the same sockets. <see cref="CoapClient"/> and <see cref="CoapServer"/>
/// are thin facades over it. Thread-safe after the start.</remarks>
public sealed class CoapEndpoint : IEndpointClient, IAsyncDisposable
{
    private readonly TimeSpan _gracePeriod;
    private readonly IAsyncDisposable[] _owned;
    private readonly CancellationTokenSource _cutGrace = new();
    private readonly TaskCompletionSource _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private bool _isFaulted;

    /// <summary>Creates an endpoint without transports.</summary>
    /// <param name="options">The options; default: all defaults.</param>
    public CoapEndpoint(CoapEndpointOptions? options = null)
    {
        options ??= new CoapEndpointOptions();
        _gracePeriod = options.Processes.StopGracePeriod;
        _owned = [.. options.Owned];
        Core = new EndpointCore(this, options);
    }

    /// <summary>Raised when a connection is ready: the peer's CSM has arrived (RFC 8323 section 3.3), or the handshake of a DTLS session is
    /// complete.</summary>
    /// <remarks>Either side may have opened it. From then on the endpoint can send requests to the peer and observe its resources, even if
    /// the peer never sent a request. Raised on the receiving thread, with no lock held: do not block in a handler, and do not wait for
    /// data of the peer. The library logs exceptions of handlers.</remarks>
    public event EventHandler<CoapPeer>? PeerConnected
    {
        add => Core.Peers.Connected += value;
        remove => Core.Peers.Connected -= value;
    }

    /// <summary>Raised when a connection that <see cref="PeerConnected"/> announced has ended, as the requests on it fail.</summary>
    /// <remarks>Raised with no lock held on the thread that detected the end: the receiving thread, a thread of the library after a
    /// timeout, or the caller that ended it. The library logs exceptions of handlers.</remarks>
    public event EventHandler<CoapDisconnection>? PeerDisconnected
    {
        add => Core.Peers.Disconnected += value;
        remove => Core.Peers.Disconnected -= value;
    }

    /// <summary>Raised when the address of a peer changed within its security session, for example behind a NAT that lost its
    /// binding.</summary>
    /// <remarks>The endpoint has already sent a probe to the new address; until the peer answers, that address gets no more than three
    /// times the bytes that it sends, and over DTLS the former one stays in use too. Raised again when no answer came and the peer has its
    /// former address again. Raised with no lock held, mostly on the receiving thread; do not block in a handler. The library logs
    /// exceptions of handlers.</remarks>
    public event EventHandler<CoapPeerMove>? PeerMoved
    {
        add => Core.Peers.Moved += value;
        remove => Core.Peers.Moved -= value;
    }

    /// <summary>The name of the endpoint in telemetry; null if it has none.</summary>
    public string? Name => Core.Diagnostics.Name;

    /// <summary>The clock of the endpoint (<see cref="CoapEndpointOptions.TimeProvider"/>).</summary>
    public TimeProvider TimeProvider => Core.Environment.TimeProvider;

    /// <summary>The counters of the endpoint.</summary>
    public CoapCounters Counters => Core.Environment.Counters;

    /// <summary>The addresses that the endpoint listens on, as URIs such as <c>coap://[::1]:61616/</c>; empty before the start.</summary>
    /// <remarks><c>LocalEndpoints[0].Resolve("/temperature")</c> is the URI of a resource.</remarks>
    public IReadOnlyList<CoapUri> LocalEndpoints => Core.Transports.LocalEndpoints;

    /// <summary>A copy of the list of peers whose connections are ready and not about to end, in both directions.</summary>
    /// <remarks>A DTLS session is ready when its handshake is complete. Plain datagram transports have no connections.</remarks>
    public IReadOnlyList<CoapPeer> ConnectedPeers => Core.Peers.Ready;

    /// <summary>Completes when the endpoint was stopped; faults when it had to give up, such as after a fault of a user's block.</summary>
    public Task Completion => _completion.Task;

    internal EndpointCore Core { get; }

    internal IReadOnlyList<CoapShardPipeline> Pipelines => Core.Pipelines;

    internal CoapEnvironment Environment => Core.Environment;

    internal RouteTable Routes => Core.Routes;

    internal RunningRequestCounter Served => Core.Served;

    internal BlockwiseBudgets Bodies => Core.Bodies;

    internal ObserverQuota Observers => Core.Observers;

    internal ClientObservations Observed => Core.Observed;

    internal ConnectionTable Connections => Core.Connections;

    internal long FrameAssemblyBytes => Core.Context.AssemblyBytes;

    internal long StreamSendBytes => Core.Context.SendingBytes;

    /// <summary>
    /// Inserts a block between two stages while the endpoint runs, for example to record messages for some minutes.
    /// </summary>
    /// <remarks>
    /// The block is the last one of its link; <see cref="CoapPipelineOptions.Insert"/> has the rules for it. No item is lost, and none
    /// overtakes another one: after the begin of a removal, later items wait until the block is empty.
    /// </remarks>
    /// <typeparam name="T">The type of the items that pass the link.</typeparam>
    /// <param name="link">The link, a member of <see cref="CoapStageLinks"/>.</param>
    /// <param name="factory">Creates the block; called once for each shard.</param>
    /// <returns>
    /// Removes the blocks on disposal: completes them, and waits until their items have left them, at most for
    /// <see cref="CoapMultiProcessOptions.StopGracePeriod"/>. When the endpoint stops, it completes them itself.
    /// </returns>
    /// <exception cref="InvalidOperationException">
    /// The endpoint stops; or the factory returned null or a block that is already in use.
    /// </exception>
    public IAsyncDisposable Insert<T>(CoapStageLink<T> link, Func<IPropagatorBlock<T, T>> factory)
    {
        ArgumentNullException.ThrowIfNull(link);
        ArgumentNullException.ThrowIfNull(factory);
        return new InsertedDataflowBlocks<T>(Core, _gracePeriod, link, factory);
    }

    /// <summary>Adds an address to listen on.</summary>
    /// <remarks>
    /// The default port is that of the scheme; with 0, the operating system chooses one. The endpoint resolves other names than
    /// <c>localhost</c> when it starts, with <see cref="CoapTransportOptions.ResolveHost"/>.
    /// </remarks>
    /// <param name="uri">
    /// Scheme, host and port, such as <c>coap://[::]:5683</c> (IPv6 and IPv4), <c>coap://0.0.0.0</c> (IPv4), <c>coap://*:5683</c> (all),
    /// <c>coap://localhost</c> (127.0.0.1 and ::1, if the machine has it), <c>coap+tcp://[::]:5683</c> (TCP),
    /// <c>coaps+tcp://[::]:5684</c> (TLS, with a certificate in <see cref="CoapEndpointOptions.Tls"/>), or of a scheme of
    /// <see cref="CoapTransportOptions.Factories"/>.
    /// </param>
    /// <returns>This endpoint.</returns>
    /// <exception cref="ArgumentException">The endpoint cannot serve the scheme of the URI; or the URI has a path or the address of a
    /// group; or the scheme needs a certificate and there is none.</exception>
    /// <exception cref="InvalidOperationException">The endpoint was already started.</exception>
    public CoapEndpoint Listen(string uri)
    {
        Core.Transports.Listen(uri);
        return this;
    }

    /// <summary>Adds a transport to receive and send with, for example a custom one.</summary>
    /// <param name="transport">The transport; the endpoint starts and disposes it.</param>
    /// <returns>This endpoint.</returns>
    /// <exception cref="InvalidOperationException">The endpoint was already started.</exception>
    public CoapEndpoint AddTransport(CoapTransport transport)
    {
        Core.Transports.Add(transport);
        return this;
    }

    /// <summary>
    /// Announces that connections will be handed over with <see cref="AcceptWebSocketAsync"/> or <see cref="AcceptStreamAsync"/>: a server
    /// then needs no address of its own, and binds only the addresses that are set.
    /// </summary>
    /// <returns>This endpoint.</returns>
    public CoapEndpoint ExpectConnections()
    {
        Core.Transports.ExpectConnections();
        return this;
    }

    /// <summary>Joins groups when the endpoint starts, at the port of each address that it listens on; off by default.</summary>
    /// <remarks>
    /// Only addresses such as <c>coap://[::]</c> and <c>coap://0.0.0.0</c> receive group messages. Only <c>/.well-known/core</c> and routes
    /// with <c>AllowMulticast</c> answer a request to a group, only if they have something to report, and after a random time (RFC 7252
    /// section 8.2).
    /// </remarks>
    /// <param name="options">Groups, interfaces and the delay of responses; null: All CoAP Nodes on all interfaces.</param>
    /// <returns>This endpoint.</returns>
    /// <exception cref="ArgumentException">An address is not a group address, or there is no address.</exception>
    /// <exception cref="InvalidOperationException">The endpoint was already started.</exception>
    public CoapEndpoint JoinGroups(CoapGroupOptions? options = null)
    {
        Core.Transports.JoinGroups(options ?? new CoapGroupOptions());
        return this;
    }

    /// <summary>Starts all transports.</summary>
    /// <remarks>After a failed start, for example because a port is in use, another call starts the remaining transports.</remarks>
    /// <param name="cancellationToken">Cancels the start.</param>
    /// <returns>A task that completes when all addresses are bound.</returns>
    /// <exception cref="CoapException">An address cannot be bound.</exception>
    /// <exception cref="InvalidOperationException">The endpoint was already stopped.</exception>
    public Task StartAsync(CancellationToken cancellationToken = default) => Core.Transports.StartAsync(cancellationToken);

    /// <summary>Resumes an observation of an earlier process as if this endpoint had registered it.</summary>
    /// <remarks>
    /// The endpoint takes its notifications in their order (RFC 7641 section 3.4), registers again when Max-Age expires without one, and
    /// cancels with its token. It sends nothing if <see cref="CoapExportedObservation.Heard"/> contains the last notification; otherwise it
    /// registers with the same token. Call this after the start, when the sessions of the peers exist. If this endpoint already observes
    /// the resource, it joins that observation.
    /// </remarks>
    /// <param name="state">The observation.</param>
    /// <param name="options">Options of the observation; null for the defaults.</param>
    /// <param name="cancellationToken">Stops waiting for a registration that has to be sent, and cancels it.</param>
    /// <returns>
    /// The observation. <see cref="CoapObservation.Latest"/> is null until the next notification arrives. If the endpoint had to register,
    /// it is the response, as in <see cref="ICoapClient.ObserveAsync"/>.
    /// </returns>
    /// <exception cref="ArgumentException">The peer belongs to another endpoint, or the observation has no address, or it names a
    /// connection or security context that ends with its registrations.</exception>
    /// <exception cref="CoapException">Another request to the same peer uses the token.</exception>
    /// <exception cref="CoapException">There are too many observations, the endpoint was stopped, or has no transport for the
    /// scheme.</exception>
    public Task<CoapObservation> ResumeObservationAsync(CoapExportedObservation state, CoapObservationOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(state);
        return Core.ExportedObservationResumer.ResumeObservationAsync(state, options, cancellationToken);
    }

    /// <summary>Queues notifications with unknown tokens while observations are resumed.</summary>
    /// <remarks>
    /// Without it, the endpoint would answer each of them with a Reset, which ends the registration (RFC 7641 section 3.6). It queues the
    /// newest notification of each token, at most 1,024 in each shard. When there are more, it discards one of the source with the most, as
    /// if it had not arrived, and accepts its next copy. A resumed observation receives what was queued for it.
    /// </remarks>
    /// <param name="longest">The longest time to queue them; above 0, and at most 90 s, for which peers repeat Confirmable
    /// messages.</param>
    /// <returns>A handle to dispose when all observations are resumed: the endpoint then answers the rest as usual. Several may
    /// overlap.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The time is out of range.</exception>
    public IDisposable PauseNotifications(TimeSpan longest)
    {
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(longest, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(longest, TimeSpan.FromSeconds(90));
        return Core.ExportedObservationResumer.Pause(longest);
    }

    /// <summary>Ends connections (RFC 8323) and DTLS sessions immediately.</summary>
    /// <param name="condition">
    /// Whether to end the connection of a peer, for example by its <see cref="CoapPeer.Identity"/>. Called once for each connection, also
    /// for those that have just been accepted. An exception of it ends the call; connections that were ended before stay ended.
    /// </param>
    /// <param name="reason">The reason as a sentence, for <see cref="CoapEndpoint.PeerDisconnected"/> and pending requests.</param>
    /// <returns>The number of ended connections and sessions.</returns>
    /// <remarks>
    /// The endpoint accepts nothing more from these peers and fails its pending requests to them; it does not wait, unlike
    /// <see cref="CoapPeer.ReleaseAsync"/>. A peer may connect again: revoke its credentials first, so that its handshake fails.
    /// </remarks>
    /// <exception cref="ArgumentException"><paramref name="reason"/> is empty.</exception>
    public int Disconnect(Func<CoapPeer, bool> condition, string reason)
    {
        ArgumentNullException.ThrowIfNull(condition);
        ArgumentException.ThrowIfNullOrEmpty(reason);
        return Core.Peers.Disconnect(condition, reason);
    }

    /// <summary>Stops the endpoint.</summary>
    /// <remarks>
    /// During the grace period it still receives, answers new requests 5.03 and finishes running ones. Then it receives nothing more, and
    /// what is inside of linked blocks passes them. At the end of the period it cancels the handlers that still run and answers their
    /// requests 5.03 with Max-Age. It releases connections (RFC 8323 section 5.5) for at most
    /// <see cref="CoapStreamOptions.ReleaseTimeout"/> of the remaining period, closes the sockets and fails pending requests. A handler may
    /// call this method.
    /// </remarks>
    /// <param name="cancellationToken">Ends the grace period early, including that of another call.</param>
    /// <returns>A task that completes when everything is closed.</returns>
    public async Task StopAsync(CancellationToken cancellationToken = default)
    {
        Core.State.BeginStop();
        Core.Pool.Stop();
        using CancellationTokenRegistration cuts = cancellationToken.UnsafeRegister(static cut => ((CancellationTokenSource)cut!).Cancel(),
            _cutGrace);
        await Core.Transports.Lifecycle.WaitAsync(CancellationToken.None).ConfigureAwait(false);
        try
        {
            if (Core.State.IsStopped)
            {
                return;
            }

            await new EndpointStop(Core).RunAsync(_gracePeriod, _cutGrace.Token).ConfigureAwait(false);
            foreach (IAsyncDisposable owned in _owned)
            {
                await owned.DisposeAsync().ConfigureAwait(false);
            }

            _completion.TrySetResult();
        }
        finally
        {
            Core.Transports.Lifecycle.Release();
        }
    }

    /// <summary>Starts the endpoint, runs until the token is cancelled, and stops.</summary>
    /// <param name="cancellationToken">Stops the endpoint.</param>
    /// <returns>A task that completes when the endpoint has stopped.</returns>
    /// <exception cref="CoapException">An address cannot be bound, or a block that was linked into the pipeline ended.</exception>
    public async Task RunAsync(CancellationToken cancellationToken = default)
    {
        await StartAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            await Completion.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            await StopAsync(CancellationToken.None).ConfigureAwait(false);
        }
    }

    /// <summary>Stops without a grace period, and ends the grace period of a running stop.</summary>
    /// <remarks>
    /// It cancels running handlers and answers their requests 5.03 with Max-Age (<see cref="CoapRequestLimits.BusyMaxAge"/>) before the
    /// sockets close. It closes connections without waiting for the peer. Call <see cref="StopAsync"/> before to let requests finish.
    /// </remarks>
    /// <returns>A task that completes when everything is closed.</returns>
    public async ValueTask DisposeAsync()
    {
        await _cutGrace.CancelAsync().ConfigureAwait(false);
        await StopAsync(CancellationToken.None).ConfigureAwait(false);
    }

    /// <summary>Sends a request to the host of its URI and waits for the response.</summary>
    /// <remarks>If a host name has several addresses, the endpoint tries the next one when nothing listens at the previous one.</remarks>
    /// <param name="request">The request, with a URI.</param>
    /// <param name="cancellationToken">Stops waiting and retransmitting.</param>
    /// <returns>The response, which may be an error response.</returns>
    /// <exception cref="ArgumentException">The request has no valid CoAP URI, or its code is not a request code.</exception>
    /// <exception cref="CoapException">No response arrived; the derived type says why.</exception>
    public Task<CoapResponse> SendAsync(CoapRequest request, CancellationToken cancellationToken = default) =>
        Core.Requester.SendAsync(request, cancellationToken);

    /// <inheritdoc/>
    public Task<CoapObservation> ObserveAsync(CoapRequest request, CoapObservationOptions? options = null,
        CancellationToken cancellationToken = default) =>
            Core.Observed.ObserveAsync(request, options, cancellationToken);

    /// <summary>
    /// Checks whether a peer is reachable, with an Empty Confirmable message that it answers with a Reset (RFC 7252 section 4.3).
    /// </summary>
    /// <remarks>
    /// The ping ends at the latest with the retransmissions of the message, by default 93 s after it was sent. On a connection, which is
    /// opened if necessary, it is a Ping that the peer answers with a Pong within <see cref="CoapStreamOptions.PongTimeout"/> (RFC 8323
    /// section 5.4).
    /// </remarks>
    /// <param name="uri">Scheme, host and port; a path is ignored.</param>
    /// <param name="timeout">The time limit, which includes host name resolution and connecting and replaces
    /// <see cref="CoapStreamOptions.PongTimeout"/>; null for none of its own, <see cref="Timeout.InfiniteTimeSpan"/> for no limit except
    /// that of retransmission.</param>
    /// <param name="cancellationToken">Stops waiting and retransmitting.</param>
    /// <returns>The time from the call to the answer: the round-trip time, including retransmissions and waiting for earlier requests to
    /// the peer (NSTART).</returns>
    /// <exception cref="ArgumentException">The URI is not a CoAP URI.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The time is neither above zero nor infinite.</exception>
    /// <exception cref="CoapTimeoutException">The peer did not answer in time.</exception>
    /// <exception cref="CoapConnectionException">Nothing listens there.</exception>
    /// <exception cref="CoapException">The ping could not be sent, or the endpoint was stopped.</exception>
    public Task<TimeSpan> PingAsync(CoapUri uri, TimeSpan? timeout = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(uri);
        try
        {
            return Core.Requester.PingAsync(uri, ClientRequestTimeLimit.Of(timeout), cancellationToken);
        }
        catch (ArgumentException exception)
        {
            return Task.FromException<TimeSpan>(exception);
        }
    }

    /// <inheritdoc cref="PingAsync(CoapUri, TimeSpan?, CancellationToken)"/>
    /// <exception cref="CoapFormatException">The text is not a URI.</exception>
    public Task<TimeSpan> PingAsync(string uri, TimeSpan? timeout = null, CancellationToken cancellationToken = default) =>
        PingAsync(CoapUri.FromString(uri), timeout, cancellationToken);

    /// <summary>
    /// Sends a Non-confirmable request to a group, once, and returns the responses of its members as they arrive (RFC 7252 section 8).
    /// </summary>
    /// <remarks>
    /// It ends after <see cref="CoapRequest.Timeout"/>, or without one after ResponseTimeout of the transmission parameters, by default
    /// NON_LIFETIME (145 s). Members take up to 5 s for their response, more in large groups, so 10 s are usually enough. Leaving the loop
    /// earlier also ends it. Silence is not an error: members that have nothing to report send no response.
    /// <para>
    /// With <c>Options.Observe = 0</c>, members with observable resources continue with notifications (RFC 7641), each in its own order,
    /// until the caller leaves the loop; without a Timeout there is no other end. A member that restarts sends no more notifications until
    /// it receives the request again: send the request again from time to time.
    /// </para>
    /// </remarks>
    /// <param name="request">The request; <see cref="CoapRequest.Confirmable"/> must be false, and the URI names a group, such as
    /// <c>coap://224.0.1.187/.well-known/core</c> or <c>coap://[ff02::fd%25eth0]/x</c>.</param>
    /// <param name="options">Interface, hop limit and limits; null for the defaults.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The responses; each enumeration sends the request again.</returns>
    /// <exception cref="ArgumentException">The request is Confirmable, which a group cannot acknowledge; or it has a Destination, a
    /// Download or a Content that is read from a stream; or its URI is invalid, not of the scheme <c>coap</c>, or does not name a
    /// group.</exception>
    /// <exception cref="CoapException">While enumerating: the name has no group address, the request cannot be sent, or the endpoint was
    /// stopped.</exception>
    public IAsyncEnumerable<CoapGroupResponse> SendToGroupAsync(CoapRequest request, CoapGroupRequestOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(request);
        return Core.GroupRequester.SendAsync(request, options ?? new CoapGroupRequestOptions(), cancellationToken);
    }

    /// <summary>
    /// Takes over a WebSocket that negotiated the sub-protocol <c>coap</c> (RFC 8323 section 4), and serves it until it ends.
    /// </summary>
    /// <remarks>Its keep-alive must be off (section 4.4).</remarks>
    /// <param name="webSocket">The WebSocket; the endpoint disposes it at the end.</param>
    /// <param name="connection">The facts about the connection that the caller knows.</param>
    /// <param name="cancellationToken">Requests the end: the endpoint releases the connection (RFC 8323 section 5.5), and finishes running
    /// exchanges.</param>
    /// <returns>A task that completes when the connection has ended and the WebSocket is unused.</returns>
    /// <exception cref="CoapConnectionException">The endpoint refused the connection, because a limit is reached or the endpoint stops; the
    /// WebSocket was closed.</exception>
    /// <exception cref="CoapException">The endpoint was stopped.</exception>
    public Task AcceptWebSocketAsync(WebSocket webSocket, CoapAcceptedConnectionInfo connection,
        CancellationToken cancellationToken = default) =>
            Core.Accepted.HaveAsync(webSocket, connection, cancellationToken);

    /// <summary>
    /// Takes over a TCP connection, or a TLS connection that negotiated the application protocol <c>coap</c> (RFC 8323 sections 3 and 8.2),
    /// and serves it until it ends.
    /// </summary>
    /// <param name="stream">The bytes of the connection in both directions; the endpoint completes both pipes at the end.</param>
    /// <param name="connection">The facts about the connection that the caller knows.</param>
    /// <param name="cancellationToken">Requests the end: the endpoint releases the connection (RFC 8323 section 5.5), and finishes running
    /// exchanges.</param>
    /// <returns>A task that completes when the connection has ended and the pipes are unused.</returns>
    /// <exception cref="CoapConnectionException">The endpoint refused the connection, because a limit is reached or the endpoint stops; the
    /// pipes were completed.</exception>
    /// <exception cref="CoapException">The endpoint was stopped.</exception>
    public Task AcceptStreamAsync(
        IDuplexPipe stream, CoapAcceptedConnectionInfo connection, CancellationToken cancellationToken = default) =>
        Core.Accepted.HaveAsync(stream, connection, cancellationToken);

    /// <summary>Returns a snapshot of the endpoint for diagnostics.</summary>
    /// <remarks>
    /// It contains peers with pending, queued and observed requests, block transfers, round-trip times, and the last drops. Do not call it
    /// for each request: it visits all peers, and briefly takes the locks of the shards.
    /// </remarks>
    /// <param name="address">Limits the snapshot to peers at this address, on all ports; null for all.</param>
    /// <param name="maxPeers">The maximum number of peers, those heard most recently. Default 100; 0 or more.</param>
    /// <returns>The snapshot, which never changes.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="maxPeers"/> is negative.</exception>
    public CoapDiagnosticSnapshot GetSnapshot(IPAddress? address = null, int maxPeers = 100) =>
        Core.Diagnostics.GetSnapshot(address, maxPeers);

    /// <summary>Counts and logs an error of a part that was closing, unless it is the reported fault of the endpoint.</summary>
    internal void ReportClosing(Exception exception)
    {
        if (_completion.Task.Exception is not { } fault || RootOf(fault) != RootOf(exception))
        {
            Counters.Add(CoapCounter.StageErrors);
            EndpointLog.ClosingFailed(Core.Environment.Logger, exception);
        }

        static Exception RootOf(Exception thrown) => thrown.InnerException is { } inner ? RootOf(inner) : thrown;
    }

    CoapUri? IEndpointClient.BaseAddress => null;

    CoapUri? IEndpointClient.Proxy => null;

    CoapEndpoint IEndpointClient.Endpoint => this;

    Task<TimeSpan> IEndpointClient.PingAsync(CoapUri? uri, TimeSpan? timeout, CancellationToken cancellationToken) =>
        PingAsync(uri!, timeout, cancellationToken);

    /// <summary>Ends the endpoint because a component that it depends on has failed.</summary>
    internal void Fault(Exception exception)
    {
        if (!Completion.IsCompleted && !Interlocked.Exchange(ref _isFaulted, true))
        {
            // Log before the task ends: a program that awaits it may end with it.
            EndpointLog.EndpointFaulted(Core.Environment.Logger, exception);
            _completion.TrySetException(exception);
            _ = Completion.Exception;
            Core.Environment.Scheduler.TryQueue(static state => _ = ((CoapEndpoint)state!).DisposeAsync().AsTask(), this,
                Core.Environment.Counters, Core.Environment.Logger);
        }
    }
}
