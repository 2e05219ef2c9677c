namespace CoAP.NET.Observing;

/// <summary>The state of an observation for observers. Immutable, so it can be read without a lock.</summary>
/// <param name="State">The state of the observation.</param>
/// <param name="Latest">The last response; null before the first one.</param>
/// <param name="Error">The reason why it is not observed at the moment; null if it is, or if there was no error.</param>
/// <param name="Version">The number of delivered responses.</param>
/// <param name="IsOver">Whether it is the last state.</param>
internal sealed record ObservationSnapshot(CoapObserveState State, CoapResponse? Latest, CoapException? Error, long Version, bool IsOver)
{
    public static ObservationSnapshot Initial { get; } = new(CoapObserveState.Registering, null, null, 0, false);

    /// <summary>The last response; null before the first one. All readers share it, so its options are read-only.</summary>
    public CoapResponse? Latest { get; } = Share(Latest);

    private static CoapResponse? Share(CoapResponse? response)
    {
        response?.Options.MakeReadOnly();
        return response;
    }
}
