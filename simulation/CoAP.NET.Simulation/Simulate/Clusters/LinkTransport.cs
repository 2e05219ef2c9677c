using System.IO.Pipelines;
using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Transports;

namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>
/// One end of the links of a node: in place of TLS both ends are shown the certificate of the other, which they take or not as they would
/// in a handshake.
/// </summary>
/// <param name="wires">The connections of all nodes.</param>
/// <param name="time">The life of the node.</param>
/// <param name="address">The address of the node.</param>
/// <param name="tls">What it shows, and whom it takes.</param>
/// <param name="streams">The times of connections.</param>
/// <param name="isListening">Whether it takes connections; else it opens them.</param>
internal sealed class LinkTransport(
    LinkWires wires, NodeTime time, CoapAddress address, CoapTlsOptions tls, CoapStreamOptions streams, bool isListening)
    : CoapDuplexPipeTransport(new CoapDuplexPipeTransportOptions { IsSecure = true, Streams = streams })
{
    private static readonly TimeSpan s_handshake = TimeSpan.FromMilliseconds(3);
    private static readonly PipeOptions s_pipe = new(useSynchronizationContext: false);

    public override bool CanConnect => !isListening;

    public override IReadOnlyList<CoapAddress> LocalAddresses => isListening ? [address] : [];

    private X509Certificate2 Shown => isListening
        ? tls.Server!.ServerCertificateContext!.TargetCertificate : tls.Client!.ClientCertificateContext!.TargetCertificate;

    private RemoteCertificateValidationCallback Takes => isListening
        ? tls.Server!.RemoteCertificateValidationCallback! : tls.Client!.RemoteCertificateValidationCallback!;

    public override async ValueTask StartAsync(ICoapStreamContext context, CancellationToken cancellationToken)
    {
        await base.StartAsync(context, cancellationToken).ConfigureAwait(false);
        if (isListening)
        {
            wires.Listen(address, this);
        }
    }

    public override ValueTask DisposeAsync()
    {
        if (isListening)
        {
            wires.Leave(address, this);
        }

        return base.DisposeAsync();
    }

    protected override async ValueTask<CoapDuplexPipe> OpenAsync(
        CoapAddress remote, string? serverName, CancellationToken cancellationToken)
    {
        await Task.Delay(s_handshake, wires.Clock, cancellationToken).ConfigureAwait(false);
        await wires.UncutAsync(address, remote, cancellationToken).ConfigureAwait(false);
        LinkTransport server = wires.Find(remote)
            ?? throw new CoapConnectionException(CoapConnectionError.ConnectFailed, $"Nobody listens at {remote}.");
        await server.AwakeAsync().WaitAsync(cancellationToken).ConfigureAwait(false);
        if (!server.Takes(server, Shown, null, SslPolicyErrors.None) || !Takes(this, server.Shown, null, SslPolicyErrors.None))
        {
            throw new CoapConnectionException(CoapConnectionError.HandshakeFailed, "One of the two ends did not take the other.");
        }

        Pipe[] pipes = [new(s_pipe), new(s_pipe), new(s_pipe), new(s_pipe)];
        wires.Carry(address, remote, server.Time, pipes[0].Reader, pipes[1].Writer);
        wires.Carry(remote, address, time, pipes[2].Reader, pipes[3].Writer);
        server.Accept(new CoapDuplexPipe(pipes[1].Reader, pipes[2].Writer)
        {
            Remote = address.ToIPEndPoint(),
            Local = remote.ToIPEndPoint(),
            Identity = IdentityOf(Shown),
        });
        return new CoapDuplexPipe(pipes[3].Reader, pipes[0].Writer)
        {
            Local = address.ToIPEndPoint(),
            Identity = IdentityOf(server.Shown),
        };
    }

    private NodeTime Time => time;

    private Task AwakeAsync() => time.AwakeAsync();

    // A copy for each: it is disposed with its connection.
    private static CoapTlsIdentity IdentityOf(X509Certificate2 certificate) => new(
        X509CertificateLoader.LoadCertificate(certificate.RawData), null, SslProtocols.Tls13, TlsCipherSuite.TLS_AES_128_GCM_SHA256);
}
