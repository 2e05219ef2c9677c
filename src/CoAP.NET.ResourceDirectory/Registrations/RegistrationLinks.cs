using System.Text;
using CoAP.NET.ResourceDirectory.Lookups;
using CoAP.NET.ResourceDirectory.Serving;

namespace CoAP.NET.ResourceDirectory.Registrations;

/// <summary>The validated links of a registration (RFC 9176 appendix C).</summary>
/// <param name="Bytes">The links in link format, in normalized form.</param>
/// <param name="Count">The number of links.</param>
/// <param name="HasLinkLocal">Whether a full URI among them has a link-local address.</param>
internal sealed record RegistrationLinks(byte[] Bytes, int Count, bool HasLinkLocal)
{
    private const int ShownLength = 60;

    /// <summary>No links.</summary>
    public static RegistrationLinks None { get; } = new([], 0, HasLinkLocal: false);

    /// <summary>Parses and validates links.</summary>
    /// <param name="document">The document in link format.</param>
    /// <param name="maxLinks">The maximum number of links.</param>
    /// <param name="links">The links; null if they are refused.</param>
    /// <returns>The refusal; null for none.</returns>
    public static DirectoryRefusal? TryRead(ReadOnlySpan<byte> document, int maxLinks, out RegistrationLinks? links)
    {
        links = null;
        if (!CoapLinkFormat.TryParse(document, out IReadOnlyList<CoapLink> read, out CoapContentSyntaxError error, maxLinks))
        {
            return DirectoryRefusal.Bad($"The payload is not in link format: {error}");
        }

        bool hasLinkLocal = false;
        foreach (CoapLink link in read)
        {
            if (FaultOf(link.Target, ref hasLinkLocal) is { } ofTarget)
            {
                return DirectoryRefusal.Bad($"The target <{Shown(link.Target)}> {ofTarget}");
            }

            if (link.Anchor is { } anchor && FaultOf(anchor, ref hasLinkLocal) is { } ofAnchor)
            {
                return DirectoryRefusal.Bad($"The anchor '{Shown(anchor)}' {ofAnchor}");
            }

            if (link.Attributes.FirstOrDefault(static one => one.Value?.Any(char.IsControl) == true) is { Name: { } name })
            {
                return DirectoryRefusal.Bad($"The value of '{name}' of <{Shown(link.Target)}> has a line break or control character.");
            }
        }

        links = new RegistrationLinks(Encoding.UTF8.GetBytes(CoapLinkFormat.Format(read)), read.Count, hasLinkLocal);
        return null;
    }

    private static string? FaultOf(string reference, ref bool hasLinkLocal)
    {
        byte[] bytes = Encoding.UTF8.GetBytes(reference);
        if (!Utf8UriParser.IsLimited(bytes) || !RegistrationParameters.IsReference(reference))
        {
            return "is neither a full URI nor a path that begins with one slash (RFC 9176 appendix C). Write it in one of these forms.";
        }

        hasLinkLocal |= Utf8UriParser.IsLinkLocal(bytes);
        return Utf8UriParser.HasZone(bytes)
            ? "has a zone identifier, which is only valid on one host. Leave it out (RFC 9176 section 5)."
            : null;
    }

    private static string Shown(string text) =>
        new([.. text.Take(ShownLength).Select(static c => char.IsControl(c) ? '?' : c)]);
}
