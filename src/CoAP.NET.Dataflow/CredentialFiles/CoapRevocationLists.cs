using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.CredentialFiles;
using CoAP.NET.Files;

namespace CoAP.NET;

/// <summary>Certificate revocation lists (RFC 5280 section 5) from a file, for <c>coaps</c> and <c>coaps+tcp</c>.</summary>
/// <remarks>
/// The lists are checked in memory: a check fetches no URL. A list stays in force after its next update was due. An attacker who blocks
/// downloads therefore cannot readmit a revoked certificate. Immutable and thread-safe: load a new instance when the file has changed.
/// </remarks>
public sealed class CoapRevocationLists
{
    private readonly Dictionary<string, HashSet<string>> _serials = new(StringComparer.OrdinalIgnoreCase);

    private CoapRevocationLists(IEnumerable<RevocationListReader> lists)
    {
        foreach (RevocationListReader list in lists)
        {
            if (!_serials.TryGetValue(list.Issuer, out HashSet<string>? serials))
            {
                _serials.Add(list.Issuer, serials = new HashSet<string>(StringComparer.Ordinal));
            }

            serials.UnionWith(list.Serials);
            NextUpdate = list.NextUpdate is { } due && (NextUpdate is not { } earlier || due < earlier) ? due : NextUpdate;
        }

        Count = _serials.Values.Sum(static serials => serials.Count);
    }

    /// <summary>Number of revoked certificates.</summary>
    public int Count { get; }

    /// <summary>When the first of the lists should be replaced by a newer one; null if none says so.</summary>
    public DateTimeOffset? NextUpdate { get; }

    /// <summary>Reads the lists of a file, and verifies their signatures.</summary>
    /// <param name="file">PEM (<c>X509 CRL</c>) with one or more lists, or one in DER.</param>
    /// <param name="authorities">
    /// The authorities that must have signed the lists: each list needs one with its issuer's name and the key of its signature.
    /// </param>
    /// <returns>The lists.</returns>
    /// <exception cref="CoapCredentialException">
    /// The file is not readable, contains no list, or a list was not signed by one of the authorities, is a delta or an indirect list, or
    /// has an unsupported signature. Supported are ECDSA and RSA (PKCS #1) with SHA-256, SHA-384 or SHA-512.
    /// </exception>
    /// <exception cref="ArgumentException"><paramref name="file"/> is empty.</exception>
    public static CoapRevocationLists Load(string file, X509Certificate2Collection authorities)
    {
        ArgumentException.ThrowIfNullOrEmpty(file);
        ArgumentNullException.ThrowIfNull(authorities);
        if (!File.Exists(file))
        {
            throw new CoapCredentialException(file, 0, "There is no such file.");
        }

        try
        {
            return new CoapRevocationLists(ListsOf(RegularFile.ReadBytes(file, RegularFile.MaxListLength))
                .Select(list => RevocationListReader.Read(list, authorities)));
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or CryptographicException
            or System.Formats.Asn1.AsnContentException or ArgumentException or FormatException)
        {
            throw new CoapCredentialException(file, 0, $"No revocation list can be taken from it: {exception.Message}", exception);
        }
    }

    /// <summary>Whether a list names a certificate.</summary>
    /// <param name="certificate">The certificate. One that was disposed, because its connection has ended, counts as not revoked.</param>
    /// <returns>True if it is revoked.</returns>
    public bool IsRevoked(X509Certificate2 certificate)
    {
        ArgumentNullException.ThrowIfNull(certificate);
        try
        {
            return _serials.TryGetValue(certificate.IssuerName.Name, out HashSet<string>? serials)
                && serials.Contains(RevocationListReader.SerialOf(certificate.SerialNumberBytes.Span));
        }
        catch (CryptographicException) when (certificate.Handle == 0)
        {
            return false;
        }
    }

    /// <summary>Whether a list names any certificate of a chain.</summary>
    /// <param name="chain">A chain that was built.</param>
    /// <returns>True if one of them is revoked.</returns>
    public bool IsRevoked(X509Chain chain)
    {
        ArgumentNullException.ThrowIfNull(chain);
        return chain.ChainElements.Any(element => IsRevoked(element.Certificate));
    }

    private static List<byte[]> ListsOf(byte[] file)
    {
        const string Label = "X509 CRL";
        string text = System.Text.Encoding.ASCII.GetString(file);
        if (!text.Contains("-----BEGIN", StringComparison.Ordinal))
        {
            return [file];
        }

        List<byte[]> lists = [];
        ReadOnlySpan<char> rest = text;
        while (PemEncoding.TryFind(rest, out PemFields fields))
        {
            if (rest[fields.Label].SequenceEqual(Label))
            {
                lists.Add(Convert.FromBase64String(rest[fields.Base64Data].ToString()));
            }

            rest = rest[fields.Location.End..];
        }

        return lists.Count > 0 ? lists : throw new CryptographicException("The file has no list in PEM (BEGIN X509 CRL).");
    }
}
