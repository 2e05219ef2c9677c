using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Cli.CommandLine;

/// <summary>Certificates in PEM files, for TLS and DTLS alike.</summary>
internal static class CertificateFiles
{
    /// <summary>The certificate of <c>--cert</c> with its key.</summary>
    /// <exception cref="UsageException">There is a key without a certificate.</exception>
    public static X509Certificate2? Own(FileInfo? certificate, FileInfo? key) => certificate is not null
        ? X509Certificate2.CreateFromPemFile(certificate.FullName, (key ?? certificate).FullName)
        : key is null ? null : throw new UsageException("--key needs --cert: a key alone proves nothing.");

    /// <summary>All certificates of <c>--ca</c>: files, and directories of them.</summary>
    public static X509Certificate2Collection Authorities(IEnumerable<FileInfo> authorities)
    {
        X509Certificate2Collection all = [];
        foreach (string file in authorities.SelectMany(FilesOf))
        {
            all.ImportFromPemFile(file);
        }

        return all;
    }

    /// <summary>Those that stand in the file of the own one after it: between it and a root.</summary>
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
