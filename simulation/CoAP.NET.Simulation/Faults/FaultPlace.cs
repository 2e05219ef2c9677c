namespace CoAP.NET.Simulation.Faults;

/// <summary>A place at which the library calls code of a user, and what follows when that throws.</summary>
/// <param name="Name">The place.</param>
/// <param name="Effect">What the one who is hit sees.</param>
/// <param name="Counter">Where it is counted; null where the caller gets the exception itself.</param>
/// <param name="LogId">Under which id it is logged; 0 where it is not.</param>
/// <param name="ProbeAsync">Has a fault hit a client, and looks at what came of it.</param>
internal sealed record FaultPlace(string Name, string Effect, CoapCounter? Counter, int LogId, Func<FaultProbe, Task> ProbeAsync)
{
    /// <summary>Whether the client counts and logs it, and not the server.</summary>
    public bool IsOfClient { get; init; }

    /// <summary>Whether the entry of the log has no exception.</summary>
    public bool IsAnonymous { get; init; }

    /// <summary>Where it is tried; null for every scheme.</summary>
    public string? Scheme { get; init; }

    /// <summary>What is said of the log where nobody could look for the entry.</summary>
    public string? LogNote { get; init; }
}
