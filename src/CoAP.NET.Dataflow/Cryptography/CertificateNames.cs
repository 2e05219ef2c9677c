using System.Formats.Asn1;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Cryptography;

/// <summary>The alternative names of certificates, for checks of the host of a URI (RFC 7252 section 9.1.3.3).</summary>
internal static class CertificateNames
{
    /// <summary>The extended key usage serverAuth (RFC 5280 section 4.2.1.12).</summary>
    public const string ServerAuthentication = "1.3.6.1.5.5.7.3.1";

    /// <summary>The extended key usage clientAuth (RFC 5280 section 4.2.1.12).</summary>
    public const string ClientAuthentication = "1.3.6.1.5.5.7.3.2";

    private const string SubjectAlternativeName = "2.5.29.17";

    private static readonly Asn1Tag s_uri = new(TagClass.ContextSpecific, 6);

    /// <summary>
    /// Whether a certificate matches a name or an address: by dNSName, iPAddress, or the authority of a CoAP URI among its alternative
    /// names. Common names and wildcards do not count (RFC 7925 section 4.4.1).
    /// </summary>
    public static bool IsFor(X509Certificate2 leaf, string name)
    {
        try
        {
            return leaf.MatchesHostname(name, allowWildcards: false, allowCommonName: false) || HasUriOf(leaf, name);
        }
        catch (Exception exception) when (exception is ArgumentException or CryptographicException or AsnContentException)
        {
            // Not a possible name of a certificate, or unreadable alternative names.
            return false;
        }
    }

    /// <summary>Returns the names and addresses of a certificate as readable text.</summary>
    public static string Of(X509Certificate2 leaf)
    {
        try
        {
            string[] names = [.. leaf.Extensions.OfType<X509SubjectAlternativeNameExtension>()
                .SelectMany(static one =>
                    one.EnumerateDnsNames().Concat(one.EnumerateIPAddresses().Select(static address => address.ToString())))];
            return names.Length == 0 ? "no alternative name" : CoapUntrustedText.LineOf(string.Join(", ", names));
        }
        catch (CryptographicException)
        {
            return "unreadable alternative names";
        }
    }

    private static bool HasUriOf(X509Certificate2 leaf, string name)
    {
        if (leaf.Extensions.FirstOrDefault(static extension => extension.Oid?.Value == SubjectAlternativeName) is not { } names)
        {
            return false;
        }

        AsnReader reader = new AsnReader(names.RawData, AsnEncodingRules.DER).ReadSequence();
        while (reader.HasData)
        {
            if (!reader.PeekTag().HasSameClassAndValue(s_uri))
            {
                reader.ReadEncodedValue();
            }
            else if (Uri.TryCreate(reader.ReadCharacterString(UniversalTagNumber.IA5String, s_uri), UriKind.Absolute, out Uri? uri)
                && uri.Scheme.StartsWith("coap", StringComparison.OrdinalIgnoreCase)
                && string.Equals(uri.IdnHost, name, StringComparison.OrdinalIgnoreCase))
            {
                return true;
            }
        }

        return false;
    }
}
