using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Dtls.Credentials;
using CoAP.NET.Files;

namespace CoAP.NET.Dtls;

/// <summary>An endpoint's own certificate and the authorities between it and a root, such as from files.</summary>
public sealed class CoapCertificateChain : IDisposable
{
    /// <summary>Creates a chain. It owns the certificates.</summary>
    /// <param name="certificate">The certificate with its private key.</param>
    /// <param name="intermediates">The authorities between it and a root, the nearest first; null for none.</param>
    public CoapCertificateChain(X509Certificate2 certificate, X509Certificate2Collection? intermediates = null)
    {
        ArgumentNullException.ThrowIfNull(certificate);
        Certificate = certificate;
        Intermediates = intermediates ?? [];
    }

    /// <summary>The certificate with its private key.</summary>
    public X509Certificate2 Certificate { get; }

    /// <summary>The authorities that came with it, in the order of the file, without roots, because peers must have those anyway.</summary>
    public X509Certificate2Collection Intermediates { get; }

    /// <summary>Reads an endpoint's own certificate with its private key.</summary>
    /// <param name="certificateFile">
    /// PEM: the certificate first, then the authorities between it and a root, if any; or PFX (PKCS #12), detected by its content.
    /// </param>
    /// <param name="keyFile">The private key in PEM; null if the file of the certificate contains it.</param>
    /// <param name="password">The password of the PFX file or of the encrypted PEM key; null for none.</param>
    /// <returns>The certificate with its key, and the authorities that came with it.</returns>
    /// <exception cref="CoapCredentialException">
    /// A file is not readable, the private key is missing or belongs to another certificate, or the key is not suitable for CoAP. The
    /// message says what to do.
    /// </exception>
    /// <exception cref="CoapDtlsException">There is no OpenSSL, which .NET needs on Linux to read certificates.</exception>
    /// <exception cref="ArgumentException"><paramref name="certificateFile"/> is empty.</exception>
    public static CoapCertificateChain Load(string certificateFile, string? keyFile = null, string? password = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(certificateFile);
        OwnCertificateValidator.ThrowIfNetLacksCryptography();
        CoapCertificateChain chain = Reading(certificateFile, keyFile, () => Read(certificateFile, keyFile, password));
        if (OwnCertificateValidator.ProblemOf(chain.Certificate) is { } problem)
        {
            chain.Dispose();
            throw new CoapCredentialException(certificateFile, 0, problem);
        }

        return chain;
    }

    /// <summary>Reads the certificates of authorities to trust.</summary>
    /// <param name="file">PEM with one or more certificates, or one in DER.</param>
    /// <returns>At least one certificate.</returns>
    /// <exception cref="CoapCredentialException">The file is not readable, or holds no certificate.</exception>
    /// <exception cref="CoapDtlsException">There is no OpenSSL, which .NET needs on Linux to read certificates.</exception>
    /// <exception cref="ArgumentException"><paramref name="file"/> is empty.</exception>
    public static X509Certificate2Collection LoadAuthorities(string file)
    {
        ArgumentException.ThrowIfNullOrEmpty(file);
        OwnCertificateValidator.ThrowIfNetLacksCryptography();
        return Reading(file, null, () =>
        {
            X509Certificate2Collection found = [];
            byte[] content = RegularFile.ReadBytes(file, RegularFile.MaxLength);
            found.ImportFromPem(RegularFile.TextOf(content));
            if (found.Count == 0)
            {
                found.Add(X509CertificateLoader.LoadCertificate(content));
            }

            return found;
        });
    }

    /// <summary>Disposes the certificates. The options copy them as soon as an endpoint uses them.</summary>
    public void Dispose()
    {
        Certificate.Dispose();
        foreach (X509Certificate2 intermediate in Intermediates)
        {
            intermediate.Dispose();
        }
    }

    private static T Reading<T>(string file, string? keyFile, Func<T> read)
    {
        foreach (string path in keyFile is null ? [file] : new[] { file, keyFile })
        {
            if (!File.Exists(path))
            {
                throw new CoapCredentialException(path, 0, "There is no such file.");
            }
        }

        try
        {
            return read();
        }
        catch (Exception exception)
            when (exception is IOException or UnauthorizedAccessException or CryptographicException or ArgumentException)
        {
            throw new CoapCredentialException(file, 0, $"No certificate can be read: {exception.Message}", exception);
        }
    }

    private static CoapCertificateChain Read(string file, string? keyFile, string? password)
    {
        byte[] content = RegularFile.ReadBytes(file, RegularFile.MaxLength);
        try
        {
            return X509Certificate2.GetCertContentType(content) == X509ContentType.Pkcs12
                ? ReadPfx(file, content, keyFile, password)
                : ReadPem(file, RegularFile.TextOf(content), keyFile, password);
        }
        finally
        {
            CryptographicOperations.ZeroMemory(content);
        }
    }

    private static CoapCertificateChain ReadPfx(string file, byte[] content, string? keyFile, string? password)
    {
        if (keyFile is not null)
        {
            throw new CoapCredentialException(file, 0, "A PFX file holds the private key itself. Leave the file of the key out.");
        }

        X509Certificate2Collection all = X509CertificateLoader.LoadPkcs12Collection(content, password);
        X509Certificate2 own = all.FirstOrDefault(static certificate => certificate.HasPrivateKey)
            ?? throw new CoapCredentialException(file, 0, "The file has no certificate with its private key. Export it with the key.");
        all.Remove(own);
        return new CoapCertificateChain(own, WithoutRoots(all));
    }

    private static CoapCertificateChain ReadPem(string file, string text, string? keyFile, string? password)
    {
        X509Certificate2Collection all = [];
        all.ImportFromPem(text);
        if (all.Count == 0)
        {
            throw new CoapCredentialException(file, 0, "The file has no certificate in PEM (BEGIN CERTIFICATE).");
        }

        X509Certificate2 leaf = all[0];
        all.RemoveAt(0);
        using (leaf)
        {
            string keyPath = keyFile ?? file;
            using ECDsa key = ReadKey(leaf, keyPath, keyFile is null ? text : RegularFile.ReadText(keyFile), password);
            try
            {
                return new CoapCertificateChain(leaf.CopyWithPrivateKey(key), WithoutRoots(all));
            }
            catch (ArgumentException exception)
            {
                throw new CoapCredentialException(keyPath, 0,
                    $"The private key is not that of the certificate '{leaf.Subject}' in {file}. Name the key that it was issued for.",
                    exception);
            }
        }
    }

    private static ECDsa ReadKey(X509Certificate2 leaf, string path, string text, string? password)
    {
        if (!text.Contains("PRIVATE KEY-----", StringComparison.Ordinal))
        {
            throw new CoapCredentialException(path, 0,
                $"There is no private key in PEM (BEGIN PRIVATE KEY) for the certificate '{leaf.Subject}'. Name the file that has it.");
        }

        bool isEncrypted = text.Contains("BEGIN ENCRYPTED PRIVATE KEY", StringComparison.Ordinal);
        if (isEncrypted && password is null)
        {
            throw new CoapCredentialException(path, 0, "The private key is encrypted. Give its password.");
        }

        ECDsa key = ECDsa.Create();
        try
        {
            if (isEncrypted)
            {
                key.ImportFromEncryptedPem(text, password);
            }
            else
            {
                key.ImportFromPem(text);
            }

            return key;
        }
        catch (Exception exception) when (exception is CryptographicException or ArgumentException)
        {
            key.Dispose();
            throw new CoapCredentialException(
                path, 0, isEncrypted
                    ? "The private key cannot be decrypted: the password is wrong, or it is not an ECDSA key."
                    : "The private key cannot be read. coaps needs an ECDSA one, on P-256.", exception);
        }
    }

    private static X509Certificate2Collection WithoutRoots(X509Certificate2Collection certificates) =>
        [.. certificates.Where(static one => !one.SubjectName.RawData.AsSpan().SequenceEqual(one.IssuerName.RawData))];
}
