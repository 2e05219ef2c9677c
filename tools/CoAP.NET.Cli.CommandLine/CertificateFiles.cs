using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Cryptography;

namespace CoAP.NET.Cli;

/// <summary>Reads certificates in PEM files for TLS and DTLS.</summary>
internal static class CertificateFiles
{
    /// <summary>Reads the certificate of <c>--cert</c> with its key.</summary>
    /// <exception cref="UsageException">There is a key without a certificate.</exception>
    /// <exception cref="PlatformNotSupportedException">On Linux: there is no OpenSSL.</exception>
    public static X509Certificate2? Own(FileInfo? certificate, FileInfo? key)
    {
        if (certificate is null)
        {
            return key is null ? null : throw new UsageException("--key needs --cert, the certificate of the key.");
        }

        PlatformCryptographyAvailability.ThrowIfMissing("A certificate");
        return X509Certificate2.CreateFromPemFile(certificate.FullName, (key ?? certificate).FullName);
    }

    /// <summary>Reads all certificates of <c>--ca</c>: files, and directories of them.</summary>
    /// <exception cref="PlatformNotSupportedException">On Linux: there is no OpenSSL.</exception>
    public static X509Certificate2Collection Authorities(IEnumerable<FileInfo> authorities)
    {
        X509Certificate2Collection all = [];
        foreach (string file in authorities.SelectMany(FilesOf))
        {
            PlatformCryptographyAvailability.ThrowIfMissing("A certificate");
            all.ImportFromPemFile(file);
        }

        return all;
    }

    /// <summary>Reads the certificates after the first one in the file: between it and a root.</summary>
    public static X509Certificate2Collection Intermediates(FileInfo certificate)
    {
        X509Certificate2Collection all = [];
        all.ImportFromPemFile(certificate.FullName);
        if (all.Count > 0)
        {
            all.RemoveAt(0);
        }

        return all;
    }

    private static IEnumerable<string> FilesOf(FileInfo authority) => Directory.Exists(authority.FullName)
        ? Directory.EnumerateFiles(authority.FullName).Where(file => Path.GetExtension(file) is ".pem" or ".crt" or ".cer")
            .Order(StringComparer.Ordinal)
        : [authority.FullName];
}
