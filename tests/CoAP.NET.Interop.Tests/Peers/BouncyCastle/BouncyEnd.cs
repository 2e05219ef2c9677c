using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Org.BouncyCastle.Security;
using Org.BouncyCastle.Tls;
using Org.BouncyCastle.Tls.Crypto;
using Org.BouncyCastle.Tls.Crypto.Impl.BC;
using Certificate = Org.BouncyCastle.Tls.Certificate;

namespace CoAP.NET.Interop.Tests.Peers;

/// <summary>What one end of DTLS by BouncyCastle offers and accepts, and what its last handshake agreed on.</summary>
internal sealed class BouncyEnd
{
    public const string Identity = "meter-7";

    public BcTlsCrypto Crypto { get; } = new(new SecureRandom());

    public required int Suite { get; init; }

    public byte[]? Psk { get; init; }

    /// <summary>The own key: with <see cref="Certificate"/>, or as a raw public key.</summary>
    public ECDsa? Key { get; init; }

    public X509Certificate2? Certificate { get; init; }

    /// <summary>Whether a server asks for the certificate or the raw public key of the client.</summary>
    public bool AsksForCertificate { get; init; }

    /// <summary>The Connection ID for records to this end; null: it offers none.</summary>
    public byte[]? ConnectionId { get; init; }

    public TimeSpan HandshakeTimeout { get; init; } = PeerProcess.HangLimit;

    /// <summary>Whether raw public keys replace certificates.</summary>
    public bool UsesRawKeys => Key is not null && Certificate is null;

    /// <summary>The session to resume; after a handshake, its session.</summary>
    public TlsSession? Session { get; set; }

    /// <summary>The certificate or the raw public key that the peer showed.</summary>
    public byte[]? PeerCredential { get; private set; }

    /// <summary>The Connection ID that the peer assigned; null: the handshake negotiated none.</summary>
    public byte[]? PeerConnectionId { get; private set; }

    public bool IsExtendedMasterSecret { get; private set; }

    public bool IsResumed { get; private set; }

    public void OnPeer(Certificate certificate) =>
        PeerCredential = certificate.IsEmpty ? null : certificate.GetCertificateAt(0).GetEncoded();

    public void OnDone(TlsContext context)
    {
        Session = context.ResumableSession ?? Session;
        PeerConnectionId = context.SecurityParameters.ConnectionIDPeer;
        IsResumed = context.SecurityParameters.IsResumedSession;
        IsExtendedMasterSecret = context.SecurityParameters.IsExtendedMasterSecret;
    }

    public TlsCredentialedSigner Sign(TlsContext context)
    {
        Certificate chain = UsesRawKeys
            ? new Certificate(CertificateType.RawPublicKey, null,
                [new CertificateEntry(new BcTlsRawKeyCertificate(Crypto, Key!.ExportSubjectPublicKeyInfo()), null)])
            : new Certificate([Crypto.CreateCertificate(CertificateType.X509, Certificate!.RawData)]);
        return new BcDefaultTlsCredentialedSigner(new TlsCryptoParameters(context), Crypto,
            PrivateKeyFactory.CreateKey(Key!.ExportPkcs8PrivateKey()), chain,
                new SignatureAndHashAlgorithm(Org.BouncyCastle.Tls.HashAlgorithm.sha256, SignatureAlgorithm.ecdsa));
    }
}
