using System.Text;

namespace CoAP.NET.ResourceDirectory;

/// <summary>The links of a registration, checked (RFC 9176 appendix C).</summary>
/// <param name="Bytes">The links in link format, written anew.</param>
/// <param name="Count">How many they are.</param>
/// <param name="HasLinkLocal">Whether a full URI among them has a link-local address.</param>
internal sealed record RegistrationLinks(byte[] Bytes, int Count, bool HasLinkLocal)
{
    private const int ShownLength = 60;

    /// <summary>No links.</summary>
    public static RegistrationLinks None { get; } = new([], 0, HasLinkLocal: false);

    /// <summary>Reads and checks links.</summary>
    /// <param name="document">The document in link format.</param>
    /// <param name="maxLinks">How many there may be.</param>
    /// <param name="links">The links; null when they are refused.</param>
    /// <returns>Why they are refused; null when they are not.</returns>
    public static DirectoryRefusal? TryRead(ReadOnlySpan<byte> document, int maxLinks, out RegistrationLinks? links)
    {
        links = null;
        if (!CoapLinkFormat.TryParse(document, out IReadOnlyList<CoapLink> read, out CoapLinkFormatError error, maxLinks))
        {
            return DirectoryRefusal.Bad($"The payload is no link format: {error}");
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
        if (!UriText.IsLimited(bytes) || !RegistrationParameters.IsReference(reference))
        {
            return "is neither a full URI nor a path that begins with one slash (RFC 9176 appendix C). Write it in one of these forms.";
        }

        hasLinkLocal |= UriText.IsLinkLocal(bytes);
        return UriText.HasZone(bytes)
            ? "has a zone identifier, which means something on one host only. Leave it out (RFC 9176 section 5)."
            : null;
    }

    private static string Shown(string text) =>
        new([.. text.Take(ShownLength).Select(static c => char.IsControl(c) ? '?' : c)]);
}
