using System.Net;
using CoAP.NET.Dtls.Sessions;
using CoAP.NET.Errors;
using CoAP.NET.Settings;
using CoAP.NET.Transports;

namespace CoAP.NET.Dtls.Transport;

/// <summary>CoAP over DTLS 1.2 (RFC 7252 section 9.1): the scheme <c>coaps</c>, for servers and clients.</summary>
/// <remarks>
/// Uses the sockets of a <see cref="CoapUdpTransport"/>. Handshakes run outside of the receive threads. A session costs no
/// thread and no native memory. <see cref="CoapDtlsExtensions.UseDtls"/> creates
/// it; or create it yourself for <see cref="CoapEndpoint.AddTransport"/>.
/// </remarks>
internal sealed class CoapDtlsTransport : CoapSessionTransport
{
    private readonly DtlsSettings _settings;
    private readonly CoapUdpTransportOptions? _udp;
    private readonly CoapDatagramTransport _sockets;
    private readonly bool _isServer;
    private DtlsEngine? _engine;

    /// <summary>Creates a transport. The start of the endpoint binds its sockets.</summary>
    /// <param name="options">Credentials and limits; copied.</param>
    /// <param name="sockets">
    /// The addresses to bind and how; null: any address and port, for a client. The transport serves with
    /// <see cref="CoapUdpTransportOptions.IsServer"/>, which needs <see cref="CoapDtlsOptions.Server"/>, and with addresses if that is set.
    /// Otherwise it only sends requests, from these addresses.
    /// </param>
    /// <exception cref="ArgumentException">
    /// The options contradict each other, or do not allow serving; the message names what to change.
    /// </exception>
    public CoapDtlsTransport(CoapDtlsOptions options, CoapUdpTransportOptions? sockets = null)
    {
        ArgumentNullException.ThrowIfNull(options);
        CoapUdpTransportOptions udp = (sockets ?? new CoapUdpTransportOptions()).MakeReadOnlyFor("a transport").Clone();
        _isServer = udp.IsServer || (udp.Endpoints.Count > 0 && options.Server is not null);
        udp.IsServer = _isServer;
        _settings = DtlsSettings.From(options, _isServer);
        SilenceToProbe = options.SilenceToProbe;
        _udp = udp;
        _sockets = new CoapUdpTransport(udp);
    }

    private CoapDtlsTransport(CoapDtlsOptions options, CoapDatagramTransport carrier)
    {
        _isServer = options.Server is not null;
        _settings = DtlsSettings.From(options, _isServer);
        SilenceToProbe = options.SilenceToProbe;
        _sockets = carrier;
    }

    /// <summary>
    /// Creates a transport whose records another datagram transport carries, in place of UDP: a radio, a tunnel, an in-memory network.
    /// </summary>
    /// <param name="carrier">
    /// The transport that carries records, not yet started. The new transport owns, starts and disposes it. It has to accept datagrams of
    /// <see cref="CoapDtlsOptions.MaxDatagramSize"/> and the size of a handshake.
    /// </param>
    /// <param name="options">Credentials and limits; copied. With <see cref="CoapDtlsOptions.Server"/> it serves.</param>
    /// <returns>The transport, for <see cref="CoapEndpoint.AddTransport"/>.</returns>
    /// <exception cref="ArgumentException">
    /// The options contradict each other, or do not allow serving; the message names what to change.
    /// </exception>
    /// <remarks>A client has one session per address there: several server names at one address would need further sockets.</remarks>
    public static CoapDtlsTransport Over(CoapDatagramTransport carrier, CoapDtlsOptions options)
    {
        ArgumentNullException.ThrowIfNull(carrier);
        ArgumentNullException.ThrowIfNull(options);
        return new CoapDtlsTransport(options, carrier);
    }

    /// <inheritdoc/>
    public override string Scheme => "coaps";

    /// <summary>Whether a handshake sends the server its name (RFC 6066 section 3). Requests carry it nevertheless.</summary>
    public override bool ProvidesServerName => true;

    /// <summary>Whether the transport serves; false if it only sends requests.</summary>
    public override bool CanAccept => _isServer;

    /// <inheritdoc/>
    internal override bool HandsOver => true;

    /// <inheritdoc/>
    public override bool DrivesClock => _sockets.DrivesClock;

    /// <inheritdoc/>
    public override IReadOnlyList<CoapAddress> LocalAddresses => _sockets.LocalAddresses;

    /// <inheritdoc/>
    /// <exception cref="CoapDtlsException">
    /// .NET lacks the cryptography that the credentials need, or a certificate is not suitable; the message says what to do.
    /// </exception>
    /// <exception cref="CoapBindException">The transport cannot bind an address.</exception>
    internal override async ValueTask StartAsync(ICoapSessionTransportContext context, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(context);

        DtlsEngine engine = new(this, _sockets, context, _settings, _isServer);
        _engine = engine;
        try
        {
            await engine.LoadSessionsAsync(cancellationToken).ConfigureAwait(false);
            engine.StartSteering();
            await _sockets.StartAsync(engine.Context, cancellationToken).ConfigureAwait(false);
            engine.Start();
        }
        catch
        {
            _engine = null;
            await engine.BackUpSessionsAsync().ConfigureAwait(false);
            engine.Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    public override bool TryFindLocal(IPAddress address, out CoapAddress local, out int tag) =>
        _sockets.TryFindLocal(address, out local, out tag);

    /// <inheritdoc/>
    public override bool IsOurs(IPAddress address) => _sockets.IsOurs(address);

    /// <inheritdoc/>
    public override IPAddress? SourceTo(CoapAddress remote) => _sockets.SourceTo(remote);

    /// <inheritdoc/>
    public override ValueTask<CoapConnection> ConnectAsync(CoapAddress remote, string? serverName, CancellationToken cancellationToken) =>
        Started().ConnectAsync(new DtlsPath(remote, default, 0), serverName, cancellationToken);

    /// <inheritdoc/>
    public override ValueTask<CoapConnection> ConnectFromAsync(CoapAddress remote, IPAddress local, string? serverName,
        CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(local);
        return TryFindLocal(local, out CoapAddress from, out int tag)
            ? Started().ConnectAsync(new DtlsPath(remote, from, tag), serverName, cancellationToken)
            : ValueTask.FromException<CoapConnection>(new CoapConnectionException(
                CoapError.ConnectFailed,
                $"No session with {remote}: nothing is bound to LocalAddress {local}. Listen on that address or on a wildcard, or leave it "
                    + "out."));
    }

    /// <inheritdoc/>
    internal override CoapConnectProgress? ProgressOf(CoapAddress remote, string? serverName) =>
        _engine?.Client?.ProgressOf(remote, serverName);

    /// <inheritdoc/>
    public override void Wake() => _sockets.Wake();

    /// <summary>Ends all sessions, notifies the peers, and closes the sockets.</summary>
    /// <returns>A task that ends when the transport receives no more.</returns>
    public override async ValueTask DisposeAsync()
    {
        if (_engine is { } running)
        {
            await running.BackUpSessionsAsync().ConfigureAwait(false);
            running.Dispose();
        }

        await _sockets.DisposeAsync().ConfigureAwait(false);
        if (_engine is { } engine)
        {
            await engine.CloseFurtherAsync().ConfigureAwait(false);
        }
    }

    /// <summary>The engine; null before the start.</summary>
    internal DtlsEngine? Engine => _engine;

    /// <inheritdoc cref="CoapDtlsOptions.SilenceToProbe"/>
    internal TimeSpan? SilenceToProbe { get; }

    /// <summary>Creates further sockets at the same addresses, as clients have them.</summary>
    /// <exception cref="CoapException">Records do not go over UDP.</exception>
    internal CoapUdpTransport MakeFurther()
    {
        if (_udp is not { } udp)
        {
            throw new CoapException("The transport was created with a carrier of its records, and there is only one.");
        }

        CoapUdpTransportOptions further = new() { DualMode = udp.DualMode, Engine = udp.Engine, HandOverAfter = udp.HandOverAfter };
        foreach (IPEndPoint endpoint in udp.Endpoints)
        {
            further.Endpoints.Add(new IPEndPoint(endpoint.Address, 0));
        }

        return new CoapUdpTransport(further);
    }

    private DtlsEngine Started() =>
        _engine ?? throw new CoapConnectionException(CoapError.ConnectFailed, "The transport was not started, or is stopped.");
}
