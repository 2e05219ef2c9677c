namespace CoAP.NET.Directories;

/// <summary>What a directory has of an endpoint, as far as is known here. The location is kept option by option, as the directory gave it:
/// empty segments and slashes within them count.</summary>
internal sealed record RegistrationGrant
{
    /// <summary>Where it was registered.</summary>
    public required CoapUri Place { get; init; }

    /// <summary>The segments of its location; none when the directory gave none.</summary>
    public required IReadOnlyList<ReadOnlyMemory<byte>> Path { get; init; }

    /// <summary>The arguments of its location, which should have none (RFC 9176 section 5).</summary>
    public required IReadOnlyList<ReadOnlyMemory<byte>> Query { get; init; }

    /// <summary>The same for people.</summary>
    public required string? Location { get; init; }

    /// <summary>The base that was registered; null for none.</summary>
    public required string? Base { get; init; }

    /// <summary>The links that were registered, as a document.</summary>
    public required byte[] Links { get; init; }

    /// <summary>When the request was sent that it goes back to, by the clock that never jumps.</summary>
    public required long Since { get; init; }

    /// <summary>The same by the wall clock, which goes on while a machine sleeps.</summary>
    public required DateTimeOffset SinceWall { get; init; }

    /// <summary>How long after that it is refreshed.</summary>
    public required TimeSpan RefreshAfter { get; init; }

    /// <summary>Whether it can be refreshed, or has to be registered anew each time.</summary>
    public bool HasLocation => Path.Count > 0;

    /// <summary>How long it stands already; the longer of what the two clocks say.</summary>
    /// <param name="time">The clocks.</param>
    public TimeSpan AgeBy(TimeProvider time)
    {
        TimeSpan passed = time.GetElapsedTime(Since);
        TimeSpan wall = time.GetUtcNow() - SinceWall;
        return passed > wall ? passed : wall;
    }
}
