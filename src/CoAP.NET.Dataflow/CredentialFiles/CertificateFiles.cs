using System.Runtime.Versioning;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Files;

namespace CoAP.NET.CredentialFiles;

/// <summary>Reads certificates, private keys and authorities from files.</summary>
[UnsupportedOSPlatform("browser")]
internal static class CertificateFiles
{
    /// <summary>Reads the endpoint's own certificate with its key, and those between it and a root.</summary>
    /// <param name="certificate">The file of the certificate; null for none.</param>
    /// <param name="key">The file of the key; null if the file of the certificate contains it.</param>
    /// <param name="password">The password of the PFX file or of the key; null for none.</param>
    /// <param name="section">The prefix of the keys in messages, such as <c>Coap:Server:Tls</c>.</param>
    /// <param name="problem">The problem and its place; null for none.</param>
    /// <returns>The certificates; null if there is none, or a file has an error.</returns>
    public static OwnCertificate? ReadOwn(string? certificate, string? key, string? password, string section, ref string? problem)
    {
        if (certificate is null && (key ?? password) is not null)
        {
            problem ??= $"{section}:{(key is null ? "Password" : "Key")} is set, but {section}:Certificate names no certificate.";
            return null;
        }

        return Read($"{section}:Certificate", certificate, path => ReadOwn(path, key, password), ref problem);
    }

    /// <summary>Reads the authorities that must have issued the certificates of the other side.</summary>
    /// <param name="file">The file; null for none.</param>
    /// <param name="section">The prefix of the keys in messages.</param>
    /// <param name="problem">The problem and its place; null for none.</param>
    /// <returns>The certificates; null if there are none, or the file has an error.</returns>
    public static X509Certificate2Collection? ReadAuthorities(string? file, string section, ref string? problem) =>
        Read($"{section}:Authorities", file, ReadAuthorities, ref problem);

    /// <summary>Reads a file.</summary>
    /// <param name="key">The key that names the file.</param>
    /// <param name="path">The file; null for none.</param>
    /// <param name="read">Reads it.</param>
    /// <param name="problem">The problem and its place; null for none. An earlier problem stays.</param>
    public static T? Read<T>(string key, string? path, Func<string, T> read, ref string? problem)
        where T : class
    {
        if (path is null || problem is not null)
        {
            return null;
        }

        // The message of the TLS library is not a sentence.
        if (!File.Exists(path))
        {
            problem = ConfigurationTextFormatter.NoFile(key, path);
            return null;
        }

        try
        {
            return read(path);
        }
        catch (Exception exception)
            when (exception is CryptographicException or IOException or UnauthorizedAccessException or ArgumentException or CoapException)
        {
            problem = $"{key} = '{ConfigurationTextFormatter.OfFile(path)}': {exception.Message}";
            return null;
        }
    }

    private static OwnCertificate ReadOwn(string path, string? key, string? password)
    {
        byte[] content = RegularFile.ReadBytes(path, RegularFile.MaxLength);
        try
        {
            return ReadOwn(content, key, password);
        }
        finally
        {
            CryptographicOperations.ZeroMemory(content);
        }
    }

    private static OwnCertificate ReadOwn(byte[] content, string? key, string? password)
    {
        if (X509Certificate2.GetCertContentType(content) == X509ContentType.Pkcs12)
        {
            X509Certificate2Collection all = X509CertificateLoader.LoadPkcs12Collection(content, password);
            X509Certificate2 own = all.FirstOrDefault(static certificate => certificate.HasPrivateKey)
                ?? throw new CryptographicException("The file has no certificate with its private key.");
            all.Remove(own);
            return new OwnCertificate(own, all);
        }

        X509Certificate2Collection chain = [];
        string text = RegularFile.TextOf(content);
        string keyText = key is null ? text : RegularFile.ReadText(key);
        chain.ImportFromPem(text);
        X509Certificate2 certificate = password is null
            ? X509Certificate2.CreateFromPem(text, keyText)
            : X509Certificate2.CreateFromEncryptedPem(text, keyText, password);
        X509Certificate2Collection intermediates = [
            .. chain.Where(other => !other.RawDataMemory.Span.SequenceEqual(certificate.RawDataMemory.Span))];
        return new OwnCertificate(certificate, intermediates);
    }

    private static X509Certificate2Collection ReadAuthorities(string path)
    {
        X509Certificate2Collection authorities = [];
        authorities.ImportFromPem(RegularFile.ReadText(path));
        return authorities.Count > 0 ? authorities : throw new CryptographicException("The file has no certificate in PEM.");
    }
}
