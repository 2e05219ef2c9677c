using System.Net;

namespace CoAP.NET.Transports;

/// <summary>CoAP over TCP and TLS (RFC 8323): listening sockets for servers, connections for both.</summary>
public sealed class CoapTcpTransport : CoapStreamTransport
{
    private readonly CoapTcpTransportOptions _options;
    private readonly TransportLife<TcpEngine> _life = new();

    /// <summary>Makes a transport; nothing is bound before <see cref="StartAsync"/>.</summary>
    /// <param name="options">What to bind and how; null: it only connects, as clients do.</param>
    /// <exception cref="ArgumentException">It is to listen with TLS and has no certificate.</exception>
    public CoapTcpTransport(CoapTcpTransportOptions? options = null)
    {
        _options = (options ?? new CoapTcpTransportOptions()).Clone();
        if (_options is { UseTls: true, Endpoints.Count: > 0 } && !TlsSettings.CanServe(_options.Tls))
        {
            throw new ArgumentException(
                "To listen with TLS a server needs a certificate: set CoapTlsOptions.Server.ServerCertificate (one with its private key), "
                    + "or choose by CoapTlsOptions.SelectServer.", nameof(options));
        }
    }

    /// <summary><c>coap+tcp</c>, or <c>coaps+tcp</c> with TLS.</summary>
    public override string Scheme => _options.UseTls ? "coaps+tcp" : "coap+tcp";

    /// <inheritdoc/>
    public override bool IsSecure => _options.UseTls;

    /// <summary>Whether it listens: whether it has <see cref="CoapTcpTransportOptions.Endpoints"/>.</summary>
    public override bool CanAccept => _options.Endpoints.Count > 0;

    /// <summary>Whether a receive loop calls the clock. Known after <see cref="StartAsync"/>.</summary>
    public override bool DrivesClock => _life.Engine is { DrivesClock: true };

    /// <inheritdoc/>
    public override IReadOnlyList<CoapAddress> LocalAddresses => _life.Engine?.LocalAddresses ?? [];

    /// <summary>The engine in use; before <see cref="StartAsync"/> the one that was asked for.</summary>
    public CoapTcpEngine Engine => _life.Engine?.Kind ?? _options.Engine;

    /// <inheritdoc/>
    /// <exception cref="CoapBindException">An address cannot be bound; nothing is left open, and the start may be tried again.</exception>
    /// <exception cref="InvalidOperationException">It was started before.</exception>
    /// <exception cref="PlatformNotSupportedException"><see cref="CoapTcpEngine.Inline"/> was asked for where it does not work.</exception>
    public override ValueTask StartAsync(ICoapStreamContext context, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(context);
        return _life.StartAsync(this, () => MakeEngine(context), cancellationToken);
    }

    /// <inheritdoc/>
    /// <exception cref="InvalidOperationException">The transport was not started.</exception>
    public override ValueTask<CoapConnection> ConnectAsync(CoapAddress remote, string? serverName, CancellationToken cancellationToken) =>
        StartedEngine.ConnectAsync(remote, null, serverName, cancellationToken);

    /// <inheritdoc/>
    /// <exception cref="InvalidOperationException">The transport was not started.</exception>
    public override ValueTask<CoapConnection> ConnectFromAsync(CoapAddress remote, IPAddress local, string? serverName,
        CancellationToken cancellationToken) =>
            StartedEngine.ConnectAsync(remote, local, serverName, cancellationToken);

    /// <inheritdoc/>
    public override CoapConnectProgress? ProgressOf(CoapAddress remote, string? serverName) => _life.Engine?.ProgressOf(remote, serverName);

    private TcpEngine StartedEngine => _life.Engine ?? throw new InvalidOperationException("Start the transport before it connects.");

    /// <inheritdoc/>
    public override bool HandsOver => _life.Engine is LinuxTcpEngine;

    /// <inheritdoc/>
    public override void Wake() => _life.Engine?.Wake();

    /// <summary>
    /// Stops accepting, sends what can be sent at once, and closes all connections. May be called, and waited for, inside a handler.
    /// </summary>
    /// <returns>A task that ends when nothing more is received.</returns>
    public override ValueTask DisposeAsync() => _life.DisposeAsync();

#pragma warning disable CA1859 // which engine it is differs from system to system
    private TcpEngine MakeEngine(ICoapStreamContext context)
#pragma warning restore CA1859
    {
        bool isSupported = TransportLoops.IsSupported;
        if (isSupported && !_options.UseTls && _options.Engine != CoapTcpEngine.Async)
        {
            return new LinuxTcpEngine(this, context, _options);
        }

        return isSupported || _options.Engine != CoapTcpEngine.Inline
            ? new AsyncTcpEngine(this, context, _options)
            : throw new PlatformNotSupportedException("The engine Inline needs Linux on x64 or arm64; use CoapTcpEngine.Auto.");
    }
}
