using System.Buffers;
using CoAP.NET.ResourceDirectory.Lookups;
using CoAP.NET.ResourceDirectory.Observing;

namespace CoAP.NET.ResourceDirectory.Serving;

/// <summary>Handles lookups of endpoints and links (RFC 9176 section 6).</summary>
internal sealed class LookupHandlers(DirectoryServerState core)
{
    private static readonly TimeSpan s_whenScanning = TimeSpan.FromSeconds(5);

    private readonly LookupExecutor _run = core.Lookups;
    private readonly ObservedLookups _watches = core.AddWatches();

    // The largest response scans as many: beyond that, a lookup counts as a scan.
    private readonly long _mostOfShort = Math.Min(core.Options.Limits.MaxResults, core.Options.Limits.MaxScanned);

    public CoapResourceObserverLimits? FindTermsOfEndpoints(CoapRequestContext request) => _watches.FindTerms(request, ofLinks: false);

    public CoapResourceObserverLimits? FindTermsOfLinks(CoapRequestContext request) => _watches.FindTerms(request, ofLinks: true);

    public ValueTask<CoapResult> GetEndpointsAsync(CoapRequestContext request, CancellationToken cancellationToken) =>
        GetAsync(request, ofLinks: false, cancellationToken);

    public ValueTask<CoapResult> GetLinksAsync(CoapRequestContext request, CancellationToken cancellationToken) =>
        GetAsync(request, ofLinks: true, cancellationToken);

    private ValueTask<CoapResult> GetAsync(CoapRequestContext request, bool ofLinks, CancellationToken cancellationToken) =>
        core.IsLoaded ? GetLoadedAsync(request, ofLinks, cancellationToken)
            : request.IsForObservers ? GetWhenLoadedAsync(request, ofLinks, cancellationToken)
            : new ValueTask<CoapResult>(core.Loading());

    // For observers restored after a restart: an error as first notification would end their observations.
    private async ValueTask<CoapResult> GetWhenLoadedAsync(CoapRequestContext request, bool ofLinks, CancellationToken cancellationToken)
    {
        await core.WaitUntilLoadedAsync(cancellationToken).ConfigureAwait(false);
        return await GetLoadedAsync(request, ofLinks, cancellationToken).ConfigureAwait(false);
    }

    private ValueTask<CoapResult> GetLoadedAsync(CoapRequestContext request, bool ofLinks, CancellationToken cancellationToken)
    {
        core.Counts.Add(DirectoryCounterKind.Lookups);
        if (Lookup.TryRead(request.Queries, ofLinks, core.Options.Limits.MaxCriteriaPerLookup, out Lookup? lookup) is { } fault)
        {
            return new ValueTask<CoapResult>(Refused(request, fault));
        }

        ArrayBufferWriter<byte> answer = new(512);
        LookupProgress progress = _run.Begin(lookup!);
        if (_run.MayBeLong(progress))
        {
            // Also the first step takes its turn: it can cost as much as the others, whether it ends with results or a refusal.
            return request.IsForObservers || !core.Scans.HasCapacity(request.Peer.Source)
                ? new ValueTask<CoapResult>(TooMany())
                : ScanAsync(request, lookup!, answer, progress, cancellationToken);
        }

        LookupFault outcome = _run.Continue(lookup!, core.LinkTagOf(request), answer, progress, out _);
        return outcome == LookupFault.TooMuchWork
            ? ScanAsync(request, lookup!, answer, progress, cancellationToken)
            : new ValueTask<CoapResult>(ResultOf(request, lookup!, outcome, answer, isObservable: true));
    }

    private async ValueTask<CoapResult> ScanAsync(CoapRequestContext request, Lookup lookup, ArrayBufferWriter<byte> answer,
        LookupProgress progress, CancellationToken cancellationToken)
    {
        LookupFault outcome = await core.Scans.FinishAsync(
            request.Peer.Source, lookup, core.LinkTagOf(request), answer, progress, cancellationToken).ConfigureAwait(false);
        if (outcome == LookupFault.TooMuchWork)
        {
            return TooMany();
        }

        if (progress.Scanned > _mostOfShort)
        {
            core.Counts.Add(DirectoryCounterKind.Scans);
        }

        // To check the result of several steps for changes would take as long each time.
        return ResultOf(request, lookup, outcome, answer, isObservable: progress.Scanned <= core.Options.Limits.MaxScanned);
    }

    private CoapResult TooMany()
    {
        core.Counts.Add(DirectoryCounterKind.ScansRefused);
        return CoapResults.ServiceUnavailable(s_whenScanning);
    }

    private CoapResult ResultOf(
        CoapRequestContext request, Lookup lookup, LookupFault outcome, ArrayBufferWriter<byte> answer, bool isObservable)
    {
        if (outcome == LookupFault.TooManyResults)
        {
            return Refused(request, lookup.Count is null
                ? "There are more results than fit into a response. Request pages with page=0&count=10 and so on, or add criteria."
                : "There are more results than fit into a response. Request smaller pages with a smaller count.");
        }

        ReadOnlyMemory<byte> links = answer.WrittenMemory;
        CoapETag etag = CoapETag.FromContent(links.Span);
        CoapResult result = CoapResults.ValidOr(request, etag, () => CoapResults.Bytes(links, CoapContentFormat.LinkFormat));
        if (!request.IsForObservers && request.Options.Observe == 0
            && !(isObservable && _watches.TryReport(request, lookup.OfLinks, etag)))
        {
            // A client that cannot be notified of changes must not wait for them.
            result.DeclinesObserver = true;
        }

        return result;
    }

    private CoapResult Refused(CoapRequestContext request, string text)
    {
        core.Counts.Add(DirectoryCounterKind.LookupsRefused);
        return core.Refused(request, DirectoryRefusal.Bad(text));
    }
}
