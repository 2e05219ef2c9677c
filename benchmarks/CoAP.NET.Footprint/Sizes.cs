namespace CoAP.NET.Footprint;

/// <summary>How much is measured.</summary>
internal sealed record Sizes
{
    /// <summary>Whether everything is so small that it shows nothing but whether it works.</summary>
    public bool IsSelfCheck { get; init; }

    /// <summary>Whether ten million peers are asked for.</summary>
    public bool IsLarge { get; init; }

    /// <summary>How long the rows with processes run; null for their own times.</summary>
    public int? Seconds { get; init; }

    /// <summary>How many registrations directories have; null for the normal size.</summary>
    public int? Registrations { get; init; }

    /// <summary>Where the file of a directory is kept; null for one that is deleted afterwards.</summary>
    public string? File { get; init; }

    /// <summary>The normal size, or the one of the self-check.</summary>
    public T Of<T>(T normal, T selfCheck) => IsSelfCheck ? selfCheck : normal;
}
