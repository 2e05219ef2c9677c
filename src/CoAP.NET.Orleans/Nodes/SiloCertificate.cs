using System.Formats.Asn1;
using System.Security.Authentication;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Cluster.Records;
using Orleans.Connections.Security;

namespace CoAP.NET.Orleans.Nodes;

/// <summary>
/// The certificate of a silo, and the check of those of others. Both are made of the secrets of the cluster: another silo is accepted if
/// its key is made of one of them, and TLS proves that it has the key. While a secret is being replaced, the key is that of the new one,
/// signed by that of the previous one, so silos that do not have the new one yet accept it, too. Thread-safe.
/// </summary>
internal sealed class SiloCertificate : IDisposable
{
    // No silo looks at names and times: clocks may differ, and the key is what counts. RFC 5280 section 4.1.2.5 has the end for
    // certificates that do not expire.
    private const string Name = "coap-silo";
    private static readonly DateTimeOffset s_begin = new(2020, 1, 1, 0, 0, 0, TimeSpan.Zero);
    private static readonly DateTimeOffset s_end = new(9999, 12, 31, 23, 59, 59, TimeSpan.Zero);

    // The order of the group of P-256.
    private static readonly byte[] s_order = Convert.FromHexString("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551");

    // Of the current secret, and possibly of the previous one.
    private readonly ECDsa[] _keys;
    private readonly byte[][] _publicKeys;

    /// <summary>Creates the certificate of a silo.</summary>
    /// <param name="secrets">The current secret, and possibly the previous one; only used during the call.</param>
    public SiloCertificate(IReadOnlyList<ReadOnlyMemory<byte>> secrets)
    {
        _keys = [.. secrets.Select(KeyOf)];
        _publicKeys = [.. _keys.Select(static key => key.ExportSubjectPublicKeyInfo())];
        CertificateRequest request = new($"CN={Name}", _keys[0], HashAlgorithmName.SHA256);
        using X509Certificate2 signed = request.Create(
            new X500DistinguishedName($"CN={Name} of the cluster"), X509SignatureGenerator.CreateForECDsa(_keys[^1]), s_begin, s_end,
            SHA256.HashData(_publicKeys[0]).AsSpan(0, 16));
        using X509Certificate2 whole = signed.CopyWithPrivateKey(_keys[0]);

        // Windows does not use a key that was never in a file.
        byte[] file = whole.Export(X509ContentType.Pkcs12);
        Certificate = X509CertificateLoader.LoadPkcs12(file, null);
        CryptographicOperations.ZeroMemory(file);
    }

    public X509Certificate2 Certificate { get; }

    /// <summary>Uses the certificate at both ends of connections, which need the certificate of the other end.</summary>
    public void Configure(TlsOptions options)
    {
        options.LocalCertificate = Certificate;

        // Whatever authorities the other end names.
        options.LocalClientCertificateSelector = (_, _, _, _, _) => Certificate;
        options.RemoteCertificateMode = options.ClientCertificateMode = RemoteCertificateMode.RequireCertificate;
        options.RemoteCertificateValidation = (certificate, _, _) => Accepts(certificate);
        options.OnAuthenticateAsClient = static (_, client) => client.TargetHost = Name;

        // OpenSSL has TLS 1.3 in each version that .NET supports.
        options.SslProtocols = OperatingSystem.IsLinux() ? SslProtocols.Tls13 : SslProtocols.Tls12 | SslProtocols.Tls13;
    }

    /// <summary>Whether a certificate is that of a silo with one of the secrets.</summary>
    public bool Accepts(X509Certificate2 certificate)
    {
        byte[] key = certificate.PublicKey.ExportSubjectPublicKeyInfo();
        bool isOwn = false;
        foreach (byte[] own in _publicKeys)
        {
            isOwn |= CryptographicOperations.FixedTimeEquals(own, key);
        }

        return isOwn || IsSigned(certificate.RawDataMemory);
    }

    public void Dispose()
    {
        Certificate.Dispose();
        Array.ForEach(_keys, static key => key.Dispose());
    }

    // A silo with a secret that this one does not have yet, and with one that this one has.
    private bool IsSigned(ReadOnlyMemory<byte> certificate)
    {
        AsnReader reader = new AsnReader(certificate, AsnEncodingRules.DER).ReadSequence();
        ReadOnlyMemory<byte> content = reader.ReadEncodedValue();
        reader.ReadEncodedValue();
        byte[] signature = reader.ReadBitString(out _);
        return Array.Exists(_keys, key =>
            key.VerifyData(content.Span, signature, HashAlgorithmName.SHA256, DSASignatureFormat.Rfc3279DerSequence));
    }

    // A number below the order of the group; others (one of 2^32) are skipped (FIPS 186-5 appendix A.2.2).
    private static ECDsa KeyOf(ReadOnlyMemory<byte> secret)
    {
        for (int attempt = 0; ; attempt++)
        {
            byte[] number = ClusterSecrets.DeriveKeys([secret], $"silo {attempt}")[0];
            try
            {
                if (number.AsSpan().SequenceCompareTo(s_order) < 0)
                {
                    return ECDsa.Create(new ECParameters { Curve = ECCurve.NamedCurves.nistP256, D = number });
                }
            }
            finally
            {
                CryptographicOperations.ZeroMemory(number);
            }
        }
    }
}
