namespace CoAP.NET.ResourceDirectory;

/// <summary>How far a look-up is that goes on in several steps.</summary>
internal sealed class LookUpProgress
{
    /// <summary>By what it goes.</summary>
    public required LookUpPath Path { get; init; }

    /// <summary>The order of the next registration.</summary>
    public ulong From { get; set; }

    /// <summary>How many results are still to be left out before the first one.</summary>
    public long Skipped { get; set; }

    /// <summary>How many results there are already.</summary>
    public long Found { get; set; }
}
