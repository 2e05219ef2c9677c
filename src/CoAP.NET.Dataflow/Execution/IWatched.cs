namespace CoAP.NET.Execution;

/// <summary>An object that a <see cref="Watchdog"/> checks.</summary>
internal interface IWatched
{
    /// <summary>Whether the watchdog must not sleep. Thread-safe.</summary>
    bool MustWatch { get; }

    /// <summary>Checks it once. Only the watchdog calls it.</summary>
    /// <param name="now">The time stamp of the system's clock.</param>
    /// <returns>Whether there was something to see.</returns>
    bool Look(long now);
}
