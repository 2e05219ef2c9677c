namespace CoAP.NET.Simulation.Overload;

/// <summary>What a server did under more than it can serve.</summary>
internal sealed record OverloadResult
{
    public required string Path { get; init; }

    /// <summary>Requests it answers in a second.</summary>
    public required double Capacity { get; init; }

    /// <summary>The part of a processor that it took for that; 0 when it is not known.</summary>
    public required double CapacityProcessor { get; init; }

    /// <summary>All phases, in their order.</summary>
    public required IReadOnlyList<LoadPhase> Phases { get; init; }

    public required IReadOnlyList<LoadSlice> Slices { get; init; }

    public required long RefusedWithoutMaxAge { get; init; }

    /// <summary>When the first phase began, as a time stamp.</summary>
    public required long Began { get; init; }

    /// <summary>How many observed.</summary>
    public required int Observers { get; init; }

    /// <summary>How many had the last state at the end.</summary>
    public required int UpToDate { get; init; }

    public required IReadOnlyList<ObservedState> Told { get; init; }

    public required IReadOnlyList<PacedTransfers.Transfer> Transfers { get; init; }

    /// <summary>The server's counters at the end.</summary>
    public required string Counters { get; init; }

    /// <summary>When a phase began, in seconds from the first.</summary>
    public double BeginOf(LoadPhase phase) => Phases.TakeWhile(other => other != phase).Sum(other => other.Seconds);

    /// <summary>States that came in a phase, with the time of a second to be told in it.</summary>
    public IEnumerable<ObservedState> ToldIn(LoadPhase phase) =>
        Told.Where(state => TimeProvider.System.GetElapsedTime(Began, state.ChangedAt).TotalSeconds is double at && at >= BeginOf(phase)
            && at < BeginOf(phase) + phase.Seconds);

    /// <summary>Transfers that were under way in a phase and have ended.</summary>
    public IEnumerable<PacedTransfers.Transfer> TransfersIn(LoadPhase phase) => Transfers.Where(transfer =>
        TimeProvider.System.GetElapsedTime(Began, transfer.Began).TotalSeconds < BeginOf(phase) + phase.Seconds
            && TimeProvider.System.GetElapsedTime(Began, transfer.EndedAt).TotalSeconds > BeginOf(phase));

    /// <summary>How long after a peak it takes until answers and their times are as before, in seconds; null when they never are.</summary>
    /// <param name="after">The phase after it.</param>
    /// <param name="before">The phase to which it is compared, at the same rate.</param>
    public double? RecoveryOf(LoadPhase after, LoadPhase before)
    {
        int first = (int)Math.Ceiling(BeginOf(after) * LoadSlice.PerSecond);
        int last = (int)((BeginOf(after) + after.Seconds) * LoadSlice.PerSecond);
        double limit = Math.Max(3 * before.Times.Microseconds(0.99), before.Times.Microseconds(0.99) + 20_000);
        double wanted = 0.8 * before.Goodput / LoadSlice.PerSecond;
        int good = last;
        for (int i = last - 1; i >= first && i < Slices.Count && Slices[i].Answered >= wanted && Slices[i].Times.Microseconds(0.9) <= limit;
            i--)
        {
            good = i;
        }

        return good == last ? null : (good - first) / (double)LoadSlice.PerSecond;
    }
}

/// <summary>A stretch of a load at one rate, and what came of it.</summary>
/// <param name="name">What it is called.</param>
/// <param name="seconds">How long.</param>
/// <param name="rate">Requests a second.</param>
internal sealed class LoadPhase(string name, double seconds, int rate)
{
    public string Name { get; } = name;

    public double Seconds { get; } = seconds;

    public int Rate { get; } = rate;

    /// <summary>Requests sent in it.</summary>
    public long Sent { get; set; }

    /// <summary>Those of them that were answered.</summary>
    public long Answered { get; set; }

    /// <summary>Those of them that were answered 5.03.</summary>
    public long Refused { get; set; }

    /// <summary>Those of them that were answered otherwise.</summary>
    public long Errors { get; set; }

    /// <summary>How long the answers to them took.</summary>
    public LatencyHistogram Times { get; } = new();

    /// <summary>Answers that came while it lasted, whenever they were asked for.</summary>
    public long Arrived { get; set; }

    /// <summary>The part of a processor that the server took; 0 when it is not known.</summary>
    public double Processor { get; set; }

    /// <summary>Answers in a second.</summary>
    public double Goodput => Arrived / Seconds;

    /// <summary>Those that nothing came back for.</summary>
    public long Lost => Sent - Answered - Refused - Errors;
}
