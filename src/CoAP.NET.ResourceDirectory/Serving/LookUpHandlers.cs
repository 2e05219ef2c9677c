using System.Buffers;

namespace CoAP.NET.ResourceDirectory;

/// <summary>Look-ups of endpoints and links (RFC 9176 section 6).</summary>
/// <param name="core">The directory.</param>
internal sealed class LookUpHandlers(DirectoryCore core)
{
    private readonly LookUpRun _run = core.LookUps;
    private readonly DirectoryWatches _watches = core.AddWatches();

    /// <summary>Who may observe endpoints.</summary>
    public CoapObserverTerms? FindTermsOfEndpoints(CoapRequest request) => _watches.FindTerms(request, ofLinks: false);

    /// <summary>Who may observe links.</summary>
    public CoapObserverTerms? FindTermsOfLinks(CoapRequest request) => _watches.FindTerms(request, ofLinks: true);

    /// <summary>GET of endpoints.</summary>
    public CoapResult GetEndpoints(CoapRequest request) => Get(request, ofLinks: false);

    /// <summary>GET of links.</summary>
    public CoapResult GetLinks(CoapRequest request) => Get(request, ofLinks: true);

    private CoapResult Get(CoapRequest request, bool ofLinks)
    {
        core.Counts.Add(DirectoryCount.LookUps);
        if (LookUp.TryRead(request.Queries, ofLinks, core.Options.MaxCriteriaPerLookUp, out LookUp? lookUp) is { } fault)
        {
            return Refused(request, fault);
        }

        ArrayBufferWriter<byte> answer = new(512);
        switch (_run.Run(lookUp!, core.LinkTagOf(request), answer))
        {
            case LookUpFault.TooManyResults:
                return Refused(request, lookUp!.Count is null
                    ? "There are more results than fit an answer. Ask for pages, by page=0&count=10 and so on, or add criteria."
                    : "There are more results than fit an answer. Ask for smaller pages by a smaller count.");
            case LookUpFault.TooMuchWork:
                return Refused(request, $"This look-up would go through more than {core.Options.MaxScanned} registrations. Add a criterion "
                    + "with a value in full, without a star: ep, d, base, et, rt or if.");
        }

        ReadOnlyMemory<byte> links = answer.WrittenMemory;
        CoapETag etag = CoapETag.FromContent(links.Span);
        CoapResult result = CoapResults.ValidOr(request, etag, () => CoapResults.Bytes(links, CoapContentFormat.LinkFormat));
        if (!request.IsForObservers && request.Options.Observe == 0 && !_watches.TryTell(request, ofLinks, etag))
        {
            // Whoever cannot be told of changes is not to wait for them.
            result.DeclinesObserver = true;
        }

        return result;
    }

    private CoapResult Refused(CoapRequest request, string text)
    {
        core.Counts.Add(DirectoryCount.LookUpsRefused);
        return core.Refused(request, DirectoryRefusal.Bad(text));
    }
}
