using CoAP.NET.Exchanges;
using CoAP.NET.Options;

namespace CoAP.NET.Observing;

/// <summary>
/// What stands of a registration between us and the peer: the token, and the message that is under way with it. Belongs to whoever is busy
/// with the observation; no lock may be held.
/// </summary>
internal sealed class RegistrationAtPeer(ClientObservation observation, ObservationPort port)
{
    /// <summary>The token towards the server; null when there is none.</summary>
    public StandingRequest? Standing { get; private set; }

    /// <summary>The registration or cancellation that was sent last; null when nothing is waited for any more.</summary>
    public CoapTransmission? Transmission { get; private set; }

    /// <summary>Whether the server may have us as an observer, so that it must be told when nobody observes any more.</summary>
    public bool MayBeRegistered { get; set; }

    public CoapTransmissionParameters Parameters => Standing!.Channel.Parameters;

    /// <summary>Whether what becomes of the message will be told: it waits for its turn behind other messages to
    /// the peer, or for its acknowledgement.</summary>
    public bool IsUnderWay => Transmission is { IsQueued: true } or { IsOutstanding: true, Message.Type: CoapMessageType.Confirmable };

    /// <summary>Whether the token stands at a peer.</summary>
    public bool IsAt(CoapChannel channel) => Standing is not null && ObservationPort.IsSamePeer(Standing.Channel, channel);

    /// <summary>
    /// Whether the message waits for a turn that may never come: as of a request, PROBING_RATE (RFC 7252 section 4.7) may hold it back from
    /// a peer that has long been silent for hours.
    /// </summary>
    public bool WaitsInVain(long now) =>
        Transmission is { IsQueued: true } && now - Standing!.Channel.LastSeen >= Parameters.ExchangeLifetime.Ticks;

    /// <summary>
    /// Takes a token towards a peer in the place of the one before. If the peer before still notifies, it gets a Reset for it.
    /// </summary>
    public StandingRequest Open(CoapChannel channel)
    {
        Close();
        MayBeRegistered = false;
        return Standing = port.Open(channel, observation);
    }

    /// <summary>Takes the token of a process before.</summary>
    /// <returns>False when another request to the peer has it.</returns>
    public bool TryAdopt(AdoptedRegistration adopted)
    {
        Standing = port.TryAdopt(adopted.Channel, adopted.Token, observation);
        return MayBeRegistered = Standing is not null;
    }

    /// <summary>Sends a message with the token.</summary>
    /// <returns>Why it could not be sent; null when it was.</returns>
    public CoapException? Send(CoapMessage message)
    {
        Transmission = new CoapTransmission(Standing!.Channel, message, Standing);
        if (Standing.Channel.Carried is not null && message.Options.Observe == Observe.RegisterValue)
        {
            Standing.Registration = Transmission;
        }

        return port.Send(Transmission);
    }

    /// <summary>What becomes of the message does not matter any more, and copies of it do no harm.</summary>
    public void LetGo() => Transmission = null;

    /// <summary>Sends no more copies of the message.</summary>
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

    /// <summary>Gives the token up.</summary>
    public void Close()
    {
        if (Standing is { } standing)
        {
            Standing = null;
            port.Close(standing);
        }
    }

    /// <summary>The connection has ended, and the server forgot us with it.</summary>
    public void Lose()
    {
        Stop();
        Close();
        MayBeRegistered = false;
    }
}
