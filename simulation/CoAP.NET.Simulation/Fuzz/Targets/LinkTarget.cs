namespace CoAP.NET.Simulation.Fuzz;

/// <summary>Link format (RFC 6690): what is read is written so that it is read again as the same.</summary>
internal sealed class LinkTarget : ContentTarget
{
    private static readonly string[] s_queries = ["rt=temperature*", "href=/sensors*", "if=*", "ct=40"];

    public override int Share => 1500;

    public override IReadOnlyList<byte[]> Dictionary { get; } = Words(
        "<", ">", "</a>", ",<", ";", "=", "\"", "\\\"", ";rt=\"a b\"", ";if=\"s\"", ";ct=40", ";ct=\"0 40\"", ";sz=1024", ";obs",
        ";title*=UTF-8'en'%e2%82%ac", ";title=\"t\"", ";rel=\"hosts\"", ";rev=next",
        ";anchor=\"coap://h/\"", ";hreflang=de", ";media=all", ";type=text/plain", ",", " ", "\\", "\r\n ", "\u00e2\u0082\u00ac", "*");

    public override ulong Run(byte[] input)
    {
        BeginMeter(factor: 160);
        bool isRead = CoapLinkFormat.TryParse(input.AsSpan(), out IReadOnlyList<CoapLink> links, out CoapContentSyntaxError error);
        EndMeter(input.Length, "Reading link format");
        if (!isRead)
        {
            Check(error.Offset >= 0 && error.Offset <= input.Length && error.Message.Length > 0, "error", $"{error} for {input.Length} B.");
            return (ulong)error.Message.Length << 8;
        }

        string text = IsPlanted("link") && links.Count > 2 ? CoapLinkFormat.Format(links.Skip(1)) : CoapLinkFormat.Format(links);
        Check(CoapLinkFormat.TryParse(text, out IReadOnlyList<CoapLink> again, out error), "written",
            $"{text} was written and is none: {error}");
        ulong signature = (ulong)links.Count;
        Check(again.Count == links.Count, "written", $"{links.Count} links are {again.Count} when they are read again.");
        for (int i = 0; i < links.Count; i++)
        {
            CoapLink link = links[i];
            Check(link.Target == again[i].Target && link.Attributes.SequenceEqual(again[i].Attributes), "written",
                $"{link} is read as {again[i]}.");
            _ = (link.Relations.Count, link.ResourceTypes.Count, link.Interfaces.Count, link.ContentFormats.Count, link.Size, link.Title,
                link.Anchor, link.IsObservable);
            _ = link.ResolveTarget("coap://[2001:db8::1]/a/b").Length + link.ResolveContext("coap://h").Length;
            foreach (string query in s_queries)
            {
                signature = (signature << 1) | (CoapLinkFormat.Matches(link, query) ? 1u : 0);
            }

            signature = FuzzRandom.Mix(signature, (ulong)Math.Min(link.Attributes.Count, 8));
        }

        // A document of bytes that are UTF-8 is the same as its text.
        Check(CoapLinkFormat.TryParse(Encoding.UTF8.GetString(input), out IReadOnlyList<CoapLink> fromText, out _)
            && fromText.Count == links.Count, "text", "As text it is something else.");
        return signature;
    }
}
