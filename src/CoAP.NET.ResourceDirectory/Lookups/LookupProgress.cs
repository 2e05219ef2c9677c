namespace CoAP.NET.ResourceDirectory.Lookups;

/// <summary>The position of a lookup that continues later.</summary>
internal sealed class LookupProgress
{
    /// <summary>The way of scanning.</summary>
    public required LookupScanPlan Path { get; init; }

    /// <summary>The order of the next registration.</summary>
    public ulong From { get; set; }

    /// <summary>The number of results still to be skipped.</summary>
    public long Skipped { get; set; }

    /// <summary>The number of scanned registrations so far.</summary>
    public long Scanned { get; set; }

    /// <summary>The number of results so far.</summary>
    public long Found { get; set; }
}
