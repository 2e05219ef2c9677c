namespace CoAP.NET.Load.Figures;

/// <summary>The progress of a run, reported about once per second. Of one worker, or added up over all.</summary>
/// <param name="Phase">The current phase: "connecting", "warming up", "measuring", "ending".</param>
/// <param name="Elapsed">Time since the start of the run.</param>
/// <param name="Whole">Total duration of the run.</param>
/// <param name="Peers">Number of started peers.</param>
/// <param name="PerSecond">Answers or notifications in the last second.</param>
/// <param name="P50">Half of those of the last second took no longer, in microseconds.</param>
/// <param name="P99">99 of 100 of those of the last second took no longer, in microseconds.</param>
/// <param name="Errors">Wrong answers and failures so far.</param>
/// <param name="Lost">Unanswered so far.</param>
internal readonly record struct LoadProgress(string Phase, TimeSpan Elapsed, TimeSpan Whole, int Peers, double PerSecond, double P50,
    double P99, long Errors, long Lost);
