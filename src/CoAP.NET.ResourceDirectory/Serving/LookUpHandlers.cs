using System.Buffers;
using CoAP.NET.ResourceDirectory.LookUps;
using CoAP.NET.ResourceDirectory.Observing;

namespace CoAP.NET.ResourceDirectory.Serving;

/// <summary>Handles look-ups of endpoints and links (RFC 9176 section 6).</summary>
internal sealed class LookUpHandlers(DirectoryServerState core)
{
    private static readonly TimeSpan s_whenScanning = TimeSpan.FromSeconds(5);

    private readonly LookUpExecutor _run = core.LookUps;
    private readonly ObservedLookUps _watches = core.AddWatches();

    // The largest response scans as many: beyond that, a look-up counts as a scan.
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
        core.Counts.Add(DirectoryCounterKind.LookUps);
        if (LookUp.TryRead(request.Queries, ofLinks, core.Options.Limits.MaxCriteriaPerLookUp, out LookUp? lookUp) is { } fault)
        {
            return new ValueTask<CoapResult>(Refused(request, fault));
        }

        ArrayBufferWriter<byte> answer = new(512);
        LookUpProgress progress = _run.Begin(lookUp!);
        if (_run.MayBeLong(progress))
        {
            // Also the first step takes its turn: it can cost as much as the others, whether it ends with results or a refusal.
            return request.IsForObservers || !core.Scans.HasCapacity(request.Peer.Source)
                ? new ValueTask<CoapResult>(TooMany())
                : ScanAsync(request, lookUp!, answer, progress, cancellationToken);
        }

        LookUpFault outcome = _run.Continue(lookUp!, core.LinkTagOf(request), answer, progress, out _);
        return outcome == LookUpFault.TooMuchWork
            ? ScanAsync(request, lookUp!, answer, progress, cancellationToken)
            : new ValueTask<CoapResult>(ResultOf(request, lookUp!, outcome, answer, isObservable: true));
    }

    private async ValueTask<CoapResult> ScanAsync(CoapRequestContext request, LookUp lookUp, ArrayBufferWriter<byte> answer,
        LookUpProgress progress, CancellationToken cancellationToken)
    {
        LookUpFault outcome = await core.Scans.FinishAsync(
            request.Peer.Source, lookUp, core.LinkTagOf(request), answer, progress, cancellationToken).ConfigureAwait(false);
        if (outcome == LookUpFault.TooMuchWork)
        {
            return TooMany();
        }

        if (progress.Scanned > _mostOfShort)
        {
            core.Counts.Add(DirectoryCounterKind.Scans);
        }

        // To check the result of several steps for changes would take as long each time.
        return ResultOf(request, lookUp, outcome, answer, isObservable: progress.Scanned <= core.Options.Limits.MaxScanned);
    }

    private CoapResult TooMany()
    {
        core.Counts.Add(DirectoryCounterKind.ScansRefused);
        return CoapResults.ServiceUnavailable(s_whenScanning);
    }

    private CoapResult ResultOf(
        CoapRequestContext request, LookUp lookUp, LookUpFault outcome, ArrayBufferWriter<byte> answer, bool isObservable)
    {
        if (outcome == LookUpFault.TooManyResults)
        {
            return Refused(request, lookUp.Count is null
                ? "There are more results than fit into a response. Request pages with page=0&count=10 and so on, or add criteria."
                : "There are more results than fit into a response. Request smaller pages with a smaller count.");
        }

        ReadOnlyMemory<byte> links = answer.WrittenMemory;
        CoapETag etag = CoapETag.FromContent(links.Span);
        CoapResult result = CoapResults.ValidOr(request, etag, () => CoapResults.Bytes(links, CoapContentFormat.LinkFormat));
        if (!request.IsForObservers && request.Options.Observe == 0
            && !(isObservable && _watches.TryReport(request, lookUp.OfLinks, etag)))
        {
            // A client that cannot be notified of changes must not wait for them.
            result.DeclinesObserver = true;
        }

        return result;
    }

    private CoapResult Refused(CoapRequestContext request, string text)
    {
        core.Counts.Add(DirectoryCounterKind.LookUpsRefused);
        return core.Refused(request, DirectoryRefusal.Bad(text));
    }
}
