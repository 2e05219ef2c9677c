using System.IO.Pipelines;
using System.Net;
using System.Net.WebSockets;
using CoAP.NET.Blockwise;
using CoAP.NET.Composition;
using CoAP.NET.Exchanges;
using CoAP.NET.Groups;
using CoAP.NET.Observing;
using CoAP.NET.Resources;
using CoAP.NET.Transports;

namespace CoAP.NET;

/// <summary>
/// One end of CoAP: transports, shards and pipelines. It can serve and request at the same time, over the same sockets.
/// <see cref="CoapClient"/> and <see cref="CoapServer"/> are thin faces on it. Thread-safe once started.
/// </summary>
public sealed class CoapEndpoint : ICoapObserver, IAsyncDisposable
{
    // Requests are over by then; only a linked block that holds items may keep a pipeline from completing.
    private static readonly TimeSpan s_longestCompletion = TimeSpan.FromSeconds(5);

    // Handlers that were cancelled get this long to come to the end of their synchronous part.
    private static readonly TimeSpan s_longestSettling = TimeSpan.FromSeconds(1);

    private readonly TimeSpan _gracePeriod;
    private readonly CancellationTokenSource _cutGrace = new();
    private readonly TaskCompletionSource _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private bool _isFaulted;

    /// <summary>Makes an endpoint without transports.</summary>
    /// <param name="options">How it works; default: all defaults.</param>
    public CoapEndpoint(CoapEndpointOptions? options = null)
    {
        options ??= new CoapEndpointOptions();
        _gracePeriod = options.StopGracePeriod;
        Core = new EndpointCore(this, options);
    }

    /// <summary>
    /// Raised when a connection is ready, as the peer's CSM came (RFC 8323 section 3.3), or the handshake of a DTLS session is complete:
    /// one that a peer opened, or one of ours. From then on the peer can be asked and observed, also when it never sent a request. Raised
    /// on the thread that receives, with no lock held; do not block in it, and do not wait for what the peer has to send. What a handler
    /// throws is logged.
    /// </summary>
    public event EventHandler<CoapPeer>? PeerConnected
    {
        add => Core.Peers.Connected += value;
        remove => Core.Peers.Connected -= value;
    }

    /// <summary>
    /// Raised when a connection of which <see cref="PeerConnected"/> told has ended, as the requests on it fail. Raised on the thread that
    /// found out, with no lock held: the one that receives, a thread of the library where a time ran out, or the caller's who ended it.
    /// What a handler throws is logged.
    /// </summary>
    public event EventHandler<CoapDisconnection>? PeerDisconnected
    {
        add => Core.Peers.Disconnected += value;
        remove => Core.Peers.Disconnected -= value;
    }

    /// <summary>
    /// Raised when the address of a peer changed within its security session, as of a device behind a NAT that forgot it. The peer has
    /// already been asked whether it receives there; until it answered it gets no more than three times what it sends. Raised on the thread
    /// that receives, with no lock held; do not block in it. What a handler throws is logged.
    /// </summary>
    public event EventHandler<CoapPeerMove>? PeerMoved
    {
        add => Core.Peers.Moved += value;
        remove => Core.Peers.Moved -= value;
    }

    /// <summary>The name of the endpoint in telemetry; null when it was given none.</summary>
    public string? Name => Core.Diagnostics.Name;

    /// <summary>What happened so far, in numbers.</summary>
    public CoapCounters Counters => Core.Environment.Counters;

    /// <summary>The addresses that it listens on, as URIs such as <c>coap://[::1]:5683</c>; empty before it was started.</summary>
    public IReadOnlyList<string> LocalEndpoints => Core.Transports.LocalEndpoints;

    /// <summary>
    /// The peers of all connections that are ready and not about to end, whoever opened them; a list of its own. A session of DTLS is ready
    /// when its handshake is complete. Plain datagram transports have no connections.
    /// </summary>
    public IReadOnlyList<CoapPeer> ConnectedPeers => Core.Peers.Ready;

    /// <summary>
    /// Ends when the endpoint was stopped; with an exception when it had to give up, such as for a block of the user that faulted.
    /// </summary>
    public Task Completion => _completion.Task;

    /// <summary>Its parts.</summary>
    internal EndpointCore Core { get; }

    internal IReadOnlyList<CoapPipeline> Pipelines => Core.Pipelines;

    internal CoapEnvironment Environment => Core.Environment;

    internal RouteTable Routes => Core.Routes;

    internal ServedRequests Served => Core.Served;

    internal BodyMemory Bodies => Core.Bodies;

    internal ObserverPlaces Observers => Core.Observers;

    internal ClientObservations Observed => Core.Observed;

    internal ConnectionTable Connections => Core.Connections;

    internal long FrameAssemblyBytes => Core.Context.AssemblyBytes;

    internal long StreamSendBytes => Core.Context.SendingBytes;

    /// <summary>
    /// Adds an address to listen on. The port is the scheme's when it is left out; 0 lets the operating system choose. A name is looked up
    /// when the endpoint starts, by <see cref="CoapEndpointOptions.ResolveHost"/>.
    /// </summary>
    /// <param name="uri">
    /// Scheme, host and port, such as <c>coap://[::]:5683</c> (IPv6 and IPv4), <c>coap://0.0.0.0</c> (IPv4), <c>coap://*:5683</c> (all),
    /// <c>coap://localhost</c> (every address of the name), <c>coap+tcp://[::]:5683</c> (TCP), <c>coaps+tcp://[::]:5684</c> (TLS, with a
    /// certificate in <see cref="CoapEndpointOptions.Tls"/>), or of a scheme of <see cref="CoapEndpointOptions.TransportFactories"/>.
    /// </param>
    /// <returns>This endpoint.</returns>
    /// <exception cref="ArgumentException">The URI has a scheme that this endpoint cannot serve, or a path, or the address of a group; or
    /// its scheme needs a certificate and there is none.</exception>
    /// <exception cref="InvalidOperationException">The endpoint was started already.</exception>
    public CoapEndpoint Listen(string uri)
    {
        Core.Transports.Listen(uri);
        return this;
    }

    /// <summary>Adds a transport to receive and send with, such as one of your own.</summary>
    /// <param name="transport">The transport; the endpoint starts and disposes it.</param>
    /// <returns>This endpoint.</returns>
    /// <exception cref="InvalidOperationException">The endpoint was started already.</exception>
    public CoapEndpoint AddTransport(CoapTransport transport)
    {
        Core.Transports.Add(transport);
        return this;
    }

    /// <summary>
    /// Says that connections will be handed over, by <see cref="AcceptWebSocketAsync"/> or <see cref="AcceptStreamAsync"/>: a server then
    /// needs no address of its own, and binds none unless it is told to.
    /// </summary>
    /// <returns>This endpoint.</returns>
    public CoapEndpoint ExpectConnections()
    {
        Core.Transports.ExpectConnections();
        return this;
    }

    /// <summary>
    /// Joins groups when the endpoint starts, at the port of each address that it listens on; off by default. Only addresses such as
    /// <c>coap://[::]</c> and <c>coap://0.0.0.0</c> hear groups. What a group is asked is answered only by <c>/.well-known/core</c> and by
    /// routes that <c>AllowMulticast</c>, by those members that have something to say, and after a random time (RFC 7252 section 8.2).
    /// </summary>
    /// <param name="options">Groups, interfaces and the time of answers; null: All CoAP Nodes on all interfaces.</param>
    /// <returns>This endpoint.</returns>
    /// <exception cref="ArgumentException">An address is no address of a group, or there is none.</exception>
    /// <exception cref="InvalidOperationException">The endpoint was started already.</exception>
    public CoapEndpoint JoinGroups(CoapGroupOptions? options = null)
    {
        Core.Transports.JoinGroups(options ?? new CoapGroupOptions());
        return this;
    }

    /// <summary>
    /// Starts all transports. After a start that failed, such as for a port in use, it may be called again and starts those that are left.
    /// </summary>
    /// <param name="cancellationToken">Stops the start.</param>
    /// <returns>A task that ends when all addresses are bound.</returns>
    /// <exception cref="CoapException">An address cannot be bound.</exception>
    /// <exception cref="InvalidOperationException">It was stopped already.</exception>
    public Task StartAsync(CancellationToken cancellationToken = default) => Core.Transports.StartAsync(cancellationToken);

    /// <summary>
    /// Stops: goes on receiving for the grace period while new requests are answered 5.03 and running ones are finished; then cancels the
    /// handlers that still run and answers their requests 5.03 with Max-Age, releases connections (RFC 8323 section 5.5), for at most
    /// <see cref="CoapStreamOptions.ReleaseTimeout"/> of what is left of the period, closes the sockets and fails what still waits. May be
    /// called from inside a handler.
    /// </summary>
    /// <param name="cancellationToken">Ends the grace period early, also that of another call.</param>
    /// <returns>A task that ends when everything is closed.</returns>
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

            Core.Served.Stop();
            long started = Core.Environment.Now;
            Task idle = Core.Served.WhenIdleAsync();
            try
            {
                await idle.WaitAsync(_gracePeriod, Core.Environment.TimeProvider, _cutGrace.Token).ConfigureAwait(false);
            }
            catch (Exception exception) when (exception is TimeoutException or OperationCanceledException)
            {
                Log.GraceEnded(Core.Environment.Logger, Core.Served.Count);
            }

            CancelHandlers();
            await SettleAsync().ConfigureAwait(false);
            await Core.Peers.ReleaseAllAsync(_gracePeriod - TimeSpan.FromTicks(Core.Environment.Now - started), _cutGrace.Token)
                .ConfigureAwait(false);
            await CloseAsync().ConfigureAwait(false);
            _completion.TrySetResult();
        }
        finally
        {
            Core.Transports.Lifecycle.Release();
        }
    }

    /// <summary>Starts, runs until it is cancelled, and stops.</summary>
    /// <param name="cancellationToken">Stops it.</param>
    /// <returns>A task that ends when it is stopped.</returns>
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

    /// <summary>
    /// Stops without a grace period; a stop that is under way waits no longer either. Handlers that run are cancelled, and their requests
    /// answered 5.03 with Max-Age (<see cref="CoapLimits.BusyMaxAge"/>), before the sockets close. Connections are closed without waiting
    /// for the peer. Call <see cref="StopAsync"/> before to let requests finish.
    /// </summary>
    /// <returns>A task that ends when everything is closed.</returns>
    public async ValueTask DisposeAsync()
    {
        await _cutGrace.CancelAsync().ConfigureAwait(false);
        await StopAsync(CancellationToken.None).ConfigureAwait(false);
    }

    /// <summary>
    /// Sends a request to the host of its URI and waits for the response. When a host name has several addresses the next one is tried
    /// where nobody listens at the one before.
    /// </summary>
    /// <param name="request">The request, with a URI.</param>
    /// <param name="cancellationToken">Stops waiting; no further copies are sent.</param>
    /// <returns>The response, an error response too.</returns>
    /// <exception cref="ArgumentException">The request has no URI, or one that is no CoAP URI, or its code is not that of a
    /// request.</exception>
    /// <exception cref="CoapException">No response came; the derived type says why.</exception>
    public Task<CoapResponse> SendAsync(CoapRequest request, CancellationToken cancellationToken = default) =>
        Core.Requester.SendAsync(request, cancellationToken);

    /// <inheritdoc/>
    public Task<CoapObservation> ObserveAsync(CoapRequest request, CoapObserveOptions? options = null,
        CancellationToken cancellationToken = default) =>
            Core.ObservationRequester.ObserveAsync(request, options, cancellationToken);

    /// <summary>
    /// Asks a peer whether it is there, by an Empty Confirmable message that it answers with a Reset (RFC 7252 section 4.3). Ends at the
    /// latest when the copies of the message do, 93 s after it was sent by default. On a connection, which is opened if need be, it is a
    /// Ping that is answered by a Pong within <see cref="CoapStreamOptions.PongTimeout"/> (RFC 8323 section 5.4).
    /// </summary>
    /// <param name="uri">Scheme, host and port; a path is ignored.</param>
    /// <param name="cancellationToken">Stops waiting; no further copies are sent.</param>
    /// <returns>The time from the call to the answer: the round-trip time, with retransmissions and with waiting for earlier requests to
    /// the peer (NSTART), if there were any.</returns>
    /// <exception cref="ArgumentException">The URI is no CoAP URI.</exception>
    /// <exception cref="CoapTimeoutException">The peer did not answer.</exception>
    /// <exception cref="CoapUnreachableException">Nobody listens there.</exception>
    /// <exception cref="CoapException">The ping could not be sent, or the endpoint was stopped.</exception>
    public Task<TimeSpan> PingAsync(string uri, CancellationToken cancellationToken = default) =>
        Core.Requester.PingAsync(uri, default(RequestTime), cancellationToken);

    /// <summary>
    /// Asks a peer whether it is there, for some time at most: that of finding its host name and of connecting included. On a connection
    /// the time is instead of <see cref="CoapStreamOptions.PongTimeout"/>; see <see cref="PingAsync(string, CancellationToken)"/>.
    /// </summary>
    /// <param name="uri">Scheme, host and port; a path is ignored.</param>
    /// <param name="timeout">How long all of it may take; <see cref="Timeout.InfiniteTimeSpan"/> for no limit but that of
    /// retransmission.</param>
    /// <param name="cancellationToken">Stops waiting; no further copies are sent.</param>
    /// <returns>The time from the call to the answer.</returns>
    /// <exception cref="ArgumentException">The URI is no CoAP URI.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The time is not above zero and not infinite.</exception>
    /// <exception cref="CoapTimeoutException">The peer did not answer in time; <see cref="CoapTimeoutException.Awaited"/> says what was
    /// missing.</exception>
    /// <exception cref="CoapUnreachableException">Nobody listens there.</exception>
    /// <exception cref="CoapException">The ping could not be sent, or the endpoint was stopped.</exception>
    public Task<TimeSpan> PingAsync(string uri, TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        try
        {
            return Core.Requester.PingAsync(uri, RequestTime.Of(timeout), cancellationToken);
        }
        catch (ArgumentException exception)
        {
            return Task.FromException<TimeSpan>(exception);
        }
    }

    /// <summary>
    /// Sends a Non-confirmable request to a group, once, and gives the answers of its members as they come (RFC 7252 section 8). Ends after
    /// <see cref="CoapRequest.Timeout"/>; without one after ResponseTimeout of the transmission parameters, by default NON_LIFETIME (145
    /// s): members take up to 5 s for their answer, more in large groups, so 10 s are mostly enough. Leaving the loop earlier ends it as
    /// well. Silence is no error: members that have nothing to say keep back their answer.
    /// <para>
    /// With <c>Options.Observe = 0</c> those members that let observe what they answer go on with their notifications (RFC 7641), each in
    /// its own order, until the loop is left; without a Timeout there is no other end. Who is not asked again after a restart is not heard
    /// again: send the request anew from time to time.
    /// </para>
    /// </summary>
    /// <param name="request">The request; <see cref="CoapRequest.Confirmable"/> must be false, and the URI names a group, such as
    /// <c>coap://224.0.1.187/.well-known/core</c> or <c>coap://[ff02::fd%25eth0]/x</c>.</param>
    /// <param name="options">Interface, reach and bounds; null for the defaults.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The answers; each enumeration sends the request anew.</returns>
    /// <exception cref="ArgumentException">The request is Confirmable, which a group cannot acknowledge; or it has a Destination, a
    /// Download or a Content that is read from a stream; or its URI is none, not of the scheme <c>coap</c>, or not that of a
    /// group.</exception>
    /// <exception cref="CoapException">While enumerating: the name has no address of a group, the request cannot be sent, or the endpoint
    /// was stopped.</exception>
    public IAsyncEnumerable<CoapGroupResponse> SendToGroupAsync(CoapRequest request, CoapGroupRequestOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(request);
        return Core.GroupRequester.SendAsync(request, options ?? new CoapGroupRequestOptions(), cancellationToken);
    }

    /// <summary>
    /// Takes over a WebSocket on which the sub-protocol <c>coap</c> was agreed on (RFC 8323 section 4), and has it until it ends. Its
    /// keep-alive must be off (section 4.4).
    /// </summary>
    /// <param name="webSocket">The WebSocket; it is disposed at the end.</param>
    /// <param name="connection">What is known of it.</param>
    /// <param name="cancellationToken">Asks for the end: the connection is released (RFC 8323 section 5.5), and what is under way is
    /// finished.</param>
    /// <returns>A task that ends when the connection has ended and nobody uses the WebSocket any more.</returns>
    /// <exception cref="CoapConnectionException">It is not taken, as a bound is reached or the endpoint stops; the WebSocket was
    /// closed.</exception>
    /// <exception cref="CoapException">The endpoint was stopped.</exception>
    public Task AcceptWebSocketAsync(WebSocket webSocket, CoapAcceptedConnection connection,
        CancellationToken cancellationToken = default) =>
            Core.Accepted.HaveAsync(webSocket, connection, cancellationToken);

    /// <summary>
    /// Takes over a connection of TCP, or of TLS on which the application protocol <c>coap</c> was agreed on (RFC 8323 sections 3 and 8.2),
    /// and has it until it ends.
    /// </summary>
    /// <param name="stream">Its bytes, in both directions; both pipes are completed at the end.</param>
    /// <param name="connection">What is known of it.</param>
    /// <param name="cancellationToken">Asks for the end: the connection is released (RFC 8323 section 5.5), and what is under way is
    /// finished.</param>
    /// <returns>A task that ends when the connection has ended and nobody uses the pipes any more.</returns>
    /// <exception cref="CoapConnectionException">It is not taken, as a bound is reached or the endpoint stops; the pipes were
    /// completed.</exception>
    /// <exception cref="CoapException">The endpoint was stopped.</exception>
    public Task AcceptStreamAsync(IDuplexPipe stream, CoapAcceptedConnection connection, CancellationToken cancellationToken = default) =>
        Core.Accepted.HaveAsync(stream, connection, cancellationToken);

    /// <summary>
    /// Writes the messages of one peer or all, as they come and leave, to a stream in the pcapng format, until the trace is disposed. May
    /// be switched on and off while the endpoint runs, also several at a time. Payloads are blanked unless the options say otherwise.
    /// Receiving never waits for the stream.
    /// </summary>
    /// <param name="stream">Where to; written to by one thread at a time, and left open.</param>
    /// <param name="options">Which messages and how many; null: all peers, payloads blanked, at most 64 MiB.</param>
    /// <returns>The trace. Dispose it to end it.</returns>
    /// <exception cref="ArgumentException">The stream cannot be written.</exception>
    public CoapTrace TraceTo(Stream stream, CoapTraceOptions? options = null) => Core.Diagnostics.TraceTo(stream, options);

    /// <summary>
    /// What there is at the moment: peers with what is pending, queued and observed, block transfers, round-trip times, and what was
    /// dropped last. For people who look for a reason, not for each request: it looks at all peers, and takes the locks of the shards for
    /// moments.
    /// </summary>
    /// <param name="address">The peers at this address only, of all ports; null for all.</param>
    /// <param name="maxPeers">How many peers at most, those that were heard last. Default 100; 0 or more.</param>
    /// <returns>The snapshot, which never changes.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="maxPeers"/> is negative.</exception>
    public CoapSnapshot GetSnapshot(IPAddress? address = null, int maxPeers = 100) => Core.Diagnostics.GetSnapshot(address, maxPeers);

    // While answers still leave: who asked is told 5.03 and when to come again, instead of waiting for what will never come.
    private void CancelHandlers()
    {
        try
        {
            Core.Served.Abort();
        }
        catch (AggregateException exception)
        {
            ReportClosing(exception);
        }

        foreach (CoapPipeline pipeline in Core.Pipelines)
        {
            pipeline.Resource.RefuseUnanswered();
        }
    }

    // A handler in its synchronous part is refused when it first awaits or returns: sockets that close before would leave its client
    // without an answer.
    private async Task SettleAsync()
    {
        try
        {
            await Core.Served.WhenAnsweredAsync().WaitAsync(s_longestSettling, Core.Environment.TimeProvider).ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            // It computes or blocks for longer than anybody waits.
        }
    }

    // What faulted the endpoint was told when it did.
    private void ReportClosing(Exception exception)
    {
        if (_completion.Task.Exception is not { } fault || RootOf(fault) != RootOf(exception))
        {
            Counters.Add(CoapCounter.StageErrors);
            Log.ClosingFailed(Core.Environment.Logger, exception);
        }

        static Exception RootOf(Exception thrown) => thrown.InnerException is { } inner ? RootOf(inner) : thrown;
    }

    private async Task CloseAsync()
    {
        Core.State.EndGrace();
        Core.Observed.Stop();
        Core.EndExchanges();
        Core.GroupRequests.EndAll("The endpoint was stopped while it waited for the answers of a group.");

        Core.Peers.CloseAll();

        await Core.Transports.CloseAsync(ReportClosing).ConfigureAwait(false);

        foreach (ShardClock clock in Core.Clocks)
        {
            clock.Dispose();
        }

        Core.Diagnostics.Close();

        foreach (CoapPipeline pipeline in Core.Pipelines)
        {
            try
            {
                await pipeline.CompleteAsync()
                    .WaitAsync(_gracePeriod < s_longestCompletion ? _gracePeriod : s_longestCompletion, Core.Environment.TimeProvider)
                    .ConfigureAwait(false);
            }
            catch (TimeoutException)
            {
                Log.PipelineDidNotComplete(Core.Environment.Logger, pipeline.Shard.Index);
                pipeline.Abandon();
            }
#pragma warning disable CA1031 // a block of a user that ends with an error must not keep the endpoint from closing
            catch (Exception exception)
#pragma warning restore CA1031
            {
                ReportClosing(exception);
            }
        }

        Core.WipeSecrets();
    }

    /// <summary>Ends the endpoint, as something that it cannot do without has failed.</summary>
    /// <param name="exception">What failed.</param>
    internal void Fault(Exception exception)
    {
        if (!Completion.IsCompleted && !Interlocked.Exchange(ref _isFaulted, true))
        {
            // Before the task ends: a program that awaits it may end with it.
            Log.EndpointFaulted(Core.Environment.Logger, exception);
            _completion.TrySetException(exception);
            _ = Completion.Exception;
            Core.Environment.Scheduler.TryQueue(static state => _ = ((CoapEndpoint)state!).DisposeAsync().AsTask(), this,
                Core.Environment.Counters, Core.Environment.Logger);
        }
    }
}
