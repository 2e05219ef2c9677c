using System.Net;
using System.Runtime.Versioning;
using CoAP.NET.Cryptography;
using CoAP.NET.Errors;
using CoAP.NET.Transports.Loops;
using CoAP.NET.Transports.Streams;

namespace CoAP.NET.Transports.Tcp;

/// <summary>Runs CoAP over TCP and TLS (RFC 8323): listening sockets for servers, connections for clients and servers.</summary>
[UnsupportedOSPlatform("browser")]
internal sealed class CoapTcpTransport : CoapStreamTransport
{
    private readonly CoapTcpTransportOptions _options;
    private readonly TransportLifetime<TcpEngine> _life = new();

    /// <summary>Creates a transport. <see cref="StartAsync"/> binds the addresses.</summary>
    /// <param name="options">The addresses and settings; null: it only connects, as clients do.</param>
    /// <exception cref="ArgumentException">The options ask to listen with TLS and have no certificate.</exception>
    public CoapTcpTransport(CoapTcpTransportOptions? options = null)
    {
        _options = (options ?? new CoapTcpTransportOptions()).Clone();
        if (_options is { UseTls: true, Endpoints.Count: > 0 } && !TlsSettings.CanServe(_options.Tls))
        {
            throw new ArgumentException(
                "The server has no certificate to listen with TLS. Set CoapTlsOptions.Server.ServerCertificate (with its private key), "
                    + "or select one in CoapTlsOptions.SelectServer.", nameof(options));
        }
    }

    /// <summary>The scheme: <c>coap+tcp</c>, or <c>coaps+tcp</c> with TLS.</summary>
    public override string Scheme => _options.UseTls ? "coaps+tcp" : "coap+tcp";

    /// <inheritdoc/>
    public override bool IsSecure => _options.UseTls;

    /// <summary>Whether the transport listens, that is, has <see cref="CoapTcpTransportOptions.Endpoints"/>.</summary>
    public override bool CanAccept => _options.Endpoints.Count > 0;

    /// <summary>Whether a receive loop drives the clock. Known after <see cref="StartAsync"/>.</summary>
    public override bool DrivesClock => _life.Engine is { DrivesClock: true };

    /// <inheritdoc/>
    public override IReadOnlyList<CoapAddress> LocalAddresses => _life.Engine?.LocalAddresses ?? [];

    /// <summary>The engine in use; before <see cref="StartAsync"/> the requested one.</summary>
    public CoapSocketEngine Engine => _life.Engine?.Kind ?? _options.Engine;

    /// <inheritdoc/>
    /// <exception cref="CoapBindException">An address cannot be bound. Nothing is left open, and a new start is possible.</exception>
    /// <exception cref="InvalidOperationException">The transport was already started.</exception>
    /// <exception cref="PlatformNotSupportedException">
    /// The options request <see cref="CoapSocketEngine.LinuxLoop"/> on a system that does not support it.
    /// </exception>
    /// <exception cref="CoapException">With TLS, on Linux: there is no OpenSSL, which .NET needs.</exception>
    public override ValueTask StartAsync(ICoapStreamTransportContext context, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(context);
        if (_options.UseTls && !PlatformCryptographyAvailability.IsAvailable)
        {
            throw new CoapException(PlatformCryptographyAvailability.Missing(Scheme));
        }

        return _life.StartAsync(this, () => MakeEngine(context), cancellationToken);
    }

    /// <inheritdoc/>
    /// <exception cref="InvalidOperationException">The transport is not started.</exception>
    public override ValueTask<CoapConnection> ConnectAsync(CoapAddress remote, string? serverName, CancellationToken cancellationToken) =>
        StartedEngine.ConnectAsync(remote, null, serverName, cancellationToken);

    /// <inheritdoc/>
    /// <exception cref="InvalidOperationException">The transport is not started.</exception>
    public override ValueTask<CoapConnection> ConnectFromAsync(CoapAddress remote, IPAddress local, string? serverName,
        CancellationToken cancellationToken) =>
            StartedEngine.ConnectAsync(remote, local, serverName, cancellationToken);

    /// <inheritdoc/>
    internal override CoapConnectProgress? ProgressOf(CoapAddress remote, string? serverName) =>
        _life.Engine?.ProgressOf(remote, serverName);

    private TcpEngine StartedEngine => _life.Engine
        ?? throw new InvalidOperationException("The transport is not started. Start it before it connects.");

    /// <inheritdoc/>
    internal override bool HandsOver => _life.Engine is LinuxTcpEngine;

    /// <inheritdoc/>
    public override void Wake() => _life.Engine?.Wake();

    /// <summary>Stops accepting, sends what can be sent at once, and closes all connections. A handler may call and await it.</summary>
    /// <returns>A task that completes when the transport receives nothing more.</returns>
    public override ValueTask DisposeAsync() => _life.DisposeAsync();

#pragma warning disable CA1859 // which engine it is differs from system to system
    private TcpEngine MakeEngine(ICoapStreamTransportContext context)
#pragma warning restore CA1859
    {
        bool isSupported = TransportLoops.IsSupported;
        if (_options.Engine == CoapSocketEngine.Auto && TransportLoops.Refusal is { } refusal)
        {
            TcpLog.TcpFallsBack(context.Logger, refusal);
        }

        if (isSupported && !_options.UseTls && _options.Engine != CoapSocketEngine.Portable)
        {
            return new LinuxTcpEngine(this, context, _options);
        }

        return isSupported || _options.Engine != CoapSocketEngine.LinuxLoop
            ? new AsyncTcpEngine(this, context, _options)
            : throw new PlatformNotSupportedException("The engine LinuxLoop needs Linux on x64 or arm64. Use CoapSocketEngine.Auto.");
    }
}
