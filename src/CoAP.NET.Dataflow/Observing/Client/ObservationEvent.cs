using CoAP.NET.Exchanges;

namespace CoAP.NET.Observing;

/// <summary>Something that happened to an observation of ours.</summary>
internal readonly struct ObservationEvent
{
    public ObservationEventKind Kind { get; init; }

    /// <summary>What became of <see cref="Transmission"/>.</summary>
    public CoapInboundKind Fate { get; init; }

    /// <summary>Whether the response came over a reliable transport, where the order of arrival is that of sending.</summary>
    public bool IsOrdered { get; init; }

    /// <summary>Which search or fetch has ended.</summary>
    public int Number { get; init; }

    public CoapResponse? Response { get; init; }

    public CoapException? Error { get; init; }

    /// <summary>The peers that were found.</summary>
    public IReadOnlyList<CoapChannel>? Found { get; init; }

    /// <summary>Who waits until the registration was made again.</summary>
    public TaskCompletionSource<CoapResponse>? Waiting { get; init; }

    /// <summary>Who waits for what another process needs to go on.</summary>
    public TaskCompletionSource<CoapKeptObservation?>? Keeping { get; init; }

    /// <summary>The registration of a process before that it begins with; null for none.</summary>
    public AdoptedRegistration? Adopted { get; init; }

    /// <summary>The token that this is about.</summary>
    public StandingRequest? Request { get; init; }

    public CoapTransmission? Transmission { get; init; }
}
