namespace CoAP.NET.ResourceDirectory.Clients;

/// <summary>
/// The known state of a registration at a directory. The location is stored option by option, as the directory returned it: empty segments
/// and slashes within them count.
/// </summary>
internal sealed record KnownRegistration
{
    /// <summary>The URI for registrations.</summary>
    public required CoapUri RegistrationUri { get; init; }

    /// <summary>The segments of its location; empty if the directory returned none.</summary>
    public required IReadOnlyList<ReadOnlyMemory<byte>> Path { get; init; }

    /// <summary>The arguments of its location, which should be empty (RFC 9176 section 5).</summary>
    public required IReadOnlyList<ReadOnlyMemory<byte>> Query { get; init; }

    /// <summary>The location, human-readable.</summary>
    public required string? Location { get; init; }

    /// <summary>The registered base; null for none.</summary>
    public required string? Base { get; init; }

    /// <summary>The registered links, as a document.</summary>
    public required byte[] Links { get; init; }

    /// <summary>The time of its request, by the monotonic clock.</summary>
    public required long Since { get; init; }

    /// <summary>The same time by the wall clock, which continues while a machine sleeps.</summary>
    public required DateTimeOffset SinceWall { get; init; }

    /// <summary>The time from then to its refresh.</summary>
    public required TimeSpan RefreshAfter { get; init; }

    /// <summary>Whether it can be refreshed; otherwise the endpoint registers again each time.</summary>
    public bool HasLocation => Path.Count > 0;

    /// <summary>Returns its age, the longer one of the two clocks.</summary>
    public TimeSpan AgeBy(TimeProvider time)
    {
        TimeSpan passed = time.GetElapsedTime(Since);
        TimeSpan wall = time.GetUtcNow() - SinceWall;
        return passed > wall ? passed : wall;
    }
}
