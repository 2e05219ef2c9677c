namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>What happens to the store for all nodes.</summary>
internal sealed class StoreFaults
{
    /// <summary>How many answers of a hundred are lost while answers are lost.</summary>
    public const int LostAnswers = 20;

    /// <summary>How long a way takes at most, in milliseconds.</summary>
    public int Delay { get; set; } = 1;

    /// <summary>Whether nobody reaches it.</summary>
    public bool IsAway { get; set; }

    /// <summary>Whether it does what it is asked for, and sometimes nobody hears of it.</summary>
    public bool LosesAnswers { get; set; }
}
