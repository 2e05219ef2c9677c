using System.Buffers;
using CoAP.NET.ResourceDirectory.Index;
using CoAP.NET.ResourceDirectory.Registrations;

namespace CoAP.NET.ResourceDirectory.Lookups;

/// <summary>Executes lookups: follows the criterion with the fewest registrations, and checks each of those.</summary>
internal sealed class LookupExecutor(DirectoryIndex index, DirectoryLocations locations, LookupLimits bounds)
{
    private const int AtATime = 64;

    /// <summary>Executes a lookup.</summary>
    /// <param name="lookup">The lookup.</param>
    /// <param name="linkTag">The network link of the client; 0 for an unknown one.</param>
    /// <param name="answer">Receives the links.</param>
    /// <returns>The reason why there is no response.</returns>
    public LookupFault Run(Lookup lookup, ulong linkTag, ArrayBufferWriter<byte> answer) => Run(lookup, linkTag, answer, out _);

    /// <summary>Executes a lookup.</summary>
    /// <param name="lookup">The lookup.</param>
    /// <param name="linkTag">The network link of the client; 0 for an unknown one.</param>
    /// <param name="answer">Receives the links.</param>
    /// <param name="seen">The number of scanned registrations.</param>
    /// <returns>The reason why there is no response.</returns>
    public LookupFault Run(Lookup lookup, ulong linkTag, ArrayBufferWriter<byte> answer, out int seen) =>
        Continue(lookup, linkTag, answer, Begin(lookup), out seen);

    /// <summary>Starts a lookup that may take several steps.</summary>
    public LookupProgress Begin(Lookup lookup)
    {
        index.EndLifetimes();
        LookupScanPlan path = Choose(lookup);
        long skipped = lookup.Skipped;
        ulong from = path.IsAll ? index.Skip(path.Term, ref skipped, lookup.OfLinks) : path.Places.First;
        return new LookupProgress { Path = path, From = from, Skipped = skipped };
    }

    /// <summary>Whether a lookup may have to scan more registrations than allowed in one step.</summary>
    public bool MayBeLong(LookupProgress progress)
    {
        if (!progress.Path.IsAll)
        {
            return CandidatesOf(progress.Path) > bounds.MaxScanned;
        }

        // Where all match, each scanned registration is a result, except for those that may be hidden from the client. They also prevent
        // that earlier pages are skipped by counts.
        long hidden = index.CountResults(progress.Path.Term, ofLinks: false).Hidden;
        return hidden > bounds.MaxScanned || (hidden > 0 && progress.Skipped > bounds.MaxScanned);
    }

    /// <summary>Executes one step of a lookup, over at most the allowed number of registrations.</summary>
    /// <param name="lookup">The lookup.</param>
    /// <param name="linkTag">The network link of the client; 0 for an unknown one.</param>
    /// <param name="answer">Receives the links.</param>
    /// <param name="progress">Its progress.</param>
    /// <param name="seen">The number of scanned registrations.</param>
    /// <returns><see cref="LookupFault.TooMuchWork"/> if there are more registrations to scan; otherwise the reason why there is no
    /// response.</returns>
    public LookupFault Continue(Lookup lookup, ulong linkTag, ArrayBufferWriter<byte> answer, LookupProgress progress, out int seen)
    {
        seen = 0;
        LookupScanPlan path = progress.Path;
        if (lookup.Count == 0 || path.Places.IsEmpty)
        {
            return LookupFault.None;
        }

        if (path.IsAll && progress.Scanned == 0 && HasTooManyResults(lookup, path))
        {
            return LookupFault.TooManyResults;
        }

        LookupResponseWriter results = new(lookup, linkTag, bounds, locations, answer, progress);
        ulong from = progress.From;
        DirectoryEntry[] some = ArrayPool<DirectoryEntry>.Shared.Rent(AtATime);
        try
        {
            // For a small page most of a large read would be useless.
            int wanted = progress.Skipped != 0 ? AtATime : (int)Math.Clamp(lookup.Count ?? AtATime, 4, AtATime);
            while (true)
            {
                int count = index.Read(path.Term, ref from, some.AsSpan(0, wanted));
                seen += count;
                progress.Scanned += count;
                for (int i = 0; i < count; i++)
                {
                    if (some[i].Order > path.Places.Last)
                    {
                        return LookupFault.None;
                    }

                    results.Add(some[i]);
                    if (results.IsComplete)
                    {
                        return results.Fault;
                    }
                }

                if (count < wanted)
                {
                    return LookupFault.None;
                }

                if (seen >= bounds.MaxScanned)
                {
                    progress.From = from;
                    return LookupFault.TooMuchWork;
                }

                wanted = AtATime;
            }
        }
        finally
        {
            ArrayPool<DirectoryEntry>.Shared.Return(some, clearArray: true);
        }
    }

    /// <summary>Whether a change may affect the result of a lookup. Earlier matches affect a page, too.</summary>
    public bool MayMatch(Lookup lookup, in DirectoryChange change) =>
        (change.Before is { } before && MayMatch(lookup, before)) || (change.After is { } after && MayMatch(lookup, after));

    private bool MayMatch(Lookup lookup, Registration registration)
    {
        Span<byte> location = stackalloc byte[locations.Length];
        location.Clear();
        ReadOnlySpan<byte> origin = Utf8UriParser.OriginOf(registration.Base);
        foreach (LookupCriterion criterion in lookup.Criteria)
        {
            bool matches = criterion.IsOfLocations || criterion.MatchesEndpoint(registration, location);
            LinkFormatEnumerator links = new(registration.Links);
            while (!matches && links.MoveNext())
            {
                matches = criterion.MatchesLink(links, origin);
            }

            if (!matches)
            {
                return false;
            }
        }

        return true;
    }

    // Known without reading a registration, and without writing results for nothing.
    private bool HasTooManyResults(Lookup lookup, LookupScanPlan path) => (lookup.Count ?? long.MaxValue) > bounds.MaxResults
        && index.CountResults(path.Term, lookup.OfLinks).Certain - lookup.Skipped > bounds.MaxResults;

    // Keys are hashes, so the registrations are spread evenly over the order of all.
    private double CandidatesOf(LookupScanPlan path)
    {
        int count = path.Term is { } term ? index.CountOf(term.Name.Span, term.Value.Span) : index.ActiveCount;
        return path.Places.IsEmpty ? 0 : count * ((double)(path.Places.Last - path.Places.First) / ulong.MaxValue);
    }

    // Chooses the criterion with the fewest registrations, the range that all criteria leave, and whether everything in it matches.
    private LookupScanPlan Choose(Lookup lookup)
    {
        LookupTerm? best = null;
        int fewest = int.MaxValue;
        int others = 0;
        LocationPrefixRange places = LocationPrefixRange.All;
        foreach (LookupCriterion criterion in lookup.Criteria)
        {
            LocationPrefixRange range = criterion.RangeOf(locations);
            places = places.And(range);
            if (criterion.IsOfAllEndpoints)
            {
                continue;
            }

            others++;
            if (criterion.Term is { } term && index.CountOf(term.Name.Span, term.Value.Span) is var count && count < fewest)
            {
                (best, fewest) = (term, count);
            }
        }

        return new LookupScanPlan(best, places, others == 0 || (others == 1 && best is not null));
    }
}
