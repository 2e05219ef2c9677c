using CoAP.NET.Exchanges;
using CoAP.NET.Options;

namespace CoAP.NET.Observing;

/// <summary>
/// The state of a registration between this endpoint and the peer: the token, and the message that is sent with it. Belongs to the thread
/// that is busy with the observation; the caller must hold no lock.
/// </summary>
internal sealed class RegistrationAtPeer(ClientObservation observation, ObservationPort port)
{
    /// <summary>The token towards the server; null if there is none.</summary>
    public StandingRequest? Standing { get; private set; }

    /// <summary>The last registration or cancellation; null if its result no longer matters.</summary>
    public CoapTransmission? Transmission { get; private set; }

    /// <summary>Whether the server may have the observer, so that it must be told when the last reader leaves.</summary>
    public bool MayBeRegistered { get; set; }

    public CoapTransmissionParameters Parameters => Standing!.Channel.Parameters;

    /// <summary>
    /// Whether the result of the message will be reported: it waits in the queue after other messages to the peer, or for its
    /// acknowledgement.
    /// </summary>
    public bool IsUnderWay => Transmission is { IsQueued: true } or { IsOutstanding: true, Message.Type: CoapMessageType.Confirmable };

    /// <summary>Returns whether the token belongs to a peer.</summary>
    public bool IsAt(CoapChannel channel) => Standing is not null && ObservationPort.IsSamePeer(Standing.Channel, channel);

    /// <summary>
    /// Returns whether the message waits for a turn that may never come: like a request, PROBING_RATE (RFC 7252 section 4.7) may hold it
    /// back for hours if the peer has been silent for long.
    /// </summary>
    public bool WaitsInVain(long now) =>
        Transmission is { IsQueued: true } && now - Standing!.Channel.LastSeen >= Parameters.ExchangeLifetime.Ticks;

    /// <summary>
    /// Opens a token towards a peer, and replaces the previous one. If the previous peer still notifies, it gets a Reset.
    /// </summary>
    public StandingRequest Open(CoapChannel channel)
    {
        Close();
        MayBeRegistered = false;
        return Standing = port.Open(channel, observation);
    }

    /// <summary>Takes over the token of an earlier process.</summary>
    /// <returns>False if another request to the peer uses it.</returns>
    public bool TryAdopt(AdoptedRegistration adopted)
    {
        Standing = port.TryAdopt(adopted.Channel, adopted.Token, observation);
        return MayBeRegistered = Standing is not null;
    }

    /// <summary>Sends a message with the token.</summary>
    /// <returns>Why it could not be sent; null if it was sent.</returns>
    public CoapException? Send(CoapMessage message)
    {
        Transmission = new CoapTransmission(Standing!.Channel, message, Standing) { OnBehalfOf = observation.Target.OnBehalfOf };
        if (Standing.Channel.Carried is not null && message.Options.Observe == Observe.RegisterValue)
        {
            Standing.Registration = Transmission;
        }

        return port.Send(Transmission);
    }

    /// <summary>Forgets the message: its result no longer matters, and copies do no harm.</summary>
    public void LetGo() => Transmission = null;

    /// <summary>Stops retransmitting the message.</summary>
    public void Stop()
    {
        if (Transmission is { } transmission)
        {
            Transmission = null;
            MayBeRegistered |= transmission.Attempts > 0;
            if (!transmission.IsOver)
            {
                port.Stop(transmission);
            }
        }
    }

    /// <summary>Releases the token.</summary>
    public void Close()
    {
        if (Standing is { } standing)
        {
            Standing = null;
            port.Close(standing);
        }
    }

    /// <summary>Handles the end of the connection, with which the server forgot us.</summary>
    public void Lose()
    {
        Stop();
        Close();
        MayBeRegistered = false;
    }
}
