using System.Formats.Asn1;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Cluster;

/// <summary>
/// What a node shows the others: a certificate that it made itself, with an extension that only those can write who know the secret of the
/// cluster. It holds the node's id and an HMAC-SHA256 over that and the public key, so it is worth nothing without the private key, which
/// never leaves the process. Names, dates and issuers mean nothing. Thread-safe.
/// </summary>
internal sealed class LinkCredential : IDisposable
{
    /// <summary>The extension; under the arc of UUIDs (X.667), where nobody has to be asked for a number.</summary>
    public const string ExtensionId = "2.25.238761027184537604918204587235817364021";

    private const int KeyLength = 32;
    private const int NodeLength = 16;

    // Certificates have to have dates. Clocks of nodes need not agree, so nobody looks at them.
    private static readonly DateTimeOffset s_from = new(2020, 1, 1, 0, 0, 0, TimeSpan.Zero);
    private static readonly DateTimeOffset s_to = new(2049, 1, 1, 0, 0, 0, TimeSpan.Zero);

    private readonly byte[] _key = new byte[KeyLength];
    private readonly Lock _gate = new();
    private bool _isDisposed;

    /// <summary>Makes the credential of a node.</summary>
    /// <param name="secret">The secret of the cluster. It is not kept.</param>
    /// <param name="node">The node.</param>
    public LinkCredential(ReadOnlySpan<byte> secret, CoapNodeId node)
    {
        HKDF.DeriveKey(HashAlgorithmName.SHA256, secret, _key, default, "CoAP.NET cluster links 1"u8);
        Certificate = Make(node);
    }

    /// <summary>The certificate, with its private key.</summary>
    public X509Certificate2 Certificate { get; }

    /// <summary>Whose certificate it is; nobody's when a node of this cluster did not make it. Never throws.</summary>
    /// <param name="certificate">What a peer showed; null when it showed none.</param>
    public CoapNodeId NodeOf(X509Certificate? certificate)
    {
        if (certificate is null)
        {
            return default;
        }

        try
        {
            if (certificate is X509Certificate2 full)
            {
                return Read(full);
            }

            using X509Certificate2 loaded = X509CertificateLoader.LoadCertificate(certificate.GetRawCertData());
            return Read(loaded);
        }
        catch (Exception exception) when (exception is CryptographicException or AsnContentException or ObjectDisposedException)
        {
            return default;
        }
    }

    public void Dispose()
    {
        lock (_gate)
        {
            _isDisposed = true;
            CryptographicOperations.ZeroMemory(_key);
        }

        Certificate.Dispose();
    }

    private X509Certificate2 Make(CoapNodeId node)
    {
        using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        CertificateRequest request = new("CN=CoAP.NET cluster node", key, HashAlgorithmName.SHA256);
        byte[] content = new byte[NodeLength + HMACSHA256.HashSizeInBytes];
        node.Value.TryWriteBytes(content);
        Sign(content.AsSpan(0, NodeLength), request.PublicKey, content.AsSpan(NodeLength));
        AsnWriter writer = new(AsnEncodingRules.DER);
        writer.WriteOctetString(content);
        request.CertificateExtensions.Add(new X509Extension(ExtensionId, writer.Encode(), critical: false));
        X509Certificate2 made = request.CreateSelfSigned(s_from, s_to);
        if (!OperatingSystem.IsWindows())
        {
            return made;
        }

        // TLS of Windows takes no key that is in memory only.
        using (made)
        {
            return X509CertificateLoader.LoadPkcs12(made.Export(X509ContentType.Pkcs12), password: null);
        }
    }

    private CoapNodeId Read(X509Certificate2 certificate)
    {
        if (certificate.Extensions[ExtensionId] is not { } extension)
        {
            return default;
        }

        byte[] content = AsnDecoder.ReadOctetString(extension.RawData, AsnEncodingRules.DER, out _);
        if (content.Length != NodeLength + HMACSHA256.HashSizeInBytes)
        {
            return default;
        }

        ReadOnlySpan<byte> node = content.AsSpan(0, NodeLength);
        Span<byte> expected = stackalloc byte[HMACSHA256.HashSizeInBytes];
        Sign(node, certificate.PublicKey, expected);
        return CryptographicOperations.FixedTimeEquals(expected, content.AsSpan(NodeLength)) ? new CoapNodeId(new Guid(node)) : default;
    }

    private void Sign(ReadOnlySpan<byte> node, PublicKey publicKey, Span<byte> code)
    {
        byte[] info = [.. publicKey.ExportSubjectPublicKeyInfo(), .. node];
        lock (_gate)
        {
            // Zeros must never become a key.
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            HMACSHA256.HashData(_key, info, code);
        }
    }
}
