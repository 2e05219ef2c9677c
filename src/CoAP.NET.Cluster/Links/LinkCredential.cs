using System.Formats.Asn1;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Cluster;

/// <summary>
/// The credential of a node: a self-made certificate with an extension that only nodes with the secret of the cluster can create. The
/// extension has the node's id and an HMAC-SHA256 over the id and the public key. It is therefore worthless without the private key, which
/// never leaves the process. Names, dates and issuers have no meaning. Thread-safe.
/// </summary>
internal sealed class LinkCredential : IDisposable
{
    /// <summary>The extension; under the arc of UUIDs (X.667), which needs no registration.</summary>
    public const string ExtensionId = "2.25.238761027184537604918204587235817364021";

    private const int KeyLength = 32;
    private const int NodeLength = 16;

    // Certificates must have dates. The clocks of nodes may differ, so dates are not checked.
    private static readonly DateTimeOffset s_from = new(2020, 1, 1, 0, 0, 0, TimeSpan.Zero);
    private static readonly DateTimeOffset s_to = new(2049, 1, 1, 0, 0, 0, TimeSpan.Zero);

    private readonly byte[] _key = new byte[KeyLength];
    private readonly Lock _gate = new();
    private bool _isDisposed;

    /// <summary>Creates the credential of a node.</summary>
    /// <param name="secret">The secret of the cluster. It is not stored.</param>
    /// <param name="node">The node.</param>
    public LinkCredential(ReadOnlySpan<byte> secret, CoapNodeId node)
    {
        HKDF.DeriveKey(HashAlgorithmName.SHA256, secret, _key, default, "CoAP.NET cluster links 1"u8);
        Certificate = Make(node);
    }

    /// <summary>The certificate, with its private key.</summary>
    public X509Certificate2 Certificate { get; }

    /// <summary>Returns the node of a certificate; unset if no node of this cluster made it. Never throws.</summary>
    /// <param name="certificate">The certificate of a peer; null if it has none.</param>
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

        // TLS on Windows does not accept ephemeral keys.
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
