using System.IO.Pipelines;
using CoAP.NET.Transports;
using CoAP.NET.Transports.Streams;

namespace CoAP.NET;

/// <summary>
/// Runs CoAP over byte streams of any kind (RFC 8323 section 3.2): named pipes, serial lines, Unix domain sockets, or connections of a web
/// server.
/// </summary>
/// <remarks>
/// It opens and accepts connections with the callbacks of its options, and takes those that are passed to
/// <see cref="CoapEndpoint.AcceptStreamAsync"/>. Signalling, limits and timeouts are those of TCP. Derive from it for a transport of your
/// own that gets its bytes as pipes: override <see cref="OpenAsync"/>, and pass accepted connections to
/// <see cref="Accept(CoapDuplexPipe)"/>.
/// </remarks>
public class CoapDuplexPipeTransport : CoapStreamTransport
{
    private readonly CoapDuplexPipeTransportOptions _options;
    private readonly TransportLifetime<NonListeningTransportEngine> _life = new();
    private Task _accepting = Task.CompletedTask;

    /// <summary>Creates a transport.</summary>
    /// <param name="options">
    /// The options; null for the defaults: the transport only takes connections that are handed to the endpoint.
    /// </param>
    public CoapDuplexPipeTransport(CoapDuplexPipeTransportOptions? options = null) =>
        _options = (options ?? new CoapDuplexPipeTransportOptions()).MakeReadOnlyFor("a transport");

    /// <summary>The scheme: <c>coap+tcp</c>, or <c>coaps+tcp</c> if <see cref="CoapDuplexPipeTransportOptions.IsSecure"/>.</summary>
    public override string Scheme => _options.IsSecure ? "coaps+tcp" : "coap+tcp";

    /// <inheritdoc/>
    public override bool IsSecure => _options.IsSecure;

    /// <summary>Whether <see cref="CoapDuplexPipeTransportOptions.Connect"/> is set.</summary>
    public override bool CanConnect => _options.Connect is not null;

    /// <summary>Empty: the transport binds no address.</summary>
    public override IReadOnlyList<CoapAddress> LocalAddresses => [];

    private NonListeningTransportEngine StartedEngine =>
        _life.Engine ?? throw new InvalidOperationException("The transport is not started. Start it before it opens connections.");

    /// <inheritdoc/>
    /// <exception cref="InvalidOperationException">The transport was already started.</exception>
    public override async ValueTask StartAsync(ICoapStreamTransportContext context, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(context);
        await _life.StartAsync(this, () => new NonListeningTransportEngine(this, context, _options.Streams), cancellationToken)
            .ConfigureAwait(false);
        if (_options.Accept is { } accept)
        {
            _accepting = new DuplexPipeAcceptLoop(StartedEngine, accept).RunAsync();
        }
    }

    /// <inheritdoc/>
    /// <exception cref="InvalidOperationException">The transport is not started.</exception>
    public sealed override async ValueTask<CoapConnection> ConnectAsync(
        CoapAddress remote, string? serverName, CancellationToken cancellationToken)
    {
        NonListeningTransportEngine engine = StartedEngine;
        try
        {
            CoapDuplexPipe pipe = await OpenWithinAsync(engine, remote, serverName, cancellationToken).ConfigureAwait(false);
            AsyncIOConnection connection = new(
                engine.Host,
                new PipeByteTransport(pipe, pipe.Abort),
                remote,
                CoapAddress.FromIPEndPoint(pipe.Local),
                isInitiator: true,
                pipe.Identity,
                serverName);
            return engine.Host.TryOpen(connection) ? connection : throw ConnectFailureMessage.Refused(remote);
        }
        catch (CoapConnectionException)
        {
            engine.Context.Counters.Add(CoapCounter.ConnectionsFailed);
            throw;
        }
    }

    /// <summary>Takes over a connection.</summary>
    /// <param name="pipe">The pipe.</param>
    /// <param name="accepted">The description of the connection.</param>
    /// <param name="released">Completes when the pipe is unused.</param>
    /// <returns>The connection; null when it is refused. A refused connection is closed.</returns>
    internal CoapConnection? Accept(IDuplexPipe pipe, CoapAcceptedConnectionInfo accepted, out Task released)
    {
        PipeByteTransport link = new(pipe, accepted.Abort);
        released = link.Released;
        return StartedEngine.Accept(link, accepted);
    }

    /// <summary>Stops accepting and closes all connections. A handler may call and await it.</summary>
    /// <returns>A task that completes when the transport receives nothing more.</returns>
    public override async ValueTask DisposeAsync()
    {
        await _life.DisposeAsync().ConfigureAwait(false);
        await _accepting.ConfigureAwait(false);
        GC.SuppressFinalize(this);
    }

    /// <summary>
    /// Opens a connection for requests to an address, by default with <see cref="CoapDuplexPipeTransportOptions.Connect"/>.
    /// </summary>
    /// <remarks>
    /// Several callers call it at a time. It is cancelled after <see cref="CoapStreamOptions.ConnectTimeout"/>. If you override it,
    /// override <see cref="CanConnect"/> too.
    /// </remarks>
    /// <param name="remote">The address of the request's URI.</param>
    /// <param name="serverName">
    /// The host name of the URI, if <see cref="CoapConnectionTransport.ProvidesServerName"/>; null when the URI has an address.
    /// </param>
    /// <param name="cancellationToken">Cancels the attempt. A pipe that it returns nevertheless is closed.</param>
    /// <returns>The connection.</returns>
    /// <exception cref="CoapConnectionException">The connection cannot be opened. Other exceptions are wrapped in this one.</exception>
    protected virtual ValueTask<CoapDuplexPipe> OpenAsync(CoapAddress remote, string? serverName, CancellationToken cancellationToken) =>
        _options.Connect is { } connect
            ? connect(remote, cancellationToken)
            : throw new CoapConnectionException(
                CoapError.ConnectFailed,
                $"No connection to {remote}: this transport only takes connections that others opened. Set "
                    + "CoapDuplexPipeTransportOptions.Connect.");

    /// <summary>Takes over a connection that a derived transport accepted.</summary>
    /// <param name="pipe">The pipes and the description of the peer.</param>
    /// <returns>The connection; null when a limit is reached or the endpoint stops. The pipes are then closed.</returns>
    /// <exception cref="InvalidOperationException">The transport is not started.</exception>
    protected CoapConnection? Accept(CoapDuplexPipe pipe)
    {
        ArgumentNullException.ThrowIfNull(pipe);
        return StartedEngine.Accept(pipe);
    }

    private async Task<CoapDuplexPipe> OpenWithinAsync(
        NonListeningTransportEngine engine, CoapAddress remote, string? serverName, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        CancellationToken stopping = engine.Stopping;
        TimeSpan limit = _options.Streams.ConnectTimeout;
        using CancellationTokenSource timeout = new(limit, engine.Context.TimeProvider);
        using CancellationTokenSource any = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, timeout.Token, stopping);
        try
        {
            return await DuplexPipeAcceptLoop.WithinAsync(OpenAsync(remote, serverName, any.Token), any.Token).ConfigureAwait(false);
        }
#pragma warning disable CA1031 // the callback is application code and may throw any exception
        catch (Exception exception) when (exception is not CoapException)
#pragma warning restore CA1031
        {
            cancellationToken.ThrowIfCancellationRequested();
            throw stopping.IsCancellationRequested ? ConnectFailureMessage.Stopped(remote)
                : timeout.IsCancellationRequested ? new CoapConnectionException(
                    CoapError.ConnectFailed,
                    $"No connection to {remote}: the Connect callback of the transport did not finish within {limit.TotalSeconds:0.###} s "
                        + "(ConnectTimeout).",
                    exception)
                : new CoapConnectionException(
                    CoapError.ConnectFailed,
                    $"No connection to {remote}: the Connect callback of the transport failed. {exception.Message}", exception);
        }
    }
}
