using CoAP.NET.Exchanges;

namespace CoAP.NET.Observing;

/// <summary>An event of an observation of this endpoint.</summary>
internal readonly struct ObservationEvent
{
    public ObservationEventKind Kind { get; init; }

    /// <summary>The result of <see cref="Transmission"/>.</summary>
    public CoapInboundKind Fate { get; init; }

    /// <summary>Whether the response arrived over a reliable transport, which keeps the order.</summary>
    public bool IsOrdered { get; init; }

    /// <summary>The number of the search or fetch that has ended.</summary>
    public int Number { get; init; }

    public CoapResponse? Response { get; init; }

    public CoapException? Error { get; init; }

    /// <summary>The peers that were found.</summary>
    public IReadOnlyList<CoapChannel>? Found { get; init; }

    /// <summary>The caller that waits for another registration.</summary>
    public TaskCompletionSource<CoapResponse>? Waiting { get; init; }

    /// <summary>The caller that waits for what another process needs.</summary>
    public TaskCompletionSource<CoapKeptObservation?>? Keeping { get; init; }

    /// <summary>The registration of an earlier process to take over; null for none.</summary>
    public AdoptedRegistration? Adopted { get; init; }

    /// <summary>The token of the event.</summary>
    public StandingRequest? Request { get; init; }

    public CoapTransmission? Transmission { get; init; }
}
