namespace CoAP.NET.Cluster;

/// <summary>When a node is asked again where it hears. Its owner locks.</summary>
internal sealed class RelayNeighbour
{
    /// <summary>Whether it is being asked.</summary>
    public bool IsAsking { get; set; }

    /// <summary>From when on it is asked again, as a timestamp.</summary>
    public long AsksAt { get; set; } = long.MinValue;

    /// <summary>How often it said nothing of use.</summary>
    public int Tries { get; set; }

    /// <summary>How often it was asked by UDP since, and did not answer there.</summary>
    public int Questions { get; set; }
}
