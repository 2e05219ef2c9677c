using System.Globalization;
using System.Text;

namespace CoAP.NET.ResourceDirectory.Lookups;

/// <summary>A lookup: criteria, and the requested page of the matches (RFC 9176 section 6).</summary>
internal sealed class Lookup
{
    private Lookup(bool ofLinks, IReadOnlyList<LookupCriterion> criteria) => (OfLinks, Criteria) = (ofLinks, criteria);

    /// <summary>Whether the lookup is for links; otherwise for endpoints.</summary>
    public bool OfLinks { get; }

    /// <summary>The criteria; all must match.</summary>
    public IReadOnlyList<LookupCriterion> Criteria { get; }

    /// <summary>The maximum number of requested results; null for all.</summary>
    public long? Count { get; private set; }

    /// <summary>The number of skipped results.</summary>
    public long Skipped { get; private set; }

    /// <summary>Parses the arguments of a request.</summary>
    /// <param name="queries">The arguments.</param>
    /// <param name="ofLinks">Whether the lookup is for links; otherwise for endpoints.</param>
    /// <param name="maxCriteria">The maximum number of criteria.</param>
    /// <param name="lookup">The lookup; null after an error.</param>
    /// <returns>The error; null for none.</returns>
    public static string? TryRead(IEnumerable<string> queries, bool ofLinks, int maxCriteria, out Lookup? lookup)
    {
        lookup = null;
        List<LookupCriterion> criteria = [];
        (long? page, long? count) = (null, null);
        foreach (string query in queries)
        {
            int at = query.IndexOf('=', StringComparison.Ordinal);
            if (at <= 0)
            {
                return $"'{query}' is not a criterion. Use name=value, or name=beginning* (RFC 9176 section 6.2).";
            }

            string name = query[..at];
            string value = query[(at + 1)..];
            if (name is "page" or "count")
            {
                ref long? number = ref name == "page" ? ref page : ref count;
                if (number is not null || !TryReadNumber(value, out number))
                {
                    return $"'{query}' is not valid. Give {name} once, as a number from 0 to {uint.MaxValue} (RFC 9176 section 6.2).";
                }

                continue;
            }

            if (criteria.Count == maxCriteria)
            {
                return $"There are more than {maxCriteria} criteria. Remove some.";
            }

            bool isPrefix = value.EndsWith('*');
            criteria.Add(new LookupCriterion(
                Encoding.UTF8.GetBytes(name), Encoding.UTF8.GetBytes(isPrefix ? value[..^1] : value), isPrefix, ofLinks));
        }

        if (page is not null && count is null)
        {
            return "page requires count, the number of results per page. Use for example page=0&count=10 (RFC 9176 section 6.2).";
        }

        ulong skipped = (ulong)(page ?? 0) * (ulong)(count ?? 0);
        lookup = new Lookup(ofLinks, criteria) { Count = count, Skipped = (long)Math.Min(skipped, long.MaxValue) };
        return null;
    }

    private static bool TryReadNumber(string text, out long? number)
    {
        bool isNumber = uint.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out uint read);
        number = isNumber ? read : null;
        return isNumber;
    }
}
