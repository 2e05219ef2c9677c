using Org.BouncyCastle.Tls;
using CertificateRequest = Org.BouncyCastle.Tls.CertificateRequest;

namespace CoAP.NET.Interop.Tests.Peers;

/// <summary>A client of DTLS by BouncyCastle, which makes one CoAP request per session.</summary>
internal sealed class BouncyClient(BouncyEnd end) : AbstractTlsClient(end.Crypto)
{
    /// <summary>Connects, sends a confirmable GET and returns the payload of its response.</summary>
    /// <param name="end">What it offers and accepts.</param>
    /// <param name="port">The port of the server on the loopback.</param>
    /// <param name="path">The path.</param>
    public static Task<string> GetAsync(BouncyEnd end, int port, string path) => Task.Factory.StartNew(
        () =>
        {
            using BouncyUdp udp = BouncyUdp.Connect(port);
            DtlsTransport session = new DtlsClientProtocol().Connect(new BouncyClient(end), udp);
            session.Send(BareCoap.Request(path));
            byte[] buffer = new byte[1_500];
            int length = session.Receive(buffer, 0, buffer.Length, (int)PeerProcess.HangLimit.TotalMilliseconds);
            Assert.True(length > 0, "No response arrived.");
            string text = BareCoap.Payload(buffer.AsSpan(0, length));
            session.Close();
            return text;
        },
        CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    public override int GetHandshakeTimeoutMillis() => (int)end.HandshakeTimeout.TotalMilliseconds;

    public override TlsPskIdentity? GetPskIdentity() => end.Psk is null ? null : new BasicTlsPskIdentity(BouncyEnd.Identity, end.Psk);

    public override TlsAuthentication GetAuthentication() => new Authentication(end, m_context);

    public override TlsSession? GetSessionToResume() => end.Session;

    public override void NotifyHandshakeComplete()
    {
        base.NotifyHandshakeComplete();
        end.OnDone(m_context);
    }

    protected override ProtocolVersion[] GetSupportedVersions() => ProtocolVersion.DTLSv12.Only();

    protected override int[] GetSupportedCipherSuites() => [end.Suite];

    protected override byte[]? GetNewConnectionID() => end.ConnectionId;

    protected override short[]? GetAllowedClientCertificateTypes() => end.UsesRawKeys ? [CertificateType.RawPublicKey] : null;

    protected override short[]? GetAllowedServerCertificateTypes() => end.UsesRawKeys ? [CertificateType.RawPublicKey] : null;

    private sealed class Authentication(BouncyEnd end, TlsContext context) : TlsAuthentication
    {
        public void NotifyServerCertificate(TlsServerCertificate serverCertificate) => end.OnPeer(serverCertificate.Certificate);

        public TlsCredentials? GetClientCredentials(CertificateRequest certificateRequest) =>
            end.Key is null ? null : end.Sign(context);
    }
}
