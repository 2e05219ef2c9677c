using System.Net;
using CoAP.NET.Dtls.Native;
using CoAP.NET.Dtls.Sessions;
using CoAP.NET.Dtls.Transport;
using CoAP.NET.Transports;

namespace CoAP.NET.Dtls;

/// <summary>
/// CoAP over DTLS 1.2 (RFC 7252 section 9.1): the scheme <c>coaps</c>, for servers and clients. Sockets are those of a
/// <see cref="CoapUdpTransport"/>. Handshakes are OpenSSL's and run beside the threads that receive; records are opened and sealed here,
/// and no session costs a thread or native memory. Made by <see cref="CoapDtlsEndpointExtensions.UseDtls"/>, or by hand for
/// <see cref="CoapEndpoint.AddTransport"/>.
/// </summary>
public sealed class CoapDtlsTransport : CoapSessionTransport
{
    private readonly DtlsSettings _settings;
    private readonly CoapUdpTransportOptions? _udp;
    private readonly CoapDatagramTransport _sockets;
    private readonly bool _isServer;
    private DtlsEngine? _engine;

    /// <summary>Makes a transport; nothing is bound before <see cref="StartAsync"/>.</summary>
    /// <param name="options">Credentials and bounds; copied.</param>
    /// <param name="sockets">What to bind and how; null: any address and port, as clients do. It serves with
    /// <see cref="CoapUdpTransportOptions.IsServer"/>, which needs <see cref="CoapDtlsOptions.Server"/>, and with addresses where that is
    /// set. Otherwise it only requests, and addresses are those that it requests from.</param>
    /// <exception cref="ArgumentException">The options do not fit together, or cannot serve; the message says what to do.</exception>
    public CoapDtlsTransport(CoapDtlsOptions options, CoapUdpTransportOptions? sockets = null)
    {
        ArgumentNullException.ThrowIfNull(options);
        OpenSslLibrary.LoadIfNamed();
        CoapUdpTransportOptions udp = (sockets ?? new CoapUdpTransportOptions()).Clone();
        _isServer = udp.IsServer || (udp.Endpoints.Count > 0 && options.Server is not null);
        udp.IsServer = _isServer;
        _settings = DtlsSettings.From(options, _isServer);
        SilenceToProbe = options.SilenceToProbe;
        _udp = udp;
        _sockets = new CoapUdpTransport(udp);
    }

    private CoapDtlsTransport(CoapDtlsOptions options, CoapDatagramTransport carrier)
    {
        OpenSslLibrary.LoadIfNamed();
        _isServer = options.Server is not null;
        _settings = DtlsSettings.From(options, _isServer);
        SilenceToProbe = options.SilenceToProbe;
        _sockets = carrier;
    }

    /// <summary>
    /// Makes a transport whose records another transport of datagrams carries, in place of UDP: a radio, a tunnel, a network in memory. A
    /// client has one session with each address there: for servers of several names at one address further sockets would be needed.
    /// </summary>
    /// <param name="carrier">What carries records. It must not have been started, and becomes this transport's: it is started and disposed
    /// with it. It has to take datagrams of <see cref="CoapDtlsOptions.MaxDatagramSize"/> and what a handshake needs.</param>
    /// <param name="options">Credentials and bounds; copied. With <see cref="CoapDtlsOptions.Server"/> it serves.</param>
    /// <returns>The transport, for <see cref="CoapEndpoint.AddTransport"/>.</returns>
    /// <exception cref="ArgumentException">The options do not fit together, or cannot serve; the message says what to do.</exception>
    public static CoapDtlsTransport Over(CoapDatagramTransport carrier, CoapDtlsOptions options)
    {
        ArgumentNullException.ThrowIfNull(carrier);
        ArgumentNullException.ThrowIfNull(options);
        return new CoapDtlsTransport(options, carrier);
    }

    /// <inheritdoc/>
    public override string Scheme => "coaps";

    /// <summary>Whether servers are told their name when a session is opened (RFC 6066 section 3). Requests say it nevertheless.</summary>
    public override bool TellsServerName => true;

    /// <summary>Whether it serves; false for one that only requests.</summary>
    public override bool CanAccept => _isServer;

    /// <inheritdoc/>
    public override bool HandsOver => true;

    /// <inheritdoc/>
    public override bool DrivesClock => _sockets.DrivesClock;

    /// <inheritdoc/>
    public override IReadOnlyList<CoapAddress> LocalAddresses => _sockets.LocalAddresses;

    /// <inheritdoc/>
    /// <exception cref="CoapDtlsException">There is no OpenSSL, or it does not take a certificate or a cipher suite; the message says what
    /// to do.</exception>
    /// <exception cref="CoapBindException">An address cannot be bound.</exception>
    public override async ValueTask StartAsync(ICoapSessionContext context, CancellationToken cancellationToken)
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
            await engine.KeepSessionsAsync().ConfigureAwait(false);
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
                CoapConnectionError.ConnectFailed,
                $"No session with {remote}: nothing is bound to LocalAddress {local}. Listen on that address or on a wildcard, or leave it "
                    + "out."));
    }

    /// <inheritdoc/>
    public override CoapConnectProgress? ProgressOf(CoapAddress remote, string? serverName) =>
        _engine?.Client?.ProgressOf(remote, serverName);

    /// <inheritdoc/>
    public override void Wake() => _sockets.Wake();

    /// <summary>Ends all sessions, telling the peers, and closes the sockets.</summary>
    /// <returns>A task that ends when nothing more is received.</returns>
    public override async ValueTask DisposeAsync()
    {
        if (_engine is { } running)
        {
            await running.KeepSessionsAsync().ConfigureAwait(false);
            running.Dispose();
        }

        await _sockets.DisposeAsync().ConfigureAwait(false);
        if (_engine is { } engine)
        {
            await engine.CloseFurtherAsync().ConfigureAwait(false);
        }
    }

    /// <summary>What runs; null before the start.</summary>
    internal DtlsEngine? Engine => _engine;

    /// <inheritdoc cref="CoapDtlsOptions.SilenceToProbe"/>
    internal TimeSpan? SilenceToProbe { get; }

    /// <summary>Makes sockets beside the first, as clients have them, at the same addresses.</summary>
    /// <exception cref="CoapException">Records do not go over UDP.</exception>
    internal CoapUdpTransport MakeFurther()
    {
        if (_udp is not { } udp)
        {
            throw new CoapException("What carries the records was given by CoapDtlsTransport.Over, and there is one of it.");
        }

        CoapUdpTransportOptions further = new() { DualMode = udp.DualMode, Engine = udp.Engine, HandOverAfter = udp.HandOverAfter };
        foreach (IPEndPoint endpoint in udp.Endpoints)
        {
            further.Endpoints.Add(new IPEndPoint(endpoint.Address, 0));
        }

        return new CoapUdpTransport(further);
    }

    private DtlsEngine Started() =>
        _engine ?? throw new CoapConnectionException(CoapConnectionError.ConnectFailed, "The transport was not started, or is stopped.");
}
