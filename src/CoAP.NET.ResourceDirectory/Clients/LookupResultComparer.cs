namespace CoAP.NET.ResourceDirectory.Clients;

/// <summary>Computes the changes from one response of a lookup to the next. Pure.</summary>
internal sealed class LookupResultComparer
{
    private Dictionary<(string Key, int Copy), (CoapLink Link, string Text)> _known = [];

    /// <summary>Processes the next response.</summary>
    /// <param name="links">Its links; targets are absolute.</param>
    /// <returns>The changes: first removed results, then the rest in the order of the response.</returns>
    public List<(CoapDirectoryChangeKind Kind, CoapLink Link)> Take(IReadOnlyList<CoapLink> links)
    {
        Dictionary<(string, int), (CoapLink, string)> now = new(links.Count);
        Dictionary<string, int> copies = new(links.Count, StringComparer.Ordinal);
        List<(CoapDirectoryChangeKind, CoapLink)> arrived = [];
        foreach (CoapLink link in links)
        {
            // Two endpoints may register the same link: only their numbers distinguish the copies.
            string key = KeyOf(link);
            int copy = copies[key] = copies.GetValueOrDefault(key) + 1;
            string text = link.ToString();
            now[(key, copy)] = (link, text);
            if (!_known.Remove((key, copy), out (CoapLink Link, string Text) before))
            {
                arrived.Add((CoapDirectoryChangeKind.Added, link));
            }
            else if (before.Text != text)
            {
                arrived.Add((CoapDirectoryChangeKind.Changed, link));
            }
        }

        List<(CoapDirectoryChangeKind, CoapLink)> changes =
            [.. _known.Values.Select(static went => (CoapDirectoryChangeKind.Removed, went.Link)), .. arrived];
        _known = now;
        return changes;
    }

    // A link is a relation between a context and a target (RFC 8288 section 2); the rest describes it.
    private static string KeyOf(CoapLink link) => $"{link.Target} {link.Anchor} {link.GetValue("rel")}";
}
