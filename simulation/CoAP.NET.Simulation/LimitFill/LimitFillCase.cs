using CoAP.NET.Diagnostics;

namespace CoAP.NET.Simulation.LimitFill;

/// <summary>A bound of the endpoint, and the traffic by which sources fill it and keep it full.</summary>
/// <param name="Name">Its word on the command line.</param>
/// <param name="Held">What is held, and the bound.</param>
/// <param name="How">What each source does.</param>
/// <param name="Configure">Sets the bounds; those that it lowers are said in <see cref="Scaled"/>.</param>
/// <param name="OpenAsync">Makes the holder of a number, which belongs to the source of <c>number % sources</c>.</param>
internal sealed record LimitFillCase(string Name, string Held, string How, Action<LimitFillSettings> Configure,
    Func<LimitFillSource, int, Task<LimitFiller>> OpenAsync)
{
    /// <summary>Which bounds are lower than by default; empty for none.</summary>
    public string Scaled { get; init; } = "";

    /// <summary>How many holders there are in all.</summary>
    public int Holders { get; init; } = 1000;

    /// <summary>The same in the small form.</summary>
    public int HoldersInTests { get; init; } = 40;

    /// <summary>What the bound allows in memory, in MiB: that of the bound itself, and of what each holder has besides.</summary>
    public required double MiB { get; init; }

    /// <summary>What counts towards the bound, in the server.</summary>
    public Func<CoapServer, long>? Gauge { get; init; }

    /// <summary>The most that may be, in the server's options.</summary>
    public Func<LimitFillSettings, long>? Most { get; init; }

    /// <summary>The counter that shows that the bound was run into; null where nothing is counted.</summary>
    public CoapCounter? Proof { get; init; }

    /// <summary>Whether sessions of known devices must outlive it.</summary>
    public bool KeepsSessions { get; init; }
}
