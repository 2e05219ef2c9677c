using Org.BouncyCastle.Tls;
using CertificateRequest = Org.BouncyCastle.Tls.CertificateRequest;

namespace CoAP.NET.Interop.Tests.Peers;

/// <summary>A server of DTLS by BouncyCastle, which asks for a cookie and answers one CoAP request per session.</summary>
internal sealed class BouncyServer(BouncyEnd end) : AbstractTlsServer(end.Crypto)
{
    /// <summary>Accepts sessions, one after the other, and answers one request in each.</summary>
    /// <param name="end">What it offers and accepts.</param>
    /// <param name="udp">Its socket, which the caller disposes to end the task.</param>
    /// <param name="sessions">Number of sessions.</param>
    public static Task ServeAsync(BouncyEnd end, BouncyUdp udp, int sessions = 1) => Task.Factory.StartNew(
        () =>
        {
            byte[] buffer = new byte[1_500];
            for (int i = 0; i < sessions; i++)
            {
                DtlsVerifier verifier = new(end.Crypto);
                DtlsRequest? request = null;
                while (request is null)
                {
                    int received = udp.Receive(buffer, 0, buffer.Length, (int)PeerProcess.HangLimit.TotalMilliseconds);
                    request = received > 0 ? verifier.VerifyRequest(udp.Remote, buffer, 0, received, udp) : null;
                }

                DtlsTransport session = new DtlsServerProtocol().Accept(new BouncyServer(end), udp, request);
                int length = session.Receive(buffer, 0, buffer.Length, (int)PeerProcess.HangLimit.TotalMilliseconds);
                if (length > 0)
                {
                    session.Send(BareCoap.Response(buffer.AsSpan(0, length)));
                }
            }
        },
        CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    public override int GetHandshakeTimeoutMillis() => (int)end.HandshakeTimeout.TotalMilliseconds;

    public override TlsCredentials? GetCredentials() => end.Key is null ? null : end.Sign(m_context);

    public override CertificateRequest? GetCertificateRequest() => end.AsksForCertificate
        ? new CertificateRequest([ClientCertificateType.ecdsa_sign], TlsUtilities.GetDefaultSupportedSignatureAlgorithms(m_context), null)
        : null;

    public override void NotifyClientCertificate(Certificate clientCertificate) => end.OnPeer(clientCertificate);

    public override TlsPskIdentityManager? GetPskIdentityManager() => end.Psk is null ? null : new Keys(end.Psk);

    public override TlsSession? GetSessionToResume(byte[] sessionID) =>
        end.Session is { } session && session.SessionID.AsSpan().SequenceEqual(sessionID) ? session : null;

    public override byte[] GetNewSessionID() => Guid.NewGuid().ToByteArray();

    public override void NotifyHandshakeComplete()
    {
        base.NotifyHandshakeComplete();
        end.OnDone(m_context);
    }

    protected override ProtocolVersion[] GetSupportedVersions() => ProtocolVersion.DTLSv12.Only();

    protected override int[] GetSupportedCipherSuites() => [end.Suite];

    protected override byte[]? GetNewConnectionID() => end.ConnectionId;

    protected override short[]? GetAllowedClientCertificateTypes() => end.UsesRawKeys ? [CertificateType.RawPublicKey] : null;

    private sealed class Keys(byte[] key) : TlsPskIdentityManager
    {
        public byte[] GetHint() => [];

        public byte[]? GetPsk(byte[] identity) => Encoding.UTF8.GetString(identity) == BouncyEnd.Identity ? key : null;
    }
}
