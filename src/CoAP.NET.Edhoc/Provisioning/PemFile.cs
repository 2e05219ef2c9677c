using System.Formats.Asn1;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using CoAP.NET.Cryptography;
using CoAP.NET.Edhoc.Keys;
using CoAP.NET.Files;

namespace CoAP.NET.Edhoc.Provisioning;

/// <summary>Reads keys and certificates from PEM files, and wipes the bytes of private keys.</summary>
internal static class PemFile
{
    private const int MaxKeyLength = 64 * 1024;

    // RFC 8410 section 3.
    private static readonly Dictionary<string, EdhocCurve> s_curves = new(StringComparer.Ordinal)
    {
        ["1.3.101.110"] = EdhocCurve.X25519,
        ["1.3.101.111"] = EdhocCurve.X448,
        ["1.3.101.112"] = EdhocCurve.Ed25519,
        ["1.3.101.113"] = EdhocCurve.Ed448,
    };

    /// <summary>Reads a file.</summary>
    /// <exception cref="CoapCredentialException">The file is not readable, or is larger.</exception>
    public static byte[] ReadBytes(string path, int maxLength = RegularFile.MaxLength)
    {
        try
        {
            return RegularFile.ReadBytes(path, maxLength);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or NotSupportedException)
        {
            throw new CoapCredentialException(path, 0, $"The file is not readable: {exception.Message}", exception);
        }
    }

    /// <summary>Reads a private key.</summary>
    /// <exception cref="CoapCredentialException">The file has no usable key, or other users can read or change it.</exception>
    public static EdhocPrivateKey ReadPrivateKey(string path)
    {
        if (KeyFileMode.ProblemOf(path) is { } problem)
        {
            throw new CoapCredentialException(path, 0, problem);
        }

        byte[] bytes = ReadBytes(path, MaxKeyLength);
        char[] text = GC.AllocateUninitializedArray<char>(bytes.Length, pinned: true);
        try
        {
            int length = Encoding.Latin1.GetChars(bytes, text);
            return PrivateKeyOf(path, text.AsSpan(0, length));
        }
        catch (Exception exception) when (exception is ArgumentException or CryptographicException or AsnContentException)
        {
            // The messages of these exceptions may contain parts of the key.
            throw new CoapCredentialException(
                path, 0,
                "The file has no private key that EDHOC can use: one of P-256, P-384, X25519, Ed25519, X448 or Ed448 in PEM "
                    + "(PRIVATE KEY or EC PRIVATE KEY), without a password.");
        }
        finally
        {
            CryptographicOperations.ZeroMemory(bytes);
            text.AsSpan().Clear();
        }
    }

    /// <summary>Reads a public key.</summary>
    /// <exception cref="CoapCredentialException">The file has no usable key.</exception>
    public static EdhocPublicKey ReadPublicKey(string path)
    {
        try
        {
            string text = Encoding.Latin1.GetString(ReadBytes(path, MaxKeyLength));
            PemFields fields = PemEncoding.Find(text);
            if (text.AsSpan()[fields.Label] is not "PUBLIC KEY")
            {
                throw new ArgumentException("No public key.");
            }

            byte[] info = Convert.FromBase64String(text[fields.Base64Data]);
            AsnReader key = new AsnReader(info, AsnEncodingRules.DER).ReadSequence();
            if (CurveOf(key.ReadSequence()) is { } curve)
            {
                return new EdhocPublicKey(curve, key.ReadBitString(out _), null);
            }

            using ECDsa nist = NewNist(path);
            nist.ImportFromPem(text);
            ECParameters parameters = nist.ExportParameters(includePrivateParameters: false);
            return new EdhocPublicKey(NamedCurve(parameters), parameters.Q.X!, parameters.Q.Y);
        }
        catch (Exception exception)
            when (exception is ArgumentException or CryptographicException or AsnContentException or FormatException)
        {
            throw new CoapCredentialException(
                path, 0,
                "The file has no public key that EDHOC can use: one of P-256, P-384, X25519, Ed25519, X448 or Ed448 in PEM (PUBLIC KEY).",
                exception);
        }
    }

    /// <summary>Reads certificates, at least one.</summary>
    /// <exception cref="CoapCredentialException">There is none.</exception>
    public static X509Certificate2[] ReadCertificates(string path)
    {
        ThrowIfMissing(path);
        try
        {
            X509Certificate2Collection certificates = [];
            certificates.ImportFromPem(Encoding.Latin1.GetString(ReadBytes(path)));
            return certificates.Count > 0
                ? [.. certificates]
                : throw new CoapCredentialException(path, 0, "The file has no certificate in PEM.");
        }
        catch (CryptographicException exception)
        {
            throw new CoapCredentialException(path, 0, "The file has something that is not a certificate in PEM.", exception);
        }
    }

    private static EdhocPrivateKey PrivateKeyOf(string path, ReadOnlySpan<char> text)
    {
        PemFields fields = PemEncoding.Find(text);
        byte[] info = GC.AllocateUninitializedArray<byte>(fields.DecodedDataLength, pinned: true);
        try
        {
            if (text[fields.Label] is "PRIVATE KEY" && Convert.TryFromBase64Chars(text[fields.Base64Data], info, out _))
            {
                AsnReader key = new AsnReader(info, AsnEncodingRules.DER).ReadSequence();
                key.ReadInteger();
                if (CurveOf(key.ReadSequence()) is { } curve
                    && key.TryReadPrimitiveOctetString(out ReadOnlyMemory<byte> inner)
                    && new AsnReader(inner, AsnEncodingRules.DER).TryReadPrimitiveOctetString(out ReadOnlyMemory<byte> secret))
                {
                    return Made(path, curve, secret.Span);
                }
            }

            using ECDsa nist = NewNist(path);
            nist.ImportFromPem(text);
            ECParameters parameters = nist.ExportParameters(includePrivateParameters: true);
            try
            {
                return Made(path, NamedCurve(parameters), parameters.D);
            }
            finally
            {
                CryptographicOperations.ZeroMemory(parameters.D);
            }
        }
        finally
        {
            CryptographicOperations.ZeroMemory(info);
        }
    }

    private static ECDsa NewNist(string path)
    {
        ThrowIfMissing(path);
        return ECDsa.Create();
    }

    private static void ThrowIfMissing(string path)
    {
        if (!PlatformCryptographyAvailability.IsAvailable)
        {
            throw new CoapCredentialException(path, 0, PlatformCryptographyAvailability.Missing("EDHOC"));
        }
    }

    private static EdhocPrivateKey Made(string path, EdhocCurve curve, ReadOnlySpan<byte> secret)
    {
        try
        {
            return EdhocPrivateKey.FromBytes(curve, secret);
        }
        catch (PlatformNotSupportedException exception)
        {
            throw new CoapCredentialException(
                path, 0, $"The key is of {curve}, which this platform cannot use: {exception.Message}", exception);
        }
    }

    private static EdhocCurve? CurveOf(AsnReader algorithm) =>
        s_curves.TryGetValue(algorithm.ReadObjectIdentifier(), out EdhocCurve curve) ? curve : null;

    private static EdhocCurve NamedCurve(ECParameters parameters) =>
        Curves.Named(parameters.Curve.Oid) ?? throw new CryptographicException("Only P-256 and P-384.");
}
