using System.Formats.Asn1;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Dtls.Credentials;
using CoAP.NET.Dtls.Handshakes;

namespace CoAP.NET.Dtls;

/// <summary>
/// Signs handshakes with a key that this process does not have: in a TPM, a token, a key vault, or another process. Immutable.
/// </summary>
/// <remarks>
/// Use it as <see cref="CoapDtlsServerOptions.Signer"/> or <see cref="CoapDtlsClientOptions.Signer"/>, or in
/// <see cref="CoapDtlsCredentials"/>. A key of the platform's stores (CNG, keychain) that .NET presents as an <see cref="ECDsa"/> or a
/// certificate with a private key needs no signer. A handshake that waits for a signature holds no thread.
/// </remarks>
public sealed class CoapDtlsSigner
{
    private readonly Func<ReadOnlyMemory<byte>, HashAlgorithmName, CancellationToken, ValueTask<byte[]>> _sign;

    /// <summary>Creates a signer with a certificate.</summary>
    /// <param name="certificate">The certificate of the key, ECDSA on P-256 (RFC 7252 section 9.1.3.3); copied, without its key.</param>
    /// <param name="intermediates">
    /// The authorities between it and a root that the other side knows, the nearest first; copied. Null for none.
    /// </param>
    /// <param name="sign">
    /// Signs a hash by ECDSA. Gets the hash, its algorithm (such as SHA-256) and a token that is cancelled when the handshake ends. Returns
    /// r and s, each as long as the field of the curve (IEEE P1363; 64 bytes for P-256), as
    /// <see cref="ECDsa.SignHash(byte[])"/> and key vaults do. Several handshakes call it concurrently. An exception ends the handshake.
    /// </param>
    /// <exception cref="CoapCredentialException">The certificate is not suitable for CoAP; the message says what to do.</exception>
    public CoapDtlsSigner(X509Certificate2 certificate, X509Certificate2Collection? intermediates,
        Func<ReadOnlyMemory<byte>, HashAlgorithmName, CancellationToken, ValueTask<byte[]>> sign)
    {
        ArgumentNullException.ThrowIfNull(certificate);
        ArgumentNullException.ThrowIfNull(sign);
        Certificate = X509CertificateLoader.LoadCertificate(certificate.RawData);
        if (OwnCertificateValidator.ProblemOf(Certificate, needsKey: false) is { } problem)
        {
            throw new CoapCredentialException(problem);
        }

        OwnCertificateValidator.CopyAll(intermediates ?? [], Intermediates);
        using ECDsa key = Certificate.GetECDsaPublicKey()!;
        (_sign, KeySize) = (sign, key.KeySize);
    }

    /// <summary>Creates a signer with a raw public key (RFC 7250; RFC 7252 section 9.1.3.2).</summary>
    /// <param name="publicKey">
    /// The public key as SubjectPublicKeyInfo in DER (RFC 5280 section 4.1), as <see
    /// cref="AsymmetricAlgorithm.ExportSubjectPublicKeyInfo"/> returns it: ECDSA on P-256.
    /// </param>
    /// <param name="sign">As for a certificate.</param>
    /// <exception cref="CoapCredentialException">These bytes are not such a key; the message says what to do.</exception>
    public CoapDtlsSigner(ReadOnlyMemory<byte> publicKey,
        Func<ReadOnlyMemory<byte>, HashAlgorithmName, CancellationToken, ValueTask<byte[]>> sign)
    {
        ArgumentNullException.ThrowIfNull(sign);
        using ECDsa key = Read(publicKey.Span);
        const int P256 = 256;
        if (key.KeySize != P256)
        {
            throw new CoapCredentialException(
                $"The public key of the signer has {key.KeySize} bits. Use an ECDSA key on P-256 (RFC 7252 section 9.1.3.2).");
        }

        (_sign, KeySize, PublicKey) = (sign, key.KeySize, publicKey.ToArray());
    }

    /// <summary>The certificate; null for a raw public key.</summary>
    internal X509Certificate2? Certificate { get; }

    /// <summary>The certificates sent with it.</summary>
    internal X509Certificate2Collection Intermediates { get; } = [];

    /// <summary>The raw public key as SubjectPublicKeyInfo; null with a certificate.</summary>
    internal byte[]? PublicKey { get; }

    /// <summary>Bits of the key.</summary>
    internal int KeySize { get; }

    private static ECDsa Read(ReadOnlySpan<byte> publicKey)
    {
        try
        {
            return RawPublicKey.Read(publicKey);
        }
        catch (CryptographicException exception)
        {
            throw new CoapCredentialException(
                "The public key of the signer is not an ECDSA key in the form SubjectPublicKeyInfo (DER). Export it by "
                    + "ECDsa.ExportSubjectPublicKeyInfo.", exception);
        }
    }

    /// <summary>Signs a hash.</summary>
    /// <returns>The signature as TLS writes it: in DER (RFC 8422 section 5.4).</returns>
    internal async ValueTask<byte[]> SignAsync(byte[] hash, HashAlgorithmName algorithm, CancellationToken cancellationToken)
    {
        byte[]? signature;
        try
        {
            signature = await _sign(hash, algorithm, cancellationToken).ConfigureAwait(false);
        }
#pragma warning disable CA1031 // code of the application may throw anything
        catch (Exception exception)
#pragma warning restore CA1031
        {
            throw new CallbackException(nameof(CoapDtlsSigner), exception);
        }

        int half = (KeySize + 7) / 8;
        if (signature is null || signature.Length != 2 * half)
        {
            throw new CoapDtlsException(
                $"The signer returned {signature?.Length ?? 0} bytes. A signature by its key of {KeySize} bits has {2 * half}: r and s "
                    + "(IEEE P1363), as ECDsa.SignHash returns it.");
        }

        AsnWriter writer = new(AsnEncodingRules.DER);
        using (writer.PushSequence())
        {
            writer.WriteIntegerUnsigned(signature.AsSpan(0, half).TrimStart((byte)0));
            writer.WriteIntegerUnsigned(signature.AsSpan(half).TrimStart((byte)0));
        }

        return writer.Encode();
    }
}
