namespace CoAP.NET.Survival.Scenarios;

/// <summary>What must hold after something has happened to a site.</summary>
internal sealed record SiteGoals
{
    /// <summary>Whether no device makes a new handshake or gets an error. Default true.</summary>
    public bool KeepsSessions { get; init; } = true;

    /// <summary>Whether no unsafe request runs twice, as all nodes finish what they have begun. Default false.</summary>
    public bool RunsOnce { get; init; }

    /// <summary>Whether no slot gets another owner, as no node ends. Default false.</summary>
    public bool KeepsSlots { get; init; }

    /// <summary>The longest wait for an answer of 99 % of the devices, in seconds. Default 4.</summary>
    public double MostWait { get; init; } = 4;

    /// <summary>The longest wait of all, in seconds. Default 10.</summary>
    public double WorstWait { get; init; } = 10;
}
