using System.IO.Pipelines;

namespace CoAP.NET.Transports;

/// <summary>
/// CoAP over byte streams of any kind (RFC 8323 section 3.2): named pipes, serial lines, Unix domain sockets, connections that a web server
/// accepted. It opens and accepts them by the callbacks of its options, and takes those that are handed to
/// <see cref="CoapEndpoint.AcceptStreamAsync"/>. Signalling, bounds and time-outs are those of TCP. A transport of your own that gets its
/// bytes as pipes derives from it: it says in <see cref="OpenAsync"/> how one is opened, and hands those that it accepted to
/// <see cref="Accept(CoapDuplexPipe)"/>.
/// </summary>
public class CoapDuplexPipeTransport : CoapStreamTransport
{
    private readonly CoapDuplexPipeTransportOptions _options;
    private readonly TransportLife<HostEngine> _life = new();
    private Task _accepting = Task.CompletedTask;

    /// <summary>Makes a transport.</summary>
    /// <param name="options">How it works; null: all defaults, so that it only takes connections that are handed to the endpoint.</param>
    public CoapDuplexPipeTransport(CoapDuplexPipeTransportOptions? options = null) =>
        _options = (options ?? new CoapDuplexPipeTransportOptions()).Clone();

    /// <summary><c>coap+tcp</c>, or <c>coaps+tcp</c> where <see cref="CoapDuplexPipeTransportOptions.IsSecure"/>.</summary>
    public override string Scheme => _options.IsSecure ? "coaps+tcp" : "coap+tcp";

    /// <inheritdoc/>
    public override bool IsSecure => _options.IsSecure;

    /// <summary>Whether <see cref="CoapDuplexPipeTransportOptions.Connect"/> is set.</summary>
    public override bool CanConnect => _options.Connect is not null;

    /// <summary>Empty: by itself it binds no address.</summary>
    public override IReadOnlyList<CoapAddress> LocalAddresses => [];

    private HostEngine StartedEngine =>
        _life.Engine ?? throw new InvalidOperationException("Start the transport before it has connections.");

    /// <inheritdoc/>
    /// <exception cref="InvalidOperationException">It was started before.</exception>
    public override async ValueTask StartAsync(ICoapStreamContext context, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(context);
        await _life.StartAsync(this, () => new HostEngine(this, context, _options.Streams), cancellationToken).ConfigureAwait(false);
        if (_options.Accept is { } accept)
        {
            _accepting = new PipeAcceptLoop(StartedEngine, accept).RunAsync();
        }
    }

    /// <inheritdoc/>
    /// <exception cref="InvalidOperationException">The transport was not started.</exception>
    public sealed override async ValueTask<CoapConnection> ConnectAsync(
        CoapAddress remote, string? serverName, CancellationToken cancellationToken)
    {
        HostEngine engine = StartedEngine;
        try
        {
            CoapDuplexPipe pipe = await OpenWithinAsync(engine, remote, serverName, cancellationToken).ConfigureAwait(false);
            AsyncConnection connection = new(
                engine.Host,
                new PipeLink(pipe, pipe.Abort),
                remote,
                CoapAddress.FromIPEndPoint(pipe.Local),
                isInitiator: true,
                pipe.Identity,
                serverName);
            return engine.Host.TryOpen(connection) ? connection : throw ConnectFailure.Refused(remote);
        }
        catch (CoapConnectionException)
        {
            engine.Context.Counters.Add(CoapCounter.ConnectionsFailed);
            throw;
        }
    }

    /// <summary>Takes a connection over.</summary>
    /// <param name="pipe">Its bytes.</param>
    /// <param name="accepted">What is known of it.</param>
    /// <param name="released">Ends when nobody uses the pipe any more.</param>
    /// <returns>The connection; null when it is not taken, and then it was closed.</returns>
    internal CoapConnection? Accept(IDuplexPipe pipe, CoapAcceptedConnection accepted, out Task released)
    {
        PipeLink link = new(pipe, accepted.Abort);
        released = link.Released;
        return StartedEngine.Accept(link, accepted);
    }

    /// <summary>Accepts nothing more and closes all connections. May be called, and waited for, inside a handler.</summary>
    /// <returns>A task that ends when nothing more is received.</returns>
    public override async ValueTask DisposeAsync()
    {
        await _life.DisposeAsync().ConfigureAwait(false);
        await _accepting.ConfigureAwait(false);
        GC.SuppressFinalize(this);
    }

    /// <summary>
    /// Opens a connection for requests to an address; by default with <see cref="CoapDuplexPipeTransportOptions.Connect"/>. Called by
    /// several callers at a time, and cancelled after <see cref="CoapStreamOptions.ConnectTimeout"/>. Whoever overrides it also says <see
    /// cref="CanConnect"/>.
    /// </summary>
    /// <param name="remote">The address of the request's URI.</param>
    /// <param name="serverName">
    /// The host name of the URI, where <see cref="CoapConnectionTransport.TellsServerName"/>; null for an address.
    /// </param>
    /// <param name="cancellationToken">Gives it up. A pipe that comes nevertheless is closed.</param>
    /// <returns>The connection.</returns>
    /// <exception cref="CoapConnectionException">It cannot be opened. Anything else that is thrown is wrapped in one.</exception>
    protected virtual ValueTask<CoapDuplexPipe> OpenAsync(CoapAddress remote, string? serverName, CancellationToken cancellationToken) =>
        _options.Connect is { } connect
            ? connect(remote, cancellationToken)
            : throw new CoapConnectionException(
                CoapConnectionError.ConnectFailed,
                $"No connection to {remote}: this transport only takes connections that others opened. Set "
                    + "CoapDuplexPipeTransportOptions.Connect.");

    /// <summary>Takes a connection that a derived transport accepted.</summary>
    /// <param name="pipe">Its pipes, and what is known of the peer.</param>
    /// <returns>The connection; null when a limit is reached or the endpoint stops, and then the pipes were closed.</returns>
    /// <exception cref="InvalidOperationException">The transport was not started.</exception>
    protected CoapConnection? Accept(CoapDuplexPipe pipe)
    {
        ArgumentNullException.ThrowIfNull(pipe);
        return StartedEngine.Accept(pipe);
    }

    private async Task<CoapDuplexPipe> OpenWithinAsync(
        HostEngine engine, CoapAddress remote, string? serverName, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        CancellationToken stopping = engine.Stopping;
        TimeSpan limit = _options.Streams.ConnectTimeout;
        using CancellationTokenSource timeout = new(limit, engine.Context.TimeProvider);
        using CancellationTokenSource any = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, timeout.Token, stopping);
        try
        {
            return await PipeAcceptLoop.WithinAsync(OpenAsync(remote, serverName, any.Token), any.Token).ConfigureAwait(false);
        }
#pragma warning disable CA1031 // the callback is the user's and may throw anything
        catch (Exception exception) when (exception is not CoapException)
#pragma warning restore CA1031
        {
            cancellationToken.ThrowIfCancellationRequested();
            throw stopping.IsCancellationRequested ? ConnectFailure.Stopped(remote)
                : timeout.IsCancellationRequested ? new CoapConnectionException(
                    CoapConnectionError.ConnectFailed,
                    $"No connection to {remote}: the Connect callback of the transport did not finish within {limit.TotalSeconds:0.###} s "
                        + "(ConnectTimeout).",
                    exception)
                : new CoapConnectionException(
                    CoapConnectionError.ConnectFailed,
                    $"No connection to {remote}: the Connect callback of the transport failed. {exception.Message}", exception);
        }
    }
}
