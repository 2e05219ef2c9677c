using System.IO.Pipelines;

namespace CoAP.NET.Transports;

/// <summary>CoAP over TCP and TLS on connections that somebody else accepted (RFC 8323 section 3). It opens none itself.</summary>
internal sealed class PipeTransport(bool isSecure, CoapStreamOptions streams) : CoapStreamTransport
{
    private readonly TransportLife<HostEngine> _life = new();

    public override string Scheme => isSecure ? "coaps+tcp" : "coap+tcp";

    public override bool IsSecure => isSecure;

    public override bool CanConnect => false;

    public override IReadOnlyList<CoapAddress> LocalAddresses => [];

    public override ValueTask StartAsync(CoapTransportContext context, CancellationToken cancellationToken) =>
        _life.StartAsync(this, () => new HostEngine(this, context, streams), cancellationToken);

    public override ValueTask<CoapConnection> ConnectAsync(CoapAddress remote, string? serverName, CancellationToken cancellationToken) =>
        ValueTask.FromException<CoapConnection>(new CoapConnectionException(CoapConnectionError.ConnectFailed, $"No connection to {remote}: this transport only takes connections that others accepted."));

    /// <summary>Takes a connection over.</summary>
    /// <param name="pipe">Its bytes.</param>
    /// <param name="accepted">What is known of it.</param>
    /// <param name="released">Ends when nobody uses the pipe any more.</param>
    /// <returns>The connection; null when it is not taken, and then it was closed.</returns>
    public CoapConnection? Accept(IDuplexPipe pipe, CoapAcceptedConnection accepted, out Task released)
    {
        PipeLink link = new(pipe, accepted.Abort);
        released = link.Released;
        return _life.Engine!.Accept(link, accepted);
    }

    public override ValueTask DisposeAsync() => _life.DisposeAsync();
}
