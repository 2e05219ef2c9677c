using CoAP.NET.Exchanges;

namespace CoAP.NET.Observing.Client;

/// <summary>An event of an observation of this endpoint. Those of messages carry the message, so that they need no closure.</summary>
internal readonly struct ClientObservationInput
{
    /// <summary>Handles the event at a time, on the thread that processes its events; no lock is held.</summary>
    public required Action<ClientObservation, ClientObservationInput, long> Handle { get; init; }

    /// <summary>The token of the message; null if the event is not about a received message or the end of its connection.</summary>
    public MultiResponseToken? Request { get; init; }

    public CoapResponse? Response { get; init; }

    /// <summary>The reason why the message was rejected, or why the connection has ended.</summary>
    public CoapException? Error { get; init; }

    /// <summary>The message of ours that was answered, or whose outcome is known.</summary>
    public CoapTransmission? Transmission { get; init; }

    public CoapInboundKind TransmissionEnd { get; init; }

    /// <summary>Whether the response arrived over a reliable transport, which keeps the order.</summary>
    public bool IsOrdered { get; init; }

    /// <summary>Whether it is a notification: a response that answers no message of ours.</summary>
    public bool IsNotification => Response is not null && Transmission is null;
}
