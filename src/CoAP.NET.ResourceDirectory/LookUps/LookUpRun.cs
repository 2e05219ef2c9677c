using System.Buffers;

namespace CoAP.NET.ResourceDirectory;

/// <summary>Carries out look-ups: goes by the criterion that the fewest registrations have, and looks at each of those.</summary>
/// <param name="index">All registrations.</param>
/// <param name="locations">Where they are.</param>
/// <param name="bounds">How far it may go.</param>
internal sealed class LookUpRun(DirectoryIndex index, DirectoryLocations locations, LookUpBounds bounds)
{
    private const int AtATime = 64;

    /// <summary>Carries one out.</summary>
    /// <param name="lookUp">What is looked up.</param>
    /// <param name="linkTag">The link that the client is on; 0 where that is not known.</param>
    /// <param name="answer">Where the links go.</param>
    /// <returns>Why there is no answer.</returns>
    public LookUpFault Run(LookUp lookUp, ulong linkTag, ArrayBufferWriter<byte> answer) => Run(lookUp, linkTag, answer, out _);

    /// <summary>Carries one out.</summary>
    /// <param name="lookUp">What is looked up.</param>
    /// <param name="linkTag">The link that the client is on; 0 where that is not known.</param>
    /// <param name="answer">Where the links go.</param>
    /// <param name="seen">How many registrations it looked at.</param>
    /// <returns>Why there is no answer.</returns>
    public LookUpFault Run(LookUp lookUp, ulong linkTag, ArrayBufferWriter<byte> answer, out int seen)
    {
        seen = 0;
        if (lookUp.Count == 0)
        {
            return LookUpFault.None;
        }

        index.EndLifetimes();
        LookUpTerm? term = ChooseTerm(lookUp, out bool isAll);
        LookUpResults results = new(lookUp, linkTag, bounds, locations, answer);
        ulong from = 0;
        if (isAll)
        {
            long skipped = results.Skipped;
            from = index.Skip(term, ref skipped, lookUp.OfLinks);
            results.Skipped = skipped;
        }

        DirectoryEntry[] some = ArrayPool<DirectoryEntry>.Shared.Rent(AtATime);
        try
        {
            // Where a page is small most of what is read would be for nothing.
            int wanted = results.Skipped != 0 ? AtATime : (int)Math.Clamp(lookUp.Count ?? AtATime, 4, AtATime);
            while (true)
            {
                int count = index.Read(term, ref from, some.AsSpan(0, wanted));
                seen += count;
                for (int i = 0; i < count; i++)
                {
                    results.Add(some[i]);
                    if (results.IsComplete)
                    {
                        return results.Fault;
                    }
                }

                if (count < wanted)
                {
                    return LookUpFault.None;
                }

                if (seen >= bounds.MaxScanned)
                {
                    return LookUpFault.TooMuchWork;
                }

                wanted = AtATime;
            }
        }
        finally
        {
            ArrayPool<DirectoryEntry>.Shared.Return(some, clearArray: true);
        }
    }

    /// <summary>Whether the result of a look-up may be another one after a change. That of a page may be by anything before it, too, which
    /// matches as well.</summary>
    /// <param name="lookUp">The look-up.</param>
    /// <param name="change">The change.</param>
    public bool MayMatch(LookUp lookUp, in DirectoryChange change) =>
        (change.Before is { } before && MayMatch(lookUp, before)) || (change.After is { } after && MayMatch(lookUp, after));

    private bool MayMatch(LookUp lookUp, Registration registration)
    {
        Span<byte> location = stackalloc byte[locations.Length];
        location.Clear();
        ReadOnlySpan<byte> origin = UriText.OriginOf(registration.Base);
        foreach (LookUpCriterion criterion in lookUp.Criteria)
        {
            bool matches = criterion.IsOfLocations || criterion.MatchesEndpoint(registration, location);
            LinkText links = new(registration.Links);
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

    // The criterion that the fewest registrations have; and whether all that it leads to matches.
    private LookUpTerm? ChooseTerm(LookUp lookUp, out bool isAll)
    {
        LookUpTerm? best = null;
        int fewest = int.MaxValue;
        int others = 0;
        foreach (LookUpCriterion criterion in lookUp.Criteria)
        {
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

        isAll = others == 0 || (others == 1 && best is not null);
        return best;
    }
}
